import { describe, expect, it } from 'vitest';
import { aTask } from '../../test/report/fixtures.ts';
import { need } from '../../test/rig/need.ts';
import type { Task } from '../model/task.ts';
import { buildGraph } from './graph.ts';
import { remainingPaths } from './paths.ts';
import { scheduleOf } from './schedule.ts';

function schedule(tasks: readonly Task[], minutes: Record<string, number>, slots: number) {
  const graph = need(buildGraph(tasks));
  const weight = ({ id }: Task): number => minutes[id] ?? 0;
  return scheduleOf(graph, remainingPaths(graph, weight), weight, slots);
}

describe('a schedule', () => {
  const tasks = [aTask('a'), aTask('b', { after: ['a'] }), aTask('c'), aTask('d')];
  const minutes = { a: 2, b: 3, c: 4, d: 1 };

  it('takes the sum of all with one slot, and the longest path with many', () => {
    expect(schedule(tasks, minutes, 1)).toMatchObject({ order: ['a', 'c', 'b', 'd'], end: 10 });
    expect(schedule(tasks, minutes, 9)).toMatchObject({ order: ['a', 'c', 'd', 'b'], end: 5 });
  });

  it('starts a task when a slot is free and its parents are done', () => {
    const ends = new Map(Object.entries({ a: 2, c: 4, b: 5, d: 5 }));
    expect(schedule(tasks, minutes, 2)).toEqual({ order: ['a', 'c', 'b', 'd'], end: 5, ends });
  });

  it('is empty without tasks', () => {
    expect(schedule([], {}, 2)).toEqual({ order: [], end: 0, ends: new Map() });
  });
});
