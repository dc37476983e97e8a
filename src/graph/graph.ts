import type { CycleEdge } from '../model/cycle-edge.ts';
import { type Failure, fail, ok, type Result } from '../model/failure.ts';
import { epicType, type Task, type TaskId } from '../model/task.ts';
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

type Edges = (id: TaskId) => readonly TaskId[];

/**
 * Every knot of tasks that wait for each other, once, with all its members. Each list begins with the member that
 * arrived first; in a plain ring each member waits for the next one and the last for the first. Edges from a task to
 * itself are not looked at.
 */
function cycles(ids: readonly TaskId[], parents: Edges): TaskId[][] {
  const arrival = new Map(ids.map((id, at) => [id, at]));
  const first = (knot: readonly TaskId[]): TaskId =>
    knot.reduce((a, b) => ((arrival.get(b) ?? 0) < (arrival.get(a) ?? 0) ? b : a));
  return knots(ids, parents)
    .map((knot) => walk(first(knot), new Set(knot), parents))
    .sort((a, b) => (arrival.get(a[0] ?? '') ?? 0) - (arrival.get(b[0] ?? '') ?? 0));
}

interface Frame {
  readonly id: TaskId;
  readonly edges: readonly TaskId[];
  next: number;
}

/** Strongly connected components with more than one member (Tarjan), with a stack of our own: chains can be long. */
function knots(ids: readonly TaskId[], parents: Edges): TaskId[][] {
  const index = new Map<TaskId, number>();
  const low = new Map<TaskId, number>();
  const open = new Set<TaskId>();
  const path: TaskId[] = [];
  const found: TaskId[][] = [];
  const frames: Frame[] = [];
  const enter = (id: TaskId): void => {
    low.set(id, index.size);
    index.set(id, index.size);
    open.add(id);
    path.push(id);
    frames.push({ id, edges: parents(id), next: 0 });
  };
  const lower = (id: TaskId, value: number): void => {
    low.set(id, Math.min(low.get(id) ?? value, value));
  };
  const leave = (id: TaskId): void => {
    if (low.get(id) !== index.get(id)) return;
    const members = path.splice(path.lastIndexOf(id));
    for (const member of members) open.delete(member);
    if (members.length > 1) found.push(members);
  };
  for (const root of ids) {
    if (!index.has(root)) enter(root);
    for (let frame = frames.at(-1); frame !== undefined; frame = frames.at(-1)) {
      const parent = frame.edges[frame.next];
      frame.next += 1;
      if (parent === undefined) {
        frames.pop();
        leave(frame.id);
        const above = frames.at(-1);
        if (above !== undefined) lower(above.id, low.get(frame.id) ?? 0);
      } else if (!index.has(parent)) enter(parent);
      else if (open.has(parent)) lower(frame.id, index.get(parent) ?? 0);
    }
  }
  return found;
}

/** The members in the order in which they are met when one follows what waits for what. */
function walk(start: TaskId, members: ReadonlySet<TaskId>, parents: Edges): TaskId[] {
  const met = new Set<TaskId>();
  const ahead = [start];
  for (let id = ahead.pop(); id !== undefined; id = ahead.pop()) {
    if (met.has(id)) continue;
    met.add(id);
    for (const parent of parents(id)) {
      if (members.has(parent) && !met.has(parent)) ahead.push(parent);
    }
  }
  return [...met];
}
