import { nextPollAt, startWatch, type Watch } from '../delivery/watch.ts';
import type { Command } from '../model/command.ts';
import type { RunRecord } from './record.ts';
import type { State } from './state.ts';

/** Branches that were handed over and are not merged as far as is known. Several tasks may be on one of them. */
export function openPulls(state: State): readonly string[] {
  const branches = [...state.delivered].flatMap((id) => {
    const status = state.task(id)?.status;
    return status?.id === 'delivered' ? [status.branch] : [];
  });
  return [...new Set(branches)];
}

export interface PullCommands {
  readonly commands: readonly Command[];
  /** When to look next; absent where nobody waits for anything. */
  readonly wakeAt?: number;
}

/**
 * Looks at what was handed over once when a run begins, because much may have happened since, and again from time to time while
 * a run that has nothing else to do stays for them.
 */
export function watchPulls(state: State, run: RunRecord, idle: boolean, now: number): PullCommands {
  const branches = openPulls(state);
  if (branches.length === 0) return { commands: [] };
  const look: Command = { type: 'watch-pulls', branches };
  if (run.pullWatch === undefined) {
    const own = `yard/${run.id}/`;
    const isNew = run.resumedAt === undefined && branches.every((one) => one.startsWith(own));
    if (!isNew) return { commands: [look] };
  }
  const end = (run.idleSince ?? run.startedAt) + (run.settings.deliveryWaitMs ?? 0);
  if (!idle || now >= end) return { commands: [] };
  const next = nextPollAt(watchOf(run, branches));
  if (next === undefined) return { commands: [] };
  return next <= now ? { commands: [look] } : { commands: [], wakeAt: Math.min(next, end) };
}

export function watchOf(run: RunRecord, branches: readonly string[]): Watch {
  const since = run.idleSince ?? run.startedAt;
  return run.pullWatch === undefined ? startWatch(branches, since) : { ...run.pullWatch, branches };
}
