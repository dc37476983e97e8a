import { ok, type Result } from '../model/failure.ts';
import type { Scope, StopReason } from '../model/run.ts';
import { type RunRecord, stopOf } from '../model/run-record.ts';
import { satisfies, type TaskRecord } from '../model/task-record.ts';
import { type RunResult, resultOf } from '../report/summary/result.ts';
import { recordsInScope } from '../task/scope.ts';
import type { Project } from './ports.ts';

/** How a run ended for whoever started it. */
export interface Outcome {
  /** Exit status of a program that did nothing but this run. */
  readonly exit: number;
  readonly result: RunResult;
}

export function outcomeOf(run: RunRecord, tasks: readonly TaskRecord[]): Outcome {
  return { exit: exitOf(run, tasks), result: resultOf(tasks, run.settings.scope, run) };
}

/** The outcome if no task in scope can start; a success only if all of them are done. */
export async function outcomeOfNothing(
  project: Pick<Project, 'openStore'>,
  scope: Scope,
): Promise<Result<Outcome & { readonly tasks: 'none' | 'done' | 'stuck' }>> {
  const store = await project.openStore('read');
  if (!store.ok) return store;
  const tasks = await store.value.tasks();
  await store.value.close();
  if (!tasks.ok) return tasks;
  const mine = recordsInScope(tasks.value, scope, undefined);
  const isAllDone = mine.every(isDone);
  return ok({
    exit: isAllDone ? 0 : 1,
    result: resultOf(tasks.value, scope, undefined),
    tasks: mine.length === 0 ? 'none' : isAllDone ? 'done' : 'stuck',
  });
}

const early: Readonly<Partial<Record<StopReason, number>>> = {
  canceled: 4,
  'stop-asked': 4,
  'budget-tokens': 4,
  'budget-cost': 4,
  'budget-wall': 4,
  'max-attempts': 4,
  quota: 4,
  environment: 3,
  'slot-errors': 3,
  died: 3,
};

/**
 * The exit status of a run. If every task is done, a request to stop does not matter; a red target outweighs tasks that
 * did not land.
 */
export function exitOf(run: RunRecord | undefined, tasks: readonly TaskRecord[]): number {
  if (run === undefined) return 70;
  const all = recordsInScope(tasks, run.settings.scope, run).every(isDone);
  const red = run.target.verified?.kind === 'failed' || run.target.verified?.kind === 'timed-out';
  if (all) return red ? 5 : 0;
  const stop = stopOf(run);
  return (stop === undefined ? undefined : early[stop.reason]) ?? (red ? 5 : 1);
}

/** True if a run can do nothing more for the task; delivered work waits to be merged by others. */
function isDone(record: TaskRecord): boolean {
  return record.status.id === 'delivered' || satisfies(record);
}
