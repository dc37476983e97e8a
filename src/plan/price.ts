import type { Usage } from '../model/attempt.ts';
import type { Price, Prices } from '../model/run.ts';

const million = 1_000_000;

/** The price of a model: its own, else that of `default`. */
export function priceOf(model: string | undefined, prices: Prices): Price | undefined {
  const own = model === undefined ? undefined : entry(prices, model);
  return own ?? entry(prices, 'default');
}

/** What a turn cost in US dollars, or nothing where the price of its model is not known. */
export function costOf(
  usage: Usage,
  model: string | undefined,
  prices: Prices,
): number | undefined {
  const price = priceOf(model, prices);
  if (price === undefined) return undefined;
  const total =
    usage.input * price.input +
    usage.cacheRead * price.cacheRead +
    usage.cacheWrite * price.cacheWrite +
    usage.output * price.output;
  return total / million;
}

/** Names of models come from outside; one that is called like something every object has is still no price. */
function entry(prices: Prices, name: string): Price | undefined {
  return Object.hasOwn(prices, name) ? prices[name] : undefined;
}
