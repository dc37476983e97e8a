import type { Price, Prices } from '../model/run.ts';
import type { RunRecord, Spent } from '../model/run-record.ts';
import type { TaskRecord } from '../model/task-record.ts';
import { tokensOf, type Usage } from '../model/turn.ts';

export function spend(run: RunRecord, usage: Usage | undefined): RunRecord {
  if (usage === undefined) return run;
  const { starts, tokens, costUsd, turns } = run.spent;
  const spent = {
    starts,
    tokens: tokens + tokensOf(usage),
    costUsd: costUsd + (usage.costUsd ?? 0),
    turns: turns + 1,
  };
  return { ...run, spent };
}

/** Counts agent starts. A refused one is given back. */
export function withStarts(run: RunRecord, more: 1 | -1): RunRecord {
  return { ...run, spent: { ...run.spent, starts: run.spent.starts + more } };
}

/** Spend since the run was started or last resumed. */
export function spentSinceResume({ spent, spentBeforeResume: before }: RunRecord): Spent {
  return {
    starts: spent.starts - before.starts,
    tokens: spent.tokens - before.tokens,
    costUsd: spent.costUsd - before.costUsd,
    turns: spent.turns - before.turns,
  };
}

export type ExhaustedBudget = 'budget-tokens' | 'budget-cost';

/** The budget that is used up, if any. */
export function exhaustedBudget(run: RunRecord): ExhaustedBudget | undefined {
  const { tokens, costUsd } = spentSinceResume(run);
  const { settings } = run;
  if (settings.tokens !== undefined && tokens >= settings.tokens) return 'budget-tokens';
  if (settings.costUsd !== undefined && costUsd >= settings.costUsd) return 'budget-cost';
  return undefined;
}

/** Turns the budget still covers, with the average spend of past turns reserved for each running and new turn. */
interface RemainingBudget {
  /** Turns that may start now. */
  readonly turns: number;
  /** The budget that covers the fewest turns; absent without one. */
  readonly scarce?: ExhaustedBudget;
  /** The budget that does not cover another turn. */
  readonly short?: ExhaustedBudget;
}

export function remainingBudget(run: RunRecord, live: readonly TaskRecord[]): RemainingBudget {
  const { tokens, costUsd } = run.settings;
  const spent = spentSinceResume(run);
  const all = run.spent;
  const underWay = live.filter(mayStillSpend).length;
  const left = (budget: number | undefined, used: number, inAll: number): number => {
    if (budget === undefined) return Number.POSITIVE_INFINITY;
    // No turn has ended yet, so its cost is unknown: all of the first turns start.
    const each = all.turns === 0 ? 0 : inAll / all.turns;
    if (each === 0) return used < budget ? Number.POSITIVE_INFINITY : 0;
    const turns = Math.floor((budget - used) / each);
    // A budget smaller than one turn still lets one start; otherwise the run could never start any.
    return Math.max(0, (used === 0 ? Math.max(1, turns) : turns) - underWay);
  };
  const byTokens = left(tokens, spent.tokens, all.tokens);
  const byCost = left(costUsd, spent.costUsd, all.costUsd);
  const turns = Math.min(byTokens, byCost);
  if (!Number.isFinite(turns)) return { turns };
  const scarce = byTokens <= byCost ? 'budget-tokens' : 'budget-cost';
  return turns > 0 ? { turns, scarce } : { turns: 0, scarce, short: scarce };
}

/** True if a turn runs or is about to start. */
function mayStillSpend({ attempt }: TaskRecord): boolean {
  const id = attempt?.state.id;
  return id === 'preparing' || id === 'prepared' || id === 'working';
}

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
