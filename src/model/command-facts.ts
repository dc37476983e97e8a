import { baseRefOf, handedRef, keepRefOf } from './branch.ts';
import type { Command, DeliveredBranch, SeenTarget } from './command.ts';
import type { QueueEntry } from './queue-entry.ts';
import type { RunRecord } from './run-record.ts';
import { neededLabels, type TaskId } from './task.ts';
import type { TaskRecord, TaskStatus } from './task-record.ts';
import { hasOutdatedCheck } from './train-record.ts';
import type { RedVerdict } from './verdict.ts';

/* Facts that decisions put into commands, so that they can be performed without the state. */

/** Source of the facts; see `State`. */
export interface Known extends Tasks {
  reds(tree: string): readonly RedVerdict[];
}

interface Tasks {
  task(id: TaskId): TaskRecord | undefined;
}

export function checksOf(records: Tasks, tasks: readonly TaskId[]): readonly string[] {
  return [...new Set(tasks.flatMap((id) => records.task(id)?.task.checks ?? []))];
}

/** Labels that a worker must have to judge the tasks. */
export function labelsFor(records: Tasks, tasks: readonly TaskId[]): readonly string[] {
  const known = tasks.flatMap((id) => records.task(id)?.task ?? []);
  return [...new Set(known.flatMap(neededLabels))];
}

export function tasksOf(entries: readonly QueueEntry[]): readonly TaskId[] {
  return entries.flatMap(({ id, coClaims = [] }) => [id, ...coClaims]);
}

/** The branch of a task that is delivered and not merged. */
export function deliveredBranch(status: TaskStatus | undefined): readonly DeliveredBranch[] {
  if (status?.id !== 'delivered') return [];
  const { branch, commit, url } = status;
  return [{ branch, commit, url }];
}

/** Refs that are obsolete once the work of an attempt has landed. */
export function obsoleteRefs(records: Tasks, { id }: QueueEntry): readonly string[] {
  const attempt = records.task(id)?.attempt;
  if (attempt === undefined) return [];
  const handed = attempt.handedIn === undefined ? [] : [handedRef(id)];
  const { branch } = attempt;
  return [`refs/heads/${branch}`, keepRefOf(branch), baseRefOf(branch), ...handed];
}

export function seenTarget({ target: { tip } }: RunRecord): SeenTarget {
  return { tip };
}

/** Judges a commit of the target, in the gate slot after those of candidates. */
export function judgeTarget(
  run: RunRecord,
  what: Pick<Extract<Command, { type: 'judge-target' }>, 'commit' | 'reason' | 'fresh'>,
): Command {
  const { settings, target } = run;
  const { gateSlots: slot = 1 } = settings;
  const outdated = hasOutdatedCheck(target);
  return { type: 'judge-target', ...what, slot, outdated, check: target.check };
}
