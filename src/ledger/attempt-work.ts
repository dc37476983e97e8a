import { type Failure, unreachable } from '../model/failure.ts';
import { given } from '../model/given.ts';
import type { AttemptRecord } from '../model/history.ts';
import type { RunId } from '../model/run.ts';
import type { TaskId } from '../model/task.ts';

/** Attempt that captured work, as the ledger needs it. */
export interface AttemptWork {
  readonly run: RunId;
  readonly task: TaskId;
  readonly attempt: number;
  readonly branch: string;
  /** Every commit once, ordered by last capture. Never empty. */
  readonly captures: AttemptRecord['captures'];
  readonly end: AttemptEnd;
  /** Next attempt at the same task, even without captured work. */
  readonly next?: number;
}

export type AttemptEnd =
  /** `entry` is the attempt's queued commit. */
  | { readonly id: 'landed'; readonly entry: string; readonly commit: string }
  | {
      readonly id: 'delivered';
      readonly entry: string;
      readonly branch: string;
      readonly url?: string;
    }
  /** Given up or failed; no failure if there was nothing to land. */
  | { readonly id: 'over'; readonly failure?: Failure }
  /** `candidates`: commits that put the work on the target when they land. */
  | { readonly id: 'live'; readonly candidates: readonly string[] };

/** Attempts that captured work, in order of their start. */
export function attemptsWithWork(attempts: readonly AttemptRecord[]): readonly AttemptWork[] {
  return attempts
    .filter(({ captures }) => captures.length > 0)
    .map((record) => {
      const { task, number: attempt, branch, captures } = record;
      const later = attempts.filter((one) => one.task === task && one.number > attempt);
      const next = Math.min(...later.map(({ number }) => number));
      return {
        run: record.runs[0] ?? '',
        task,
        attempt,
        branch,
        captures,
        end: endOf(record),
        ...(Number.isFinite(next) ? { next } : {}),
      };
    });
}

function endOf({ end, prefixes }: AttemptRecord): AttemptEnd {
  switch (end.id) {
    case 'live':
      return { id: 'live', candidates: prefixes.map(({ commit }) => commit) };
    case 'landed':
      return { id: 'landed', entry: end.work, commit: end.commit };
    case 'delivered':
      return { id: 'delivered', entry: end.work, branch: end.branch, ...given({ url: end.url }) };
    case 'planned':
      return { id: 'over' };
    case 'giving-up':
    case 'failed':
      return { id: 'over', failure: end.failure };
    default:
      return unreachable(end);
  }
}
