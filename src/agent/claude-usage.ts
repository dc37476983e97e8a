import type { Usage } from '../model/turn.ts';
import { plus } from '../model/turn.ts';
import type { Json } from './harness.ts';
import { countAt, numberAt, objectAt, textAt } from './stream.ts';

/**
 * Usage of one Claude Code turn. A result line has three counts: `model_usage_since_last_result` covers this turn and
 * every model, subagents included; `usage` covers this turn's own conversation; `modelUsage` and, in newer versions,
 * `total_cost_usd` cover the whole conversation. The first is used; versions without it report the cost of the turn
 * alone. A turn that was cut off has only the counts of its answers.
 */
export class ClaudeUsage {
  readonly #answers = new Map<string, Usage>();
  #results: Usage | undefined;

  /** Message of an `assistant` line. One answer comes as several lines with the same id. */
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
