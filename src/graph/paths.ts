import type { LearnedTimes } from '../model/forecast.ts';
import { epicType, type Task, type TaskId } from '../model/task.ts';
import type { Graph } from './graph.ts';
import { expectedMs, statedMs } from './learned-times.ts';

/** Learned agent times, and the agent of tasks that name none. */
export interface Expectation {
  readonly times: LearnedTimes;
  readonly agent: string;
}

/**
 * Weights of tasks: their expected time, by the task's own estimate or by what past tasks took. Without either, a task
 * weighs as much as the median of the stated estimates, or 1 if there are none, so that the number of tasks counts. An
 * epic is no work.
 */
export function weightsOf(
  tasks: Iterable<Task>,
  expectation?: Expectation,
): (task: Task) => number {
  if (expectation !== undefined) {
    const { times, agent } = expectation;
    return (task) => (task.type === epicType ? 0 : expectedMs(task, agent, times));
  }
  const estimates = [...tasks].flatMap((task) => statedMs(task) ?? []).sort((a, b) => a - b);
  const median = estimates[Math.floor(estimates.length / 2)] ?? 1;
  return (task) => (task.type === epicType ? 0 : (statedMs(task) ?? median));
}

/** For each task the heaviest way from it to the end of the graph, its own weight included. */
export function remainingPaths(graph: Graph, weight: (task: Task) => number): Map<TaskId, number> {
  const remaining = new Map<TaskId, number>();
  for (let at = graph.order.length - 1; at >= 0; at -= 1) {
    const id = graph.order[at];
    const task = id === undefined ? undefined : graph.tasks.get(id);
    if (task === undefined) continue;
    let behind = 0;
    for (const child of graph.children(task.id)) {
      behind = Math.max(behind, remaining.get(child) ?? 0);
    }
    remaining.set(task.id, weight(task) + behind);
  }
  return remaining;
}

/** One heaviest way through the whole graph, first task first; among equals the one that comes first in order. */
export function criticalPath(graph: Graph, weight: (task: Task) => number): readonly TaskId[] {
  const remaining = remainingPaths(graph, weight);
  const heaviest = (ids: readonly TaskId[]): TaskId | undefined => {
    let best: TaskId | undefined;
    for (const id of ids) {
      if (best === undefined || (remaining.get(id) ?? 0) > (remaining.get(best) ?? 0)) best = id;
    }
    return best;
  };
  const path: TaskId[] = [];
  let next = heaviest(graph.order);
  while (next !== undefined) {
    path.push(next);
    next = heaviest(graph.children(next));
  }
  return path;
}

/** Tasks that could be worked on at the same time: each wave waits only for earlier ones. Epics are no work. */
export function wavesOf(graph: Graph): readonly (readonly TaskId[])[] {
  const depth = new Map<TaskId, number>();
  const waves: TaskId[][] = [];
  for (const id of graph.order) {
    const task = graph.tasks.get(id);
    if (task === undefined) continue;
    let own = 0;
    for (const parent of task.after) own = Math.max(own, depth.get(parent) ?? 0);
    depth.set(id, task.type === epicType ? own : own + 1);
    if (task.type === epicType) continue;
    const wave = waves[own];
    if (wave === undefined) waves[own] = [id];
    else wave.push(id);
  }
  return waves;
}
