import { graphProblems } from '../graph/graph.ts';
import { nearest } from '../graph/nearest.ts';
import { defined } from '../model/defined.ts';
import { type Failure, fail, ok, type Result } from '../model/failure.ts';
import { epicType, type Task, type TaskId } from '../model/task.ts';

export interface StoredTask {
  readonly task: Task;
  /** True while an attempt works on it. */
  readonly busy: boolean;
  readonly state: string;
}

export interface Import {
  readonly added: readonly Task[];
  readonly changed: readonly Task[];
  /** Tasks that `changed` replaces, in the same order. */
  readonly replaced: readonly Task[];
  /** Stored tasks that come unchanged. */
  readonly same: readonly TaskId[];
  /** Landed tasks that come with changes, which are ignored. */
  readonly landed: readonly TaskId[];
  /** Unchanged tasks that come from another source than before. */
  readonly moved: readonly Task[];
  /** Unfinished tasks that are no longer in their source. */
  readonly removed: readonly Removed[];
}

export interface Removed {
  readonly source: string;
  readonly id: TaskId;
}

/**
 * Plans the import of `incoming`, or refuses all of it. The graph of stored and new tasks must be sound afterwards. A
 * task with an attempt at work cannot be changed. `sources` were read completely: tasks that came from them before and
 * are not in `incoming` were removed.
 */
export function planImport(
  existing: readonly StoredTask[],
  incoming: readonly Task[],
  sources: readonly string[] = [],
): Result<Import, readonly Failure[]> {
  const known = new Map(existing.map((one) => [one.task.id, one]));
  const members = membersOf(existing, incoming);
  const split = splitTasks(existing, sources);
  const seen = new Set<TaskId>();
  const added: Task[] = [];
  const changed: Task[] = [];
  const replaced: Task[] = [];
  const same: TaskId[] = [];
  const landed: TaskId[] = [];
  const moved: Task[] = [];
  const failures: Failure[] = [];
  for (const one of incoming) {
    const before = known.get(one.id);
    const whole = split.has(one.id) ? { ...one, type: epicType } : one;
    const task = withDecisions(withMembers(whole, members), before?.task);
    if (before === undefined || seen.has(task.id)) added.push(task);
    else if (isSame(before.task, task)) {
      same.push(task.id);
      if (isMoved(before.task, task)) moved.push(withSource(before.task, task.source));
    } else if (before.state === 'landed') landed.push(task.id);
    else if (before.busy) {
      failures.push({ kind: 'task-busy', task: task.id, state: before.state, wanted: 'change it' });
    } else {
      changed.push(withSource(task, task.source ?? before.task.source));
      replaced.push(before.task);
    }
    seen.add(task.id);
  }
  const changedById = new Map(changed.map((task) => [task.id, task]));
  // A second task under an incoming id is in `added`, so that the graph names it as a duplicate.
  const merged = [
    ...existing.map(({ task }) => withMembers(changedById.get(task.id) ?? task, members)),
    ...added,
  ];
  failures.push(...graphProblems(merged));
  failures.push(...missingEpics(incoming, new Set([...known.keys(), ...seen])));
  if (failures.length > 0) return fail(failures);
  const removed = removedFrom(sources, existing, seen);
  return ok({ added, changed, replaced, same, landed, moved, removed });
}

function missingEpics(incoming: readonly Task[], ids: ReadonlySet<TaskId>): readonly Failure[] {
  return incoming.flatMap(({ id, parent }) => {
    if (parent === undefined || ids.has(parent)) return [];
    const near = { nearest: nearest(parent, ids) };
    return [
      { kind: 'missing-dependency', task: id, missing: parent, key: 'parent', ...near } as const,
    ];
  });
}

/** Tasks by the parent that they name, after the import. */
function membersOf(
  existing: readonly StoredTask[],
  incoming: readonly Task[],
): ReadonlyMap<TaskId, readonly TaskId[]> {
  const tasks = [...existing.map(({ task }) => task), ...incoming];
  const members = new Map<TaskId, TaskId[]>();
  for (const { id, parent } of new Map(tasks.map((task) => [task.id, task])).values()) {
    if (parent === undefined) continue;
    const known = members.get(parent);
    if (known === undefined) members.set(parent, [id]);
    else known.push(id);
  }
  return members;
}

