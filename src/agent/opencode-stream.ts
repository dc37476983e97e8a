import type { Usage } from '../model/attempt.ts';
import { plus } from '../model/attempt.ts';
import type { Failure } from '../model/failure.ts';
import { type Action, subjectOf, ToolCalls, textActions } from './action.ts';
import { agentError, classify, oneLine } from './classify.ts';
import type { Json, StreamFacts, StreamReader } from './harness.ts';
import { countAt, finalText, jsonOf, numberAt, objectAt, textAt } from './stream.ts';

/**
 * Steps in a row that end without a token and without a reason. An answer that is no model's, such as the page of a
 * proxy, makes it ask again for ever, and it prints all the while: of all limits only that of its wall time would end it.
 */
const emptySteps = 5;

/** Reads `--format json`: steps, each of texts and tools. There is no last line; the end is a step that says `stop`. */
export class OpencodeReader implements StreamReader {
  readonly #agent: string;
  readonly #model: string | undefined;
  readonly #text = finalText();
  readonly #tools = new ToolCalls();
  readonly #denied: string[] = [];
  #session: string | undefined;
  #usage: Usage | undefined;
  #empty = 0;
  #end: StreamFacts['end'];

  constructor(agent: string, model: string | undefined) {
    this.#agent = agent;
    this.#model = model;
  }

  line(json: Json): readonly Action[] {
    this.#session = textAt(json, 'sessionID') ?? this.#session;
    const part = objectAt(json, 'part');
    switch (json.type) {
      case 'step_start':
        this.#text.restart();
        if (this.#empty < emptySteps) this.#end = undefined;
        return [];
      case 'text':
        // What it tells the model itself, such as to go on after a conversation was cut down, is nobody's last word.
        if (part?.synthetic === true) return [];
        this.#text.add(`${textAt(part, 'text') ?? ''}\n`);
        return textActions(textAt(part, 'text'));
      case 'tool_use':
        this.#text.restart();
        if (isDenied(part)) this.#denied.push(textAt(part, 'tool') ?? 'a tool');
        return this.#used(part);
      case 'step_finish':
        this.#finished(part);
        return [];
      case 'error':
        this.#end = isFinal(json) ? opencodeFailure(json, this.#agent, this.#model) : undefined;
        return [];
      default:
        return [];
    }
  }

  /** A tool is told once, when it is over. */
  #used(part: Json | undefined): readonly Action[] {
    const state = objectAt(part, 'state');
    const key = textAt(part, 'callID') ?? '';
    const time = objectAt(state, 'time');
    const exit = numberAt(objectAt(state, 'metadata'), 'exit');
    const subject = subjectOf(objectAt(state, 'input'));
    this.#tools.begin(key, textAt(part, 'tool') ?? 'tool', subject, numberAt(time, 'start'));
    const outcome = {
      ok: state?.status !== 'error' && (exit ?? 0) === 0,
      ...(exit === undefined || exit === 0 ? {} : { exit }),
      output: textAt(state, 'error') ?? textAt(state, 'output') ?? '',
    };
    return this.#tools.end(key, outcome, numberAt(time, 'end'));
  }

  #finished(part: Json | undefined): void {
    const reason = textAt(part, 'reason') ?? 'unknown';
    const step = usageOf(part);
    this.#usage = plus(this.#usage, step);
    const isEmpty = reason === 'unknown' && step.input + step.cacheRead + step.output === 0;
    this.#empty = isEmpty ? this.#empty + 1 : 0;
    this.#end =
      this.#empty < emptySteps
        ? endBy(reason, this.#agent)
        : {
            kind: 'stream-broken',
            agent: this.#agent,
            message: `The service gave ${emptySteps} answers in a row that said nothing.`,
          };
  }

  facts(): StreamFacts {
    return {
      ...(this.#session === undefined ? {} : { session: this.#session }),
      ...(this.#usage === undefined ? {} : { usage: this.#usage }),
      ...(this.#end === undefined ? {} : { end: this.#end }),
      finalText: this.#text.text().trimEnd(),
      denied: this.#denied,
    };
  }
}

function usageOf(part: Json | undefined): Usage {
  const tokens = objectAt(part, 'tokens');
  const cache = objectAt(tokens, 'cache');
  const costUsd = countAt(part, 'cost');
  return {
    input: countAt(tokens, 'input'),
    cacheRead: countAt(cache, 'read'),
    cacheWrite: countAt(cache, 'write'),
    output: countAt(tokens, 'output') + countAt(tokens, 'reasoning'),
    // It says 0 of a model whose price it does not know.
    ...(costUsd === 0 ? {} : { costUsd }),
  };
}

/** What the end of a step means for the turn, which goes on after a step with tools and after one without a reason. */
function endBy(reason: string, agent: string): StreamFacts['end'] {
  switch (reason) {
    case 'stop':
      return 'ok';
    case 'tool-calls':
    case 'unknown':
      return undefined;
    case 'length':
      return cut(agent, 'The answer was longer than the model may give.');
    case 'content-filter':
      return { kind: 'provider-refused', agent, message: 'The service withheld its answer.' };
    default:
      return agentError(agent, `The last step ended with the reason "${reason}".`);
  }
}

const cut = (agent: string, message: string): Failure => ({
  kind: 'agent-limit',
  agent,
  limit: 'output tokens',
  message: oneLine(message),
});

/** Refused by a rule of the user's config. A tool that failed by itself is the agent's own affair. */
function isDenied(part: Json | undefined): boolean {
  const state = objectAt(part, 'state');
  const error = state?.status === 'error' ? textAt(state, 'error') : undefined;
  return error !== undefined && /^The user (?:has specified a rule|rejected)/.test(error);
}

/**
 * Whether the turn ends with it. A conversation that is too long is cut down, and the turn goes on; of an error with a
 * reference more is known from the log.
 */
function isFinal(json: Json): boolean {
  const error = objectAt(json, 'error');
  if (error?.name === 'UnknownError') return textAt(objectAt(error, 'data'), 'ref') === undefined;
  return error?.name !== 'ContextOverflowError';
}

/** What an `error` line reports. */
export function opencodeFailure(json: Json, agent: string, model: string | undefined): Failure {
  const error = objectAt(json, 'error');
  const data = objectAt(error, 'data');
  const name = textAt(error, 'name') ?? 'an error without a name';
  const message = textAt(data, 'message') ?? name;
  if (name === 'MessageOutputLengthError') return cut(agent, message);
  const body = textAt(data, 'responseBody') ?? '';
  const answer = objectAt(jsonOf(body), 'error');
  return classify(agent, {
    // The answer of the service has the same words, and data beside them.
    message: textAt(answer, 'message') === undefined ? message : body,
    status: numberAt(data, 'statusCode'),
    codes: [textAt(objectAt(data, 'metadata'), 'code'), textAt(answer, 'code'), name],
    headers: objectAt(data, 'responseHeaders'),
    model,
  });
}
