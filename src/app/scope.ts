import { didYouMean, nearest } from '../graph/nearest.ts';
import { fail, ok, type Result, usage } from '../model/failure.ts';
import type { Scope } from '../model/run.ts';
import { epicType, type Task, type TaskId } from '../model/task.ts';
import { satisfies, type TaskRecord } from '../model/task-record.ts';
import { firstOf, unknownTask } from './lookup.ts';

export interface KnownTasks {
  readonly tasks: readonly Task[];
  readonly closed: ReadonlySet<TaskId>;
}

/** The stored tasks and those about to be imported, which replace stored ones. */
export function knownTasks(
  records: readonly TaskRecord[],
  incoming: readonly Task[] = [],
): KnownTasks {
  const isClosed = (record: TaskRecord): boolean =>
    satisfies(record) || record.status.id === 'canceled';
  const closed = new Set(records.filter(isClosed).map(({ task }) => task.id));
  for (const { id } of incoming) closed.delete(id);
  return { tasks: [...records.map(({ task }) => task), ...incoming], closed };
}

/** Refuses a scope that names tasks, epics, labels or types which do not exist, or an epic that is closed. */
export function checkScope(scope: Scope, known: KnownTasks): Result<Scope> {
  const { tasks, closed } = known;
  const ids = new Set(tasks.map(({ id }) => id));
  const named = [...(scope.kind === 'only' ? scope.tasks : []), ...(scope.except ?? [])];
  const missing = named.find((id) => !ids.has(id));
  if (missing !== undefined) return fail(unknownTask(missing, [...ids]));
  if (scope.kind === 'epics') {
    const epics = new Set(tasks.flatMap(epicsOf));
    const wrong = scope.epics.find((epic) => !epics.has(epic));
    if (wrong !== undefined) return unknownEpic(wrong, epics, ids);
    const done = scope.epics.find((epic) => closed.has(epic));
    if (done !== undefined) {
      return usage(`the epic "${done}" is closed`, `\`ym why ${done}\` explains it.`);
    }
  }
  const labels = new Set(tasks.flatMap((task) => task.labels));
  const types = new Set(tasks.map(({ type }) => type));
  const label = scope.labels?.find((one) => !labels.has(one));
  if (label !== undefined) return unknownWord('label', label, labels);
  const type = scope.types?.find((one) => !types.has(one));
  return type === undefined ? ok(scope) : unknownWord('type', type, types);
}

function unknownEpic(
  epic: string,
  epics: ReadonlySet<string>,
  ids: ReadonlySet<TaskId>,
): Result<never> {
  const near = didYouMean(nearest(epic, epics));
  const list =
    epics.size === 0
      ? 'No task is an epic, has a parent or an epic: label.'
      : `Epics are ${firstOf([...epics])}.`;
  const problem = ids.has(epic)
    ? `the task "${epic}" is not an epic`
    : `there is no epic "${epic}"`;
  return usage(problem, `${near}${list}`);
}

function unknownWord(what: string, word: string, known: ReadonlySet<string>): Result<never> {
  const list = known.size === 0 ? `No task has a ${what}.` : `There are ${firstOf([...known])}.`;
  return usage(`no task has the ${what} "${word}"`, `${didYouMean(nearest(word, known))}${list}`);
}

/** Epics that a task shows to exist: itself, its parent, and those of its labels. */
export function epicsOf({ id, type, parent, labels }: Task): readonly string[] {
  const named = labels.filter((label) => label.startsWith('epic:'));
  return [
    ...(type === epicType ? [id] : []),
    ...(parent === undefined ? [] : [parent]),
    ...named.map((label) => label.slice('epic:'.length)),
  ];
}
