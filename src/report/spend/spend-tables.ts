import { partIn } from '../../history/attempt-history.ts';
import {
  plannerCalls,
  plannerNumbers,
  RunTotals,
  type SpendNumbers,
  withPlanner,
} from '../../history/totals.ts';
import type { AttemptRecord } from '../../model/history.ts';
import type { RunRecord } from '../../model/run-record.ts';

/** Usage of some turns and one-shot calls. `name` is `null` if they have no name of this kind. */
export interface SpendRow extends SpendNumbers {
  readonly name: string | null;
}

/**
 * Spend of a run. Every table adds up to `totals`. The calls of the planner belong to no slot and no task: their row
 * there is `null`. In `byModel`, `null` is an agent's default model.
 */
export interface SpendTables {
  readonly totals: SpendNumbers;
  readonly bySlot: readonly SpendRow[];
  readonly byAgent: readonly SpendRow[];
  readonly byModel: readonly SpendRow[];
  /** Most tokens first. */
  readonly byTask: readonly SpendRow[];
}

/** `attempts` are those that the run drove. */
export function spendTablesOf(
  run: Pick<RunRecord, 'id' | 'batches' | 'revisions'>,
  attempts: readonly AttemptRecord[],
): SpendTables {
  const sums = new RunTotals(attempts.map((attempt) => partIn(attempt, run.id)));
  const spent = plannerCalls(run);
  const own = sums.sums();
  const { totals, byAgent, byModel = [] } = withPlanner(own, spent) ?? own;
  const planner = plannerNumbers(spent);
  const unnamed: SpendRow[] = planner.turns === 0 ? [] : [{ name: null, ...planner }];
  return {
    totals,
    bySlot: [
      ...sums
        .bySlot()
        .toSorted((a, b) => a.slot - b.slot)
        .map(({ slot, ...numbers }) => ({ name: String(slot), ...numbers })),
      ...unnamed,
    ],
    byAgent: byAgent.map(({ agent, ...numbers }) => ({ name: agent, ...numbers })),
    byModel: byModel.map(({ model, reported: _, ...numbers }) => ({ name: model, ...numbers })),
    byTask: [
      ...sums.byTask().map(({ task, ...numbers }) => ({ name: task, ...numbers })),
      ...unnamed,
    ].sort((a, b) => b.total - a.total),
  };
}

/** Share of the input that came from the cache of a service, from 0 to 1; undefined without input. */
export function cacheShare({
  input,
  cacheRead,
  cacheWrite,
}: Pick<SpendNumbers, 'input' | 'cacheRead' | 'cacheWrite'>): number | undefined {
  const all = input + cacheRead + cacheWrite;
  return all === 0 ? undefined : cacheRead / all;
}

/** Each number of two rows, combined. */
function combined(
  a: SpendNumbers,
  b: SpendNumbers,
  combine: (x: number, y: number) => number,
): SpendNumbers {
  const none = plannerNumbers([]);
  const keys = Object.keys(none) as (keyof SpendNumbers)[];
  return { ...none, ...Object.fromEntries(keys.map((key) => [key, combine(a[key], b[key])])) };
}

export function sumOfRows(rows: readonly SpendNumbers[]): SpendNumbers {
  return rows.reduce((sum, row) => combined(sum, row, (x, y) => x + y), plannerNumbers([]));
}

/** Difference of `all` and `part`. */
export function difference(all: SpendNumbers, part: SpendNumbers): SpendNumbers {
  return combined(all, part, (x, y) => x - y);
}
