import type { RunRecord } from '../../model/run-record.ts';
import { spentSinceResume } from '../../plan/spend.ts';
import { dollars, shortAmount } from '../format/amount.ts';
import { capitalized, joined } from '../format/layout.ts';

/** Spend and remaining budget of a run. Unknown or unlimited amounts are absent. */
export interface SpendView {
  readonly starts: number;
  readonly landed: number;
  readonly tokens?: number;
  readonly costUsd?: number;
  /** Budgets count from the start or the last resume of the run. */
  readonly left?: {
    readonly starts?: number;
    readonly tokens?: number;
    readonly costUsd?: number;
  };
}

export const nothingSpent: SpendView = { starts: 0, landed: 0 };

export function spendView(run: RunRecord): SpendView {
  const { train, spent, settings } = run;
  const since = spentSinceResume(run);
  const { maxAttempts, tokens, costUsd } = settings;
  const rest = (budget: number, used: number): number => Math.max(0, budget - used);
  const left = {
    ...(maxAttempts === undefined ? {} : { starts: rest(maxAttempts, since.starts) }),
    ...(tokens === undefined ? {} : { tokens: rest(tokens, since.tokens) }),
    ...(costUsd === undefined ? {} : { costUsd: rest(costUsd, since.costUsd) }),
  };
  return {
    starts: spent.starts,
    landed: train.landed,
    ...(spent.turns === 0 ? {} : { tokens: spent.tokens }),
    // Nothing is told apart from nothing known only by the events; see the summary.
    ...(spent.costUsd === 0 ? {} : { costUsd: spent.costUsd }),
    ...(Object.keys(left).length === 0 ? {} : { left }),
  };
}

/** `Spent 1.2M tokens, $3.40; left 800.0k tokens, $16.60`; empty where nothing is known. */
export function spendText({ tokens, costUsd, left = {} }: SpendView): string {
  const usd = (value: number | undefined) => value !== undefined && dollars(value);
  const used = (value: number | undefined) => value !== undefined && `${shortAmount(value)} tokens`;
  const starts = left.starts !== undefined && `${left.starts} agent starts`;
  const spent = joined([used(tokens), usd(costUsd)]);
  const rest = joined([used(left.tokens), usd(left.costUsd), starts]);
  return capitalized(joined([spent && `spent ${spent}`, rest && `left ${rest}`], '; '));
}
