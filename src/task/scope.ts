import type { Records } from '../model/records.ts';
import type { Scope } from '../model/run.ts';
import { hasEnded, type RunRecord } from '../model/run-record.ts';
import { names, type Of, object, optional, text } from '../model/shape.ts';
import {
  epicType,
  followedUpBy,
  followUpPrefix,
  isCounted,
  type Task,
  type TaskId,
} from '../model/task.ts';
import type { TaskRecord } from '../model/task-record.ts';
import { conflictOf, conflictPrefix } from './conflict.ts';

export const ScopedTask = object({
  id: text,
  type: text,
  labels: names,
  parent: optional(text),
  variantOf: optional(text),
});
export type ScopedTask = Of<typeof ScopedTask>;

/**
 * Tests whether a run may work on a task. A task of an epic, a variant, or one filed for another task (a follow-up, a plan's
 * task, a conflict), is in the scope if that one is; `find` looks it up. So each condition of the scope may hold for any of
 * them, and a task is excepted if one of them is.
 */
export function inScope(
  scope: Scope,
  find: (id: TaskId) => ScopedTask | undefined = () => undefined,
): (task: ScopedTask) => boolean {
  const isExcepted = excepted(scope);
  const conditions = conditionsOf(scope);
  if (conditions.length === 0 && isExcepted === undefined) return () => true;
  return (task) => {
    const lineage = new Set<ScopedTask>([task]);
    for (const at of lineage) {
      for (const origin of [at.parent, at.variantOf, followedUpBy(at), conflictOf(at)]) {
        const found = origin === undefined ? undefined : find(origin);
        if (found !== undefined) lineage.add(found);
      }
    }
    const all = [...lineage];
    return isExcepted?.(all) !== true && conditions.every((holds) => all.some(holds));
  };
}

function excepted({
  except = [],
}: Scope): ((lineage: readonly ScopedTask[]) => boolean) | undefined {
  if (except.length === 0) return undefined;
  const ids = new Set(except);
  return (lineage) => lineage.some(({ id }) => ids.has(id));
}

type Condition = (task: ScopedTask) => boolean;

function conditionsOf(scope: Scope): readonly Condition[] {
  const labels = new Set(scope.labels);
  const types = new Set(scope.types);
  return [
    ...namedBy(scope),
    ...(labels.size === 0
      ? []
      : [(task: ScopedTask) => task.labels.some((one) => labels.has(one))]),
    ...(types.size === 0 ? [] : [(task: ScopedTask) => types.has(task.type)]),
  ];
}

function namedBy(scope: Scope): readonly Condition[] {
  switch (scope.kind) {
    case 'ready':
      return [];
    case 'only': {
      const tasks = new Set(scope.tasks);
      return [(task) => tasks.has(task.id)];
    }
    case 'epics': {
      const epics = new Set(scope.epics);
      const labels = new Set(scope.epics.map((epic) => `epic:${epic}`));
      return [(task) => epics.has(task.id) || task.labels.some((label) => labels.has(label))];
    }
  }
}

/** True if the run works on every task. */
export function isWhole({ kind, labels = [], types = [], except = [] }: Scope): boolean {
  return kind === 'ready' && [labels, types, except].every((names) => names.length === 0);
}

/** The scope that counts of tasks cover: that of a run that goes on. Undefined stands for all tasks. */
export function countedScope(run: RunRecord | undefined): Scope | undefined {
  if (run === undefined || hasEnded(run) || isWhole(run.settings.scope)) return undefined;
  return run.settings.scope;
}

/** Texts that mark a task with an origin: its stored JSON contains at least one of them. */
export const originTexts: readonly string[] = [
  '"parent":"',
  '"variantOf":"',
  `"${followUpPrefix}`,
  `"${conflictPrefix}`,
];

/** How a store finds tasks that meet a condition of a scope: by their ids, or by a text in their stored JSON. */
interface ScopeSigns {
  readonly ids: readonly TaskId[];
  readonly texts: readonly string[];
}

/** True if the scope has no condition: it holds all tasks but the excepted ones. */
function onlyExcepts(scope: Scope): boolean {
  return conditionsOf(scope).length === 0;
}

