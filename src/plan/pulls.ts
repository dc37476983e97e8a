import type { Command, DeliveredBranch } from '../model/command.ts';
import { deliveredBranch } from '../model/command-facts.ts';
import { limits } from '../model/limits.ts';
import type { Pull, PullWatch, RunRecord } from '../model/run-record.ts';
import type { State } from './state.ts';

/** Delivered branches that are not known to be merged. Several tasks may share one. */
function openPulls(state: State): readonly DeliveredBranch[] {
  const open = [...state.delivered].flatMap((id) => deliveredBranch(state.task(id)?.status));
  return [...new Map(open.map((one) => [one.branch, one])).values()];
}

interface PullCommands {
  readonly commands: readonly Command[];
  /** Time of the next poll; absent if the run does not wait for pull requests. */
  readonly wakeAt?: number;
}

/** Polls delivered pull requests once when a run starts, and repeatedly while an idle run waits for them. */
export function watchPulls(state: State, run: RunRecord, idle: boolean, now: number): PullCommands {
  const pulls = openPulls(state);
  if (pulls.length === 0) return { commands: [] };
  const branches = pulls.map(({ branch }) => branch);
  const poll: Command = { type: 'watch-pulls', pulls };
  if (run.pullWatch === undefined) {
    const own = `yard/${run.id}/`;
    const isNew = run.resumedAt === undefined && branches.every((one) => one.startsWith(own));
    if (!isNew) return { commands: [poll] };
  }
  const end = run.idleSince + (run.settings.deliveryWaitMs ?? 0);
  if (!idle || now >= end) return { commands: [] };
  const next = nextPollAt(watchOf(run, branches));
  if (next === undefined) return { commands: [] };
  return next <= now ? { commands: [poll] } : { commands: [], wakeAt: Math.min(next, end) };
}

export function watchOf(run: RunRecord, branches: readonly string[]): PullWatch {
  return run.pullWatch === undefined
    ? startWatch(branches, run.idleSince)
    : { ...run.pullWatch, branches };
}

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
