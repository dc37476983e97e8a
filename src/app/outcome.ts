import { ok, type Result } from '../model/failure.ts';
import type { Scope, StopReason } from '../model/run.ts';
import { type RunRecord, stopOf } from '../model/run-record.ts';
import { satisfies, type TaskRecord } from '../model/task-record.ts';
import { type RunResult, resultOf } from '../report/summary/result.ts';
import { recordsInScope } from '../task/scope.ts';
import { reading } from './lookup.ts';
import type { Project } from './ports.ts';

/**
 * Success of a run, or what prevented it: tasks that are left, a budget or a person, the environment, a red target.
 */
export type Ending = 'done' | 'incomplete' | 'stopped' | 'unusable' | 'red';

/** Ending of a run, with its counts and the tasks that did not land. */
export interface Outcome {
  readonly ending: Ending;
  readonly result: RunResult;
}

export function outcomeOf(run: RunRecord, tasks: readonly TaskRecord[]): Outcome {
  return { ending: endingOf(run, tasks), result: resultOf(tasks, run.settings.scope, run) };
}

/** The outcome if no task in scope can start; a success only if all of them are done. */
export async function outcomeWithoutRun(
  project: Pick<Project, 'openStore'>,
  scope: Scope,
): Promise<Result<Outcome & { readonly tasks: 'none' | 'done' | 'stuck' }>> {
  const tasks = await reading(project, (store) => store.tasks());
  if (!tasks.ok) return tasks;
  const mine = recordsInScope(tasks.value, scope, undefined);
  const isAllDone = mine.every(isDone);
  return ok({
    ending: isAllDone ? 'done' : 'incomplete',
    result: resultOf(tasks.value, scope, undefined),
    tasks: mine.length === 0 ? 'none' : isAllDone ? 'done' : 'stuck',
  });
}

const early: Readonly<Partial<Record<StopReason, Ending>>> = {
  canceled: 'stopped',
  'stop-asked': 'stopped',
  'budget-tokens': 'stopped',
  'budget-cost': 'stopped',
  'budget-wall': 'stopped',
  'max-attempts': 'stopped',
  quota: 'stopped',
  environment: 'unusable',
  'slot-errors': 'unusable',
  died: 'unusable',
};

/** If every task is done, a request to stop does not matter; a red target outweighs tasks that did not land. */
export function endingOf(run: RunRecord, tasks: readonly TaskRecord[]): Ending {
  const all = recordsInScope(tasks, run.settings.scope, run).every(isDone);
  const red = run.target.verified?.kind === 'failed' || run.target.verified?.kind === 'timed-out';
  if (all) return red ? 'red' : 'done';
  const stop = stopOf(run);
  return (stop === undefined ? undefined : early[stop.reason]) ?? (red ? 'red' : 'incomplete');
}

/** True if a run can do nothing more for the task; delivered work waits to be merged by others. */
function isDone(record: TaskRecord): boolean {
  return record.status.id === 'delivered' || satisfies(record);
}
