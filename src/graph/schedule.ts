import type { Task, TaskId } from '../model/task.ts';
import type { Graph } from './graph.ts';
import { Heap } from './heap.ts';
import { ReadyQueue } from './ready.ts';

/** Simulated run with a number of slots, in which each task takes as long as it weighs. */
export interface Schedule {
  readonly order: readonly TaskId[];
  /** End of the last task, in the unit of the weights. */
  readonly end: number;
  readonly ends: ReadonlyMap<TaskId, number>;
}

interface Started {
  readonly id: TaskId;
  readonly end: number;
  /** Position in the order, so that no two are equal. */
  readonly at: number;
}

/** Schedules the open tasks of a graph in the order of the ready queue. `remaining` are their longest paths. */
export function scheduleOf(
  graph: Graph,
  remaining: ReadonlyMap<TaskId, number>,
  weight: (task: Task) => number,
  slots: number,
  isOpen: (id: TaskId) => boolean = () => true,
): Schedule {
  const ready = new ReadyQueue();
  const waits = new Map<TaskId, number>();
  const arrival = new Map([...graph.tasks.keys()].map((id, at) => [id, at]));
  const working = new Heap<Started>((a, b) => (a.end === b.end ? a.at < b.at : a.end < b.end));
  const order: TaskId[] = [];
  const ends = new Map<TaskId, number>();
  let now = 0;
  const put = ({ id, priority }: Task): void =>
    ready.put(id, { priority, rank: remaining.get(id) ?? 0, order: arrival.get(id) ?? 0 }, 0);
  const start = (): void => {
    while (working.size < slots) {
      const id = ready.next(0, Number.POSITIVE_INFINITY);
      const task = id === undefined ? undefined : graph.tasks.get(id);
      if (task === undefined) return;
      ready.delete(task.id);
      working.push({ id: task.id, end: now + weight(task), at: order.length });
      order.push(task.id);
    }
  };
  for (const task of graph.tasks.values()) {
    if (!isOpen(task.id)) continue;
    const parents = [...new Set(task.after)].filter(isOpen).length;
    waits.set(task.id, parents);
    if (parents === 0) put(task);
  }
  start();
  for (let done = working.pop(); done !== undefined; done = working.pop()) {
    now = done.end;
    ends.set(done.id, now);
    for (const child of graph.children(done.id)) {
      const task = graph.tasks.get(child);
      const parents = (waits.get(child) ?? 0) - 1;
      waits.set(child, parents);
      if (parents === 0 && task !== undefined && isOpen(child)) put(task);
    }
    start();
  }
  return { order, end: now, ends };
}
