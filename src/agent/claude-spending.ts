import type { Usage } from '../model/attempt.ts';
import { plus } from '../model/attempt.ts';
import type { Json } from './harness.ts';
import { countAt, numberAt, objectAt, textAt } from './stream.ts';

/**
 * What one turn of Claude Code used. A result line has three accounts: of this turn and every model it asked, helpers
 * included; of this turn's own conversation; and, in `modelUsage` and `total_cost_usd` of newer versions, of the whole
 * conversation with the turns before. The first is the one that is wanted; versions that lack it give the cost of
 * the turn alone. A turn that is cut off has only what each answer said when it began.
 */
export class ClaudeUsage {
  readonly #answers = new Map<string, Usage>();
  #results: Usage | undefined;

  /** The message of an `assistant` line. One answer comes in several lines with the same id. */
  answer(message: Json | undefined): void {
    const id = textAt(message, 'id');
    const usage = objectAt(message, 'usage');
    if (id === undefined || usage === undefined) return;
    this.#answers.set(id, tokens(usage, ofApi));
  }

  result(json: Json): void {
    const own = objectAt(json, 'model_usage_since_last_result');
    const usage = own === undefined ? usageOfTurn(json) : usageOfModels(own);
    this.#results = plus(this.#results, usage);
  }

  usage(): Usage | undefined {
    if (this.#results !== undefined) return this.#results;
    return [...this.#answers.values()].reduce<Usage | undefined>(plus, undefined);
  }
}

const ofApi = {
  input: 'input_tokens',
  cacheRead: 'cache_read_input_tokens',
  cacheWrite: 'cache_creation_input_tokens',
  output: 'output_tokens',
} as const;

const ofModel = {
  input: 'inputTokens',
  cacheRead: 'cacheReadInputTokens',
  cacheWrite: 'cacheCreationInputTokens',
  output: 'outputTokens',
} as const;

function tokens(json: Json | undefined, names: typeof ofApi | typeof ofModel): Usage {
  return {
    input: countAt(json, names.input),
    cacheRead: countAt(json, names.cacheRead),
    cacheWrite: countAt(json, names.cacheWrite),
    output: countAt(json, names.output),
  };
}

function usageOfTurn(json: Json): Usage {
  const cost = numberAt(json, 'total_cost_usd');
  const usage = tokens(objectAt(json, 'usage'), ofApi);
  return cost === undefined ? usage : { ...usage, costUsd: Math.max(0, cost) };
}

function usageOfModels(models: Json): Usage {
  const none: Usage = { input: 0, cacheRead: 0, cacheWrite: 0, output: 0, costUsd: 0 };
  return Object.keys(models).reduce<Usage>((all, name) => {
    const model = objectAt(models, name);
    return plus(all, { ...tokens(model, ofModel), costUsd: countAt(model, 'costUSD') });
  }, none);
}
