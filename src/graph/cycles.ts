import type { TaskId } from '../model/task.ts';

type Edges = (id: TaskId) => readonly TaskId[];

/**
 * Every knot of tasks that wait for each other, once, with all its members. Each list begins with the member that
 * arrived first; in a plain ring each member waits for the next one and the last for the first. Edges from a task to
 * itself are not looked at.
 */
export function cycles(ids: readonly TaskId[], parents: Edges): TaskId[][] {
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
