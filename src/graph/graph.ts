import type { CycleEdge } from '../model/cycle-edge.ts';
import { type Failure, fail, ok, type Result } from '../model/failure.ts';
import { epicType, type Task, type TaskId } from '../model/task.ts';
import { cycles } from './cycles.ts';
import { Heap } from './heap.ts';
import { nearest } from './nearest.ts';
import { childrenIn } from './unblocks.ts';

/** Tasks that can be worked on: ids are unique, every dependency exists and nothing waits for itself. */
export interface Graph {
  readonly tasks: ReadonlyMap<TaskId, Task>;
  /** The tasks that wait for `id`, in order of arrival. */
  children(id: TaskId): readonly TaskId[];
  /** Parents before children; among those that could come next, the one that arrived first. */
  readonly order: readonly TaskId[];
}

/** Unknown names that are compared with all known ones; the rest of a badly broken import goes without a hint. */
const hintsPerReport = 50;

/** The graph of sound tasks, or everything that is wrong with them. */
export function buildGraph(tasks: readonly Task[]): Result<Graph, readonly Failure[]> {
  const byId = firstById(tasks);
  const failures = problemsIn(tasks, byId);
  if (failures.length > 0) return fail(failures);
  const children = childrenIn(byId.values());
  return ok({ tasks: byId, children, order: arrange(byId, children) });
}

/** Everything that keeps tasks from being a graph, not only the first problem. */
export function graphProblems(tasks: readonly Task[]): readonly Failure[] {
  return problemsIn(tasks, firstById(tasks));
}

function firstById(tasks: readonly Task[]): ReadonlyMap<TaskId, Task> {
  const byId = new Map<TaskId, Task>();
  for (const task of tasks) {
    if (!byId.has(task.id)) byId.set(task.id, task);
  }
  return byId;
}

function problemsIn(tasks: readonly Task[], byId: ReadonlyMap<TaskId, Task>): Failure[] {
  const failures = [...duplicates(tasks), ...wrongEdges(byId)];
  const parents = (id: TaskId): readonly TaskId[] =>
    byId.get(id)?.after.filter((parent) => parent !== id && byId.has(parent)) ?? [];
  for (const members of cycles([...byId.keys()], parents)) {
    const inside = new Set(members);
    const edges = members.flatMap((id) =>
      [...new Set(parents(id))].flatMap((parent) =>
        inside.has(parent) ? edgeBetween(byId, id, parent) : [],
      ),
    );
    failures.push({ kind: 'cycle', members, edges });
  }
  return failures;
}

/** The dependency of one task on another, with its origin. */
function edgeBetween(
  byId: ReadonlyMap<TaskId, Task>,
  id: TaskId,
  parent: TaskId,
): readonly CycleEdge[] {
  const task = byId.get(id);
  if (task === undefined) return [];
  const edge = { task: id, parent };
  if (task.applied?.includes(parent) === true) return [{ ...edge, origin: 'applied' }];
  if (task.type === epicType && byId.get(parent)?.parent === id)
    return [{ ...edge, origin: 'member' }];
  return [{ ...edge, origin: 'declared', source: task.source }];
}

/** Ids become file and branch names, which many file systems fold to one case, so case alone tells none apart. */
function duplicates(tasks: readonly Task[]): Failure[] {
  const seen = new Map<string, Task[]>();
  for (const task of tasks) {
    const known = seen.get(task.id.toLowerCase());
    if (known === undefined) seen.set(task.id.toLowerCase(), [task]);
    else known.push(task);
  }
  return [...seen.values()].flatMap(([first, ...others]): Failure[] => {
    if (first === undefined || others.length === 0) return [];
    const sources = new Set([first, ...others].flatMap(({ source }) => source ?? []));
    const of = { kind: 'duplicate-task', task: first.id, times: others.length + 1 } as const;
    return [sources.size === 0 ? of : { ...of, sources: [...sources] }];
  });
}

function wrongEdges(byId: ReadonlyMap<TaskId, Task>): Failure[] {
  const failures: Failure[] = [];
  let hints = hintsPerReport;
  for (const { id, after } of byId.values()) {
    for (const parent of new Set(after)) {
      if (parent === id) failures.push({ kind: 'self-dependency', task: id });
      if (byId.has(parent)) continue;
      hints -= 1;
      const near = hints < 0 ? undefined : nearest(parent, byId.keys());
      failures.push({
        kind: 'missing-dependency',
        task: id,
        missing: parent,
        key: 'after',
        nearest: near,
      });
    }
  }
  return failures;
}

function arrange(
  byId: ReadonlyMap<TaskId, Task>,
  children: (id: TaskId) => readonly TaskId[],
): TaskId[] {
  const ids = [...byId.keys()];
  const arrival = new Map(ids.map((id, at) => [id, at]));
  const blockers = ids.map((id) => new Set(byId.get(id)?.after).size);
  const free = new Heap<number>((a, b) => a < b);
  for (const [at, count] of blockers.entries()) {
    if (count === 0) free.push(at);
  }
  const order: TaskId[] = [];
  for (let at = free.pop(); at !== undefined; at = free.pop()) {
    const id = ids[at];
    if (id === undefined) continue;
    order.push(id);
    for (const child of children(id)) {
      const below = arrival.get(child) ?? 0;
      const left = (blockers[below] ?? 0) - 1;
      blockers[below] = left;
      if (left === 0) free.push(below);
    }
  }
  return order;
}
