import type { Action } from '../../model/action.ts';
import type { Failure } from '../../model/failure.ts';
import { plus, type Usage } from '../../model/turn.ts';
import { pieceActions, ToolCalls } from '../action.ts';
import { classify, recognized, streamBroken } from '../classify.ts';
import type { Json, StreamFacts, StreamReader } from '../harness.ts';
import { countAt, finalText, numberAt, objectAt, textAt } from '../stream.ts';
import { type FailureContext, failureOf, stopFailure } from './failure.ts';

export interface ClientReaderInput extends FailureContext {
  /** Our own count of the conversation's cost before this turn. */
  readonly costBefore?: number | undefined;
}

/** True for a line of the client. Each type has a field that lines of this type in other streams lack. */
export function isClientLine(json: Json, type: string): boolean {
  if (type === 'agent') return textAt(json, 'sessions') !== undefined;
  if (type === 'usage') return objectAt(json, 'usage') !== undefined;
  if (type === 'thought') return typeof json.chars === 'number';
  const field = { session: 'id', text: 'text', tool: 'id', end: 'stopReason' }[type];
  return field !== undefined && textAt(json, field) !== undefined;
}

/** Reads the client's lines, see `ClientEvent`. */
export function clientReader(reading: ClientReaderInput): StreamReader {
  return new ClientReader(reading);
}

class ClientReader implements StreamReader {
  readonly #reading: ClientReaderInput;
  readonly #text = finalText();
  readonly #tools = new Set<string>();
  readonly #calls = new ToolCalls();
  readonly #denied: string[] = [];
  #message: string | undefined;
  /** True if the next piece of text starts a new line. */
  #startsNewLine = false;
  /** True once the agent wrote or did anything. */
  #isActive = false;
  #session: string | undefined;
  #model: string | undefined;
  #steps: Usage | undefined;
  #turn: Usage | undefined;
  #cost: number | undefined;
  #costBefore: number | undefined;
  #stop: string | undefined;
  #error: Failure | undefined;

  constructor(reading: ClientReaderInput) {
    this.#reading = reading;
    this.#costBefore = reading.costBefore;
  }

  line(json: Json): readonly Action[] {
    const actions = this.#actions(json);
    this.#fold(json);
    return actions;
  }

  #actions(json: Json): readonly Action[] {
    const type = textAt(json, 'type');
    if (type === 'text') return pieceActions(textAt(json, 'text'));
    if (type !== 'tool') return [];
    const key = textAt(json, 'id') ?? '';
    const isKnown = this.#tools.has(key);
    const begun = isKnown
      ? []
      : this.#calls.begin(key, textAt(json, 'kind') ?? 'tool', textAt(json, 'title') ?? '');
    const status = textAt(json, 'status');
    if (status !== 'completed' && status !== 'failed') return begun;
    return [...begun, ...this.#calls.end(key, { ok: status === 'completed' })];
  }

  #fold(json: Json): void {
    switch (textAt(json, 'type')) {
      case 'session':
        this.#session = textAt(json, 'id');
        return;
      case 'model':
        this.#model = textAt(json, 'id');
        return;
      case 'text':
        return this.#addText(textAt(json, 'text') ?? '', textAt(json, 'message'));
      case 'thought':
        this.#startsNewLine = true;
        return;
      case 'user':
        return this.#restart();
      case 'tool':
        return this.#tool(textAt(json, 'id') ?? '');
      case 'permission':
        if (json.allowed !== true) this.#denied.push(textAt(json, 'tool') ?? 'unnamed tool');
        return;
      case 'usage':
        return this.#addUsage(json);
      case 'cost':
        if (json.before === true) this.#costBefore = numberAt(json, 'usd');
        else this.#cost = numberAt(json, 'usd');
        return;
      case 'error':
        this.#error = failureOf(json, this.#reading);
        return;
      case 'end':
        this.#stop = textAt(json, 'stopReason') ?? 'unnamed';
        return;
      default:
        return;
    }
  }

  facts(): StreamFacts {
    return {
      finalText: this.#text.text(),
      denied: this.#denied,
      session: this.#session,
      model: this.#model,
      usage: this.#usage(),
      end: this.#end(),
    };
  }

  /** Two messages never share a line, because a signal must be on a line of its own. */
  #addText(text: string, message: string | undefined): void {
    const isNext = this.#startsNewLine || message !== this.#message;
    const before = this.#text.text();
    if (isNext && before !== '' && !before.endsWith('\n')) this.#text.add('\n');
    this.#text.add(text);
    this.#message = message;
    this.#startsNewLine = false;
    this.#isActive = true;
  }

  /**
   * Updates of a running tool may come while the agent already writes; only a new tool makes the text before it an
   * earlier message.
   */
  #tool(id: string): void {
    this.#isActive = true;
    if (this.#tools.has(id)) return;
    this.#tools.add(id);
    this.#restart();
  }

  #restart(): void {
    this.#text.restart();
    this.#message = undefined;
    this.#startsNewLine = false;
  }

  #addUsage(json: Json): void {
    const raw = objectAt(json, 'usage');
    const usage = {
      input: countAt(raw, 'input'),
      cacheRead: countAt(raw, 'cacheRead'),
      cacheWrite: countAt(raw, 'cacheWrite'),
      output: countAt(raw, 'output'),
    };
    this.#model = textAt(json, 'model') ?? this.#model;
    if (json.scope === 'step') this.#steps = plus(this.#steps, usage);
    else this.#turn = usage;
  }

  /** Agents report the cost of the whole conversation, or of the time since their start if they do not keep it. */
  #usage(): Usage | undefined {
    const tokens = this.#turn ?? this.#steps;
    const before = this.#costBefore ?? 0;
    const cost = this.#cost;
    if (cost === undefined) return tokens;
    const costUsd = cost >= before ? cost - before : cost;
    if (tokens === undefined && costUsd === 0) return undefined;
    return { ...(tokens ?? { input: 0, cacheRead: 0, cacheWrite: 0, output: 0 }), costUsd };
  }

  #end(): StreamFacts['end'] {
    if (this.#error !== undefined) return this.#error;
    if (this.#stop === undefined) return undefined;
    const { agent } = this.#reading;
    const failure = stopFailure(this.#stop, agent);
    if (failure === undefined) return this.#isActive ? (this.#errorInText() ?? 'ok') : this.#idle();
    if (this.#stop !== 'cancelled' || this.#denied.length === 0) return failure;
    const message = 'The agent ended its turn after a tool was refused.';
    return { kind: 'permission-denied', agent, message, tools: [...new Set(this.#denied)] };
  }

  /** Goose and Copilot end a turn normally when their service fails, and write the error as their message. */
  #errorInText(): Failure | undefined {
    const { agent, model = this.#model } = this.#reading;
    const text = this.#text.text();
    const goose = gooseError.exec(text)?.[1];
    if (goose !== undefined) return classify(agent, { message: goose, model });
    // An answer of a model has a usage, and may begin like this.
    const copilot = this.#usage() === undefined ? copilotError.exec(text)?.[1] : undefined;
    return copilot === undefined ? undefined : recognized(agent, { message: copilot, model });
  }

  /** Some agents end a turn normally when their service broke off. */
  #idle(): Failure {
    const message = 'The agent ended its turn without text or tool calls.';
    return streamBroken(this.#reading.agent, message);
  }
}

const gooseError = /^Ran into this error: ([\s\S]+?)\.?\n\nPlease retry if you think/;
const copilotError = /^(?:Info: [^\n]*?Retrying\.\.\.\s*)*Error: ([\s\S]+)/;
