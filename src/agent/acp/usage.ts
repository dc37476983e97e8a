import { given } from '../../model/given.ts';
import type { Usage } from '../../model/turn.ts';
import type { Json } from '../harness.ts';
import { countAt, listAt, numberAt, objectAt, textAt } from '../stream.ts';

export interface Reported {
  readonly usage: Usage;
  readonly model?: string;
}

/** Tokens of a whole turn, from the response to its prompt. Agents use two formats. */
export function turnUsage(result: Json): Reported | undefined {
  const plain = tokensOf(objectAt(result, 'usage'));
  if (plain !== undefined) return { usage: plain };
  const quota = objectAt(objectAt(result, '_meta'), 'quota');
  const counts = objectAt(quota, 'token_count');
  if (counts === undefined) return undefined;
  return {
    // Cached tokens are part of the input here, and their number is not reported.
    usage: {
      input: countAt(counts, 'input_tokens'),
      cacheRead: 0,
      cacheWrite: 0,
      output: countAt(counts, 'output_tokens'),
    },
    ...given({ model: textAt(listAt(quota, 'model_usage').at(-1), 'model') }),
  };
}

/** Tokens of one step, which some agents attach to a piece of text. */
export function stepUsage(update: Json): Usage | undefined {
  return tokensOf(objectAt(objectAt(update, '_meta'), 'usage'));
}

/**
 * Tokens in the protocol's fields. Agents differ in whether input includes the cache and output includes reasoning; the
 * total shows which. Without a matching total they count separately, as the protocol defines.
 */
export function tokensOf(raw: Json | undefined): Usage | undefined {
  if (numberAt(raw, 'inputTokens') === undefined && numberAt(raw, 'outputTokens') === undefined) {
    return undefined;
  }
  const input = countAt(raw, 'inputTokens');
  const output = countAt(raw, 'outputTokens');
  const thought = countAt(raw, 'thoughtTokens');
  const cacheRead = countAt(raw, 'cachedReadTokens');
  const cacheWrite = countAt(raw, 'cachedWriteTokens');
  const cache = cacheRead + cacheWrite;
  const total = numberAt(raw, 'totalTokens');
  const readings = [
    { within: 0, apart: thought },
    { within: 0, apart: 0 },
    { within: cache, apart: thought },
    { within: cache, apart: 0 },
  ];
  const fits = readings.find(
    ({ within, apart }) => input - within + cache + output + apart === total,
  );
  const { within, apart } = fits ?? { within: 0, apart: thought };
  return { input: Math.max(0, input - within), cacheRead, cacheWrite, output: output + apart };
}
