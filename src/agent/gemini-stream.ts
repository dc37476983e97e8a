import type { Failure } from '../model/failure.ts';
import type { Usage } from '../model/turn.ts';
import type { Turn } from '../port/agent.ts';
import { type Action, type EndedCall, pieceActions, subjectOf, ToolCalls } from './action.ts';
import { classify, oneLine } from './classify.ts';
import type { Json, StreamFacts, StreamReader } from './harness.ts';
import { countAt, finalText, objectAt, textAt } from './stream.ts';

/**
 * Reads `stream-json`. The `status` of the `result` line decides, because the process may exit with 0 after a failure.
 */
export class GeminiReader implements StreamReader {
  readonly #agent: string;
  readonly #asked: string | undefined;
  readonly #text = finalText();
  readonly #tools = new ToolCalls();
  #session: string | undefined;
  /** True if the conversation can be resumed: Gemini keeps none without a complete answer. */
  #isKept: boolean;
  #model: string | undefined;
  #usage: Usage | undefined;
  /** Text of the last `error` line; only a warning if the turn continues. */
  #trouble: string | undefined;
  #end: StreamFacts['end'];

  constructor(agent: string, turn: Pick<Turn, 'model' | 'session'>) {
    this.#agent = agent;
    this.#asked = turn.model;
    this.#isKept = turn.session !== undefined;
  }

  line(json: Json): readonly Action[] {
    switch (json.type) {
      case 'init':
        this.#session = textAt(json, 'session_id');
        this.#model = textAt(json, 'model');
        return [];
      case 'message':
        if (json.role !== 'assistant') return [];
        this.#text.add(textAt(json, 'content') ?? '');
        return pieceActions(textAt(json, 'content'));
      case 'tool_use':
        this.#isKept = true;
        this.#text.restart();
        return this.#begun(json);
      case 'tool_result':
        return this.#tools.end(textAt(json, 'tool_id') ?? '', outcomeOf(json), timeOf(json));
      case 'error':
        this.#trouble = textAt(json, 'message');
        return [];
      case 'result':
        this.#ended(json);
        return [];
      default:
        return [];
    }
  }

  #begun(json: Json): readonly Action[] {
    const name = textAt(json, 'tool_name') ?? 'tool';
    const subject = subjectOf(objectAt(json, 'parameters'));
    return this.#tools.begin(textAt(json, 'tool_id') ?? '', name, subject, timeOf(json));
  }

  #ended(json: Json): void {
    const stats = objectAt(json, 'stats');
    this.#usage = usageOf(stats);
    this.#isKept ||= countAt(stats, 'total_tokens') > 0;
    this.#model = mostUsed(objectAt(stats, 'models')) ?? this.#model;
    this.#end = json.status === 'success' ? this.#success() : this.#failure(json);
  }

  #success(): StreamFacts['end'] {
    const over = this.#trouble !== undefined && /maximum session turns/i.test(this.#trouble);
    return over ? this.#limit('turns', this.#trouble) : 'ok';
  }

  /** Undefined if the text says too little; then the exit status decides. */
  #failure(json: Json): StreamFacts['end'] {
    const error = objectAt(json, 'error');
    const message = textAt(error, 'message');
    if (message === undefined)
      return this.#unanswered(this.#trouble ?? 'The result line has no reason.');
    if (error?.type === 'FatalTurnLimitedError') return this.#limit('turns', message);
    const reported = apiMessage(message);
    if (/^Incomplete JSON segment/.test(reported)) return this.#broken(reported);
    return reported.startsWith('{')
      ? classify(this.#agent, {
          message: reported,
          model: this.#asked ?? this.#model,
          variable: 'GEMINI_API_KEY',
        })
      : undefined;
  }

  /** The service answered, but with no usable content. */
  #unanswered(message: string): Failure {
    if (/exceeded the token limit/i.test(message)) return this.#limit('output tokens', message);
    return /\bblocked\b/i.test(message)
      ? { kind: 'provider-refused', agent: this.#agent, message: oneLine(message) }
      : this.#broken(message);
  }

  #limit(limit: string, message = ''): Failure {
    return { kind: 'agent-limit', agent: this.#agent, limit, message: oneLine(message) };
  }

  #broken(message: string): Failure {
    return { kind: 'stream-broken', agent: this.#agent, message: oneLine(message) };
  }

  facts(): StreamFacts {
    return {
      session: this.#isKept ? this.#session : undefined,
      model: this.#model,
      usage: this.#usage,
      end: this.#end,
      finalText: this.#text.text(),
    };
  }
}

/** Gemini reports no exit status: a failed command is a successful tool call. */
function outcomeOf(json: Json): EndedCall {
  const message = textAt(objectAt(json, 'error'), 'message');
  return { ok: json.status !== 'error', output: message ?? textAt(json, 'output') ?? '' };
}

function timeOf(json: Json): number | undefined {
  const time = Date.parse(textAt(json, 'timestamp') ?? '');
  return Number.isNaN(time) ? undefined : time;
}

/** `output_tokens` excludes reasoning, which is billed as output. */
function usageOf(stats: Json | undefined): Usage {
  const thought = countAt(stats, 'total_tokens') - countAt(stats, 'input_tokens');
  return {
    input: countAt(stats, 'input'),
    cacheRead: countAt(stats, 'cached'),
    cacheWrite: 0,
    output: Math.max(countAt(stats, 'output_tokens'), thought),
  };
}

/** With automatic model selection, small models run next to the main one. */
function mostUsed(models: Json | undefined): string | undefined {
  const used = Object.keys(models ?? {}).map((name) => ({
    name,
    tokens: countAt(objectAt(models, name), 'total_tokens'),
  }));
  return used.filter(({ tokens }) => tokens > 0).sort((one, other) => other.tokens - one.tokens)[0]
    ?.name;
}

/**
 * The service's error text, without the `[API Error: …]` around it and the advice about quotas that follows any 429.
 */
export function apiMessage(message: string): string {
  return /^\[API Error: ([\s\S]*)\]/.exec(message)?.[1] ?? message;
}
