import { limits } from '../model/limits.ts';
import type { Pull, PullWatch } from '../model/run-record.ts';

/** The pull requests were just opened, so the first poll can wait. */
export function startWatch(branches: readonly string[], now: number): PullWatch {
  return { branches, changedAt: now, askedAt: now, quiet: 0, states: [] };
}

/** State after a poll; `states` is undefined if the poll failed. */
export function polled(
  watch: PullWatch,
  states: readonly Pull[] | undefined,
  now: number,
): PullWatch {
  if (states === undefined || isSame(watch.states, states)) {
    return { ...watch, askedAt: now, quiet: watch.quiet + 1 };
  }
  return { ...watch, changedAt: now, askedAt: now, quiet: 0, states };
}

/** Time of the next poll; undefined if all are settled, or nothing changed for too long. */
export function nextPollAt(watch: PullWatch): number | undefined {
  const { branches, states, quiet, askedAt, changedAt } = watch;
  const settled = new Set(states.filter(isSettled).map(({ branch }) => branch));
  if (branches.every((branch) => settled.has(branch))) return undefined;
  if (askedAt - changedAt >= limits.pullPatienceMs) return undefined;
  // The power may become infinite; the maximum still limits it.
  return askedAt + Math.min(limits.pullWatchMs * 2 ** quiet, limits.pullWatchMaxMs);
}

/** True if the pull request will not change by itself. */
export function isSettled({ state }: Pull): boolean {
  return state !== 'open';
}

function isSame(before: readonly Pull[], after: readonly Pull[]): boolean {
  const known = new Set(before.map(stateKey));
  return before.length === after.length && after.every((pull) => known.has(stateKey(pull)));
}

function stateKey({ branch, number, state, checks, mergeCommit = '' }: Pull): string {
  return [branch, number, state, checks, mergeCommit].join(' ');
}
