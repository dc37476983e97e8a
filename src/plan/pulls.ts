import type { Command, DeliveredBranch } from '../model/command.ts';
import { deliveredBranch } from '../model/command-facts.ts';
import type { PullWatch, RunRecord } from '../model/run-record.ts';
import { nextPollAt, startWatch } from './pull-watch.ts';
import type { State } from './state.ts';

/** Delivered branches that are not known to be merged. Several tasks may share one. */
function openPulls(state: State): readonly DeliveredBranch[] {
  const open = [...state.delivered].flatMap((id) => deliveredBranch(state.task(id)?.status));
  return [...new Map(open.map((one) => [one.branch, one])).values()];
}

export interface PullCommands {
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
