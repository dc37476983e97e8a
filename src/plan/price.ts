import type { Price, Prices } from '../model/run.ts';
import type { Usage } from '../model/turn.ts';

const million = 1_000_000;

/** Price of a model, else that of `default`. */
export function priceOf(model: string | undefined, prices: Prices): Price | undefined {
  const own = model === undefined ? undefined : entry(prices, model);
  return own ?? entry(prices, 'default');
}

/** Cost of a turn in US dollars; undefined if the price of its model is unknown. */
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

/** Model names come from outside, so inherited properties such as `constructor` must not match. */
function entry(prices: Prices, name: string): Price | undefined {
  return Object.hasOwn(prices, name) ? prices[name] : undefined;
}
