import { tokensOf, type Usage } from '../model/attempt.ts';
import type { RunRecord, Spent, TaskRecord } from './record.ts';

const nothing: Spent = { tokens: 0, costUsd: 0, turns: 0 };

export function spend(run: RunRecord, usage: Usage | undefined): RunRecord {
  if (usage === undefined) return run;
  const { tokens, costUsd, turns } = run.spent ?? nothing;
  const spent = {
    tokens: tokens + tokensOf(usage),
    costUsd: costUsd + (usage.costUsd ?? 0),
    turns: turns + 1,
  };
  return { ...run, spent };
}

/** Spent since the run was started or last resumed. */
export function spentSinceResume({
  spent = nothing,
  spentBeforeResume: spentBefore = nothing,
}: RunRecord): Spent {
  return {
    tokens: spent.tokens - spentBefore.tokens,
    costUsd: spent.costUsd - spentBefore.costUsd,
    turns: spent.turns - spentBefore.turns,
  };
}

export type ExhaustedBudget = 'budget-tokens' | 'budget-cost';

/** A budget that is used up. */
export function exhaustedBudget(run: RunRecord): ExhaustedBudget | undefined {
  const { tokens, costUsd } = spentSinceResume(run);
  const { settings } = run;
  if (settings.tokens !== undefined && tokens >= settings.tokens) return 'budget-tokens';
  if (settings.costUsd !== undefined && costUsd >= settings.costUsd) return 'budget-cost';
  return undefined;
}

/** What may still be started: for each turn under way, and each new one, as much is put aside as a turn has used so far. */
export interface RemainingBudget {
  /** Turns that may start now. */
  readonly turns: number;
  /** The budget that lets no further turn start. */
  readonly short?: ExhaustedBudget;
}

export function remainingBudget(run: RunRecord, live: readonly TaskRecord[]): RemainingBudget {
  const { tokens, costUsd } = run.settings;
  const spent = spentSinceResume(run);
  const all = run.spent ?? nothing;
  const underWay = live.filter(mayStillSpend).length;
  const left = (budget: number | undefined, used: number, inAll: number): number => {
    if (budget === undefined) return Number.POSITIVE_INFINITY;
    // Nobody knows what a turn takes before the first has ended: those of the first wave all start.
    const each = all.turns === 0 ? 0 : inAll / all.turns;
    if (each === 0) return used < budget ? Number.POSITIVE_INFINITY : 0;
    const turns = Math.floor((budget - used) / each);
    // A budget that is smaller than any turn would never let one start, however often the run is resumed.
    return Math.max(0, (used === 0 ? Math.max(1, turns) : turns) - underWay);
  };
  const byTokens = left(tokens, spent.tokens, all.tokens);
  const byCost = left(costUsd, spent.costUsd, all.costUsd);
  const turns = Math.min(byTokens, byCost);
  if (turns > 0) return { turns };
  return { turns: 0, short: byTokens === 0 ? 'budget-tokens' : 'budget-cost' };
}

/** A turn runs, or is certain to come. */
function mayStillSpend({ attempt }: TaskRecord): boolean {
  const id = attempt?.state.id;
  return id === 'preparing' || id === 'prepared' || id === 'working';
}
