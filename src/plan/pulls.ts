import type { Command } from '../model/command.ts';
import type { PullWatch, RunRecord } from '../model/run-record.ts';
import { nextPollAt, startWatch } from './pull-watch.ts';
import type { State } from './state.ts';

/** Delivered branches that are not known to be merged. Several tasks may share one. */
export function openPulls(state: State): readonly string[] {
  const branches = [...state.delivered].flatMap((id) => {
    const status = state.task(id)?.status;
    return status?.id === 'delivered' ? [status.branch] : [];
  });
  return [...new Set(branches)];
}

export interface PullCommands {
  readonly commands: readonly Command[];
  /** Time of the next poll; absent if the run does not wait for pull requests. */
  readonly wakeAt?: number;
}

/** Polls delivered pull requests once when a run starts, and repeatedly while an idle run waits for them. */
export function watchPulls(state: State, run: RunRecord, idle: boolean, now: number): PullCommands {
  const branches = openPulls(state);
  if (branches.length === 0) return { commands: [] };
  const poll: Command = { type: 'watch-pulls', branches };
  if (run.pullWatch === undefined) {
    const own = `yard/${run.id}/`;
    const isNew = run.resumedAt === undefined && branches.every((one) => one.startsWith(own));
    if (!isNew) return { commands: [poll] };
  }
  const end = (run.idleSince ?? run.startedAt) + (run.settings.deliveryWaitMs ?? 0);
  if (!idle || now >= end) return { commands: [] };
  const next = nextPollAt(watchOf(run, branches));
  if (next === undefined) return { commands: [] };
  return next <= now ? { commands: [poll] } : { commands: [], wakeAt: Math.min(next, end) };
}

export function watchOf(run: RunRecord, branches: readonly string[]): PullWatch {
  const since = run.idleSince ?? run.startedAt;
  return run.pullWatch === undefined ? startWatch(branches, since) : { ...run.pullWatch, branches };
}