/** Tasks of these sources that were split here: they stay epics, or an agent would do the work of their parts again. */
function splitTasks(
  existing: readonly StoredTask[],
  sources: readonly string[],
): ReadonlySet<TaskId> {
  const ownParts = existing.flatMap(({ task: { parent, source } }) =>
    parent === undefined || source !== undefined ? [] : [parent],
  );
  const parents = new Set(ownParts);
  const isSplit = ({ task: { id, type, source } }: StoredTask): boolean =>
    type === epicType && source !== undefined && sources.includes(source) && parents.has(id);
  return new Set(existing.filter(isSplit).map(({ task }) => task.id));
}

function withMembers(task: Task, members: ReadonlyMap<TaskId, readonly TaskId[]>): Task {
  const own = task.type === epicType ? members.get(task.id) : undefined;
  if (own === undefined) return task;
  return { ...task, after: [...new Set([...task.after, ...own])] };
}

/** Dependencies that a person added or rejected stay so, unless the task itself says which. */
function withDecisions(task: Task, before: Task | undefined): Task {
  const rejected = task.rejected ?? before?.rejected;
  const kept = { ...task, ...defined({ rejected }) };
  if (before?.applied === undefined || task.applied !== undefined) return kept;
  const { applied } = before;
  return { ...kept, after: [...new Set([...task.after, ...applied])], applied };
}

/** A task without a source, given by hand, keeps the source it had. */
function isMoved(before: Task, { source }: Task): boolean {
  return source !== undefined && source !== before.source;
}

function withSource(task: Task, source: string | undefined): Task {
  return source === undefined ? task : { ...task, source };
}

/** States of tasks that nobody works on any more. */
export const finishedStates: ReadonlySet<string> = new Set([
  'landed',
  'delivered',
  'skipped',
  'done',
  'canceled',
]);

function removedFrom(
  sources: readonly string[],
  existing: readonly StoredTask[],
  incoming: ReadonlySet<TaskId>,
): readonly Removed[] {
  return existing.flatMap(({ task: { id, source }, state }) => {
    const isGone = source !== undefined && sources.includes(source) && !incoming.has(id);
    return isGone && !finishedStates.has(state) ? [{ source, id }] : [];
  });
}

/** A key in which two versions of a task differ. Undefined: the task does not have it. */
export interface Difference {
  readonly key: string;
  readonly from: unknown;
  readonly to: unknown;
}

const single = [
  'title',
  'body',
  'priority',
  'type',
  'scope',
  'agent',
  'parent',
  'difficulty',
  'estimate',
  'link',
] as const;
const sets = ['after', 'labels', 'paths', 'acceptance'] as const;
const maybeSets = ['wait', 'rejected'] as const;

/** The keys in which two versions of a task differ. Only `checks` is compared in order. */
export function differences(a: Task, b: Task): readonly Difference[] {
  const keys = [
    ...single.filter((key) => a[key] !== b[key]),
    ...sets.filter((key) => !sameMembers(a[key], b[key])),
    ...maybeSets.filter((key) => !sameMembers(a[key] ?? [], b[key] ?? [])),
    ...(isSameList(a.checks, b.checks) ? [] : (['checks'] as const)),
    ...(JSON.stringify(a.attempts) === JSON.stringify(b.attempts) ? [] : (['attempts'] as const)),
  ];
  return keys.map((key) => ({ key, from: a[key], to: b[key] }));
}

/** True if two tasks have the same contents. */
export function isSame(a: Task, b: Task): boolean {
  return a.id === b.id && differences(a, b).length === 0;
}

function isSameList(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((one, at) => one === b[at]);
}

function sameMembers(a: readonly string[], b: readonly string[]): boolean {
  const left = new Set(a);
  const right = new Set(b);
  return left.size === right.size && [...left].every((item) => right.has(item));
}
