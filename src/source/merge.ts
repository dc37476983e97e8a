import { buildGraph } from '../graph/graph.ts';
import { type Failure, fail, ok, type Result } from '../model/failure.ts';
import type { Task, TaskId } from '../model/task.ts';

/** A stored task. */
export interface Known {
  readonly task: Task;
  /** True while an attempt works on it. */
  readonly busy: boolean;
  /** Its state as users see it. */
  readonly state: string;
}

export interface Import {
  readonly added: readonly Task[];
  readonly changed: readonly Task[];
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
  existing: readonly Known[],
  incoming: readonly Task[],
  sources: readonly string[] = [],
): Result<Import, readonly Failure[]> {
  const known = new Map(existing.map((one) => [one.task.id, one]));
  const seen = new Set<TaskId>();
  const added: Task[] = [];
  const changed: Task[] = [];
  const same: TaskId[] = [];
  const landed: TaskId[] = [];
  const moved: Task[] = [];
  const failures: Failure[] = [];
  for (const task of incoming) {
    const before = known.get(task.id);
    if (before === undefined || seen.has(task.id)) added.push(task);
    else if (isSame(before.task, task)) {
      same.push(task.id);
      if (isMoved(before.task, task)) moved.push(withSource(before.task, task.source));
    } else if (before.state === 'landed') landed.push(task.id);
    else if (before.busy) {
      failures.push({ kind: 'task-busy', task: task.id, state: before.state, wanted: 'change it' });
    } else changed.push(withSource(task, task.source ?? before.task.source));
    seen.add(task.id);
  }
  const changedById = new Map(changed.map((task) => [task.id, task]));
  // A second task under an incoming id is in `added`, so that the graph names it as a duplicate.
  const graph = buildGraph([
    ...existing.map(({ task }) => changedById.get(task.id) ?? task),
    ...added,
  ]);
  if (!graph.ok) failures.push(...graph.failure);
  if (failures.length > 0) return fail(failures);
  const removed = removedFrom(sources, existing, seen);
  return ok({ added, changed, same, landed, moved, removed });
}

/** A task without a source, given by hand, keeps the source it had. */
function isMoved(before: Task, { source }: Task): boolean {
  return source !== undefined && source !== before.source;
}

function withSource(task: Task, source: string | undefined): Task {
  return source === undefined ? task : { ...task, source };
}

const finished = new Set(['landed', 'delivered', 'skipped', 'canceled']);

function removedFrom(
  sources: readonly string[],
  existing: readonly Known[],
  incoming: ReadonlySet<TaskId>,
): readonly Removed[] {
  return existing.flatMap(({ task: { id, source }, state }) => {
    const isGone = source !== undefined && sources.includes(source) && !incoming.has(id);
    return isGone && !finished.has(state) ? [{ source, id }] : [];
  });
}

/** True if two tasks have the same contents. Only `checks` is compared in order. */
export function isSame(a: Task, b: Task): boolean {
  return (
    a.id === b.id &&
    a.title === b.title &&
    a.body === b.body &&
    a.priority === b.priority &&
    a.type === b.type &&
    a.scope === b.scope &&
    a.agent === b.agent &&
    sameMembers(a.after, b.after) &&
    sameMembers(a.labels, b.labels) &&
    sameMembers(a.paths, b.paths) &&
    a.checks.length === b.checks.length &&
    a.checks.every((check, at) => check === b.checks[at])
  );
}

function sameMembers(a: readonly string[], b: readonly string[]): boolean {
  const left = new Set(a);
  const right = new Set(b);
  return left.size === right.size && [...left].every((item) => right.has(item));
}