/**
 * Ids and texts by which a store finds the tasks that a scope needs, in addition to those with an origin. `inScope` need
 * not find the others: they are outside or, if the scope only excepts tasks, inside.
 */
export function scopeSigns(scope: Scope): ScopeSigns {
  const { labels = [], types = [], except = [] } = scope;
  const epics = scope.kind === 'epics' ? scope.epics : [];
  const listed = scope.kind === 'only' ? scope.tasks : epics;
  const words = [...labels, ...types, ...epics.map((epic) => `epic:${epic}`)];
  return { ids: [...listed, ...except], texts: words.map((word) => JSON.stringify(word)) };
}

export function idsInScope(scope: Scope, tasks: readonly ScopedTask[]): readonly TaskId[] {
  return tasks.filter(withinScope(scope, tasks)).map(({ id }) => id);
}

/** Which tasks are in a scope, in few ids: those in it, or, if it only excepts tasks, those outside. */
export interface ScopedIds {
  readonly ids: readonly TaskId[];
  readonly are: 'inside' | 'outside';
}

/** Like `idsInScope`, from the tasks that decide the scope. */
export function scopedIds(scope: Scope, deciding: readonly ScopedTask[]): ScopedIds {
  const within = withinScope(scope, deciding);
  const are = onlyExcepts(scope) ? 'outside' : 'inside';
  const named = deciding.filter((task) => within(task) === (are === 'inside'));
  return { ids: named.map(({ id }) => id), are };
}

function withinScope(scope: Scope, tasks: readonly ScopedTask[]): (task: ScopedTask) => boolean {
  const byId = new Map(tasks.map((task) => [task.id, task]));
  return inScope(scope, (id) => byId.get(id));
}

/**
 * Tasks that a run reports on: those that count, and an epic that a person blocked. One canceled before the run started or
 * was resumed counts only if it was named, and one added after its end does not count.
 */
export function recordsInScope(
  records: readonly TaskRecord[],
  scope: Scope,
  run: Pick<RunRecord, 'startedAt' | 'resumedAt' | 'phase'> | undefined,
  find = finder(records),
): readonly TaskRecord[] {
  const within = inScope(scope, find);
  const named = new Set(scope.kind === 'only' ? scope.tasks : []);
  const since = run?.resumedAt ?? run?.startedAt ?? Number.POSITIVE_INFINITY;
  const endSeq = run?.phase.id === 'ended' ? run.phase.seq : undefined;
  return records.filter(({ task, status, order }) => {
    const isReported = isCounted(task) || (task.type === epicType && status.id === 'blocked');
    if (!isReported || (endSeq !== undefined && order > endSeq)) return false;
    const isOld = status.id === 'canceled' && status.at < since;
    return within(task) && (named.has(task.id) || !isOld);
  });
}

/** Looks up tasks in a list of records, for `inScope`. */
export function finder(records: readonly TaskRecord[]): (id: TaskId) => Task | undefined {
  const byId = new Map(records.map(({ task }) => [task.id, task]));
  return (id) => byId.get(id);
}

/** Counts a new task for the run whose attempt filed it. A person's task counts for no run. */
export function recordFiledTask(records: Records, task: Task): void {
  const origin = followedUpBy(task) ?? conflictOf(task);
  const attempt = origin === undefined ? undefined : records.task(origin)?.attempt;
  const run = attempt === undefined ? undefined : records.run(attempt.run);
  if (run === undefined || hasEnded(run)) return;
  records.putRun({ ...run, filedTasks: [...run.filedTasks, task.id] });
}

/** Tasks filed beyond the run's limit. They stay open, and the run does not work on them. */
export function tasksOverLimit({
  filedTasks: filed,
  settings,
}: Pick<RunRecord, 'filedTasks' | 'settings'>) {
  const { newTasks } = settings;
  return newTasks === undefined ? [] : filed.slice(newTasks);
}

export function isOverLimit(run: RunRecord | undefined, id: TaskId): boolean {
  return run !== undefined && tasksOverLimit(run).includes(id);
}
