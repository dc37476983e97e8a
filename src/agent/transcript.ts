import type { Entry, ToolCall } from '../model/action.ts';
import type { Usage } from '../model/turn.ts';
import { shortLine } from '../model/visible.ts';
import { clientReader, isClientLine } from './acp/reader.ts';
import { callText } from './action.ts';
import type { Json, StreamReader } from './harness.ts';
import { harnesses } from './harnesses.ts';
import { jsonOf, textAt } from './stream.ts';

/** Shows an agent's output to people. Output of an unknown agent is shown line by line. */
export class Transcript {
  #reader: StreamReader | undefined;
  readonly #open = new Map<string, ToolCall>();

  /** True once a line of a known stream was seen. */
  get isStream(): boolean {
    return this.#reader !== undefined;
  }

  line(text: string): readonly Entry[] {
    const json = jsonOf(text);
    if (json === undefined) return [{ id: 'line', text }];
    this.#reader ??= readerFor(json);
    if (this.#reader === undefined) return [{ id: 'line', text }];
    return this.#reader.line(json).filter((action) => {
      if (action.id !== 'tool') return true;
      const { call } = action;
      if (call.outcome === undefined) this.#open.set(call.key, call);
      else this.#open.delete(call.key);
      return call.outcome !== undefined;
    });
  }

  /** Calls that have not ended. */
  open(): readonly ToolCall[] {
    return [...this.#open.values()];
  }

  usage(): Usage | undefined {
    return this.#reader?.facts().usage;
  }
}

/** Stands for the turn, which is unknown here. */
const reading = { newSession: '' };
const options = { name: 'agent' };

function readerFor(json: Json): StreamReader | undefined {
  const type = textAt(json, 'type') ?? '';
  const harness = Object.values(harnesses).find(({ owns }) => owns(json, type));
  if (harness !== undefined) return harness.read(reading, options);
  return isClientLine(json, type) ? clientReader({ agent: 'agent', binary: '' }) : undefined;
}

const actionChars = 200;

/**
 * The latest action in an agent's output, on one line: a tool call or the last line of a message. For an unknown agent,
 * the last output line.
 */
export function lastAction(lines: readonly string[]): string | undefined {
  let reader: StreamReader | undefined;
  let plain = '';
  let message = '';
  let last = '';
  for (const text of lines) {
    if (text.trim() !== '') plain = text;
    const json = jsonOf(text);
    if (json === undefined) continue;
    reader ??= readerFor(json);
    for (const action of reader?.line(json) ?? []) {
      if (action.id === 'text') message = action.piece ? message + action.text : action.text;
      else message = '';
      const step = action.id === 'tool' ? callText(action.call) : lastLine(message);
      if (step !== '') last = step;
    }
  }
  const found = shortLine(reader === undefined ? plain : last, actionChars);
  return found === '' ? undefined : found;
}

function lastLine(text: string): string {
  return text.trimEnd().split('\n').at(-1) ?? '';
}
