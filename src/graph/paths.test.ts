import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { need } from '../../test/rig/need.ts';
import { task as aTask } from '../../test/story.ts';
import type { Task } from '../model/task.ts';
import { buildGraph, type Graph } from './graph.ts';
import { criticalPath, remainingPaths, wavesOf } from './paths.ts';

const task = (id: string, after: readonly string[] = []): Task => aTask(id, { title: id, after });

function graphOf(tasks: readonly Task[]): Graph {
  const result = need(buildGraph(tasks));
  return result;
}

const one = (): number => 1;

/** Each task may wait only for earlier ones, so there is no cycle. */
const smallGraphs = fc
  .array(fc.tuple(fc.array(fc.nat(), { maxLength: 3 }), fc.integer({ min: 0, max: 9 })), {
    minLength: 1,
    maxLength: 9,
  })
  .map((rows) => ({
    graph: graphOf(
      rows.map(([after], at) => task(`t${at}`, at === 0 ? [] : after.map((to) => `t${to % at}`))),
    ),
    weight: (of: Task): number => rows[Number(of.id.slice(1))]?.[1] ?? 0,
  }));

/** Every way from a task to the end, followed one by one. */
function heaviest(graph: Graph, id: string, weight: (task: Task) => number): number {
  const own = graph.tasks.get(id);
  const behind = graph.children(id).map((child) => heaviest(graph, child, weight));
  return (own === undefined ? 0 : weight(own)) + Math.max(0, ...behind);
}

describe('wavesOf', () => {
  it('puts each task right after the last one that it waits for, and leaves out epics', () => {
    const epic = aTask('all', { type: 'epic', after: ['b'] });
    const tasks = [task('a'), task('b', ['a']), task('c', ['a']), epic, task('d', ['all', 'a'])];
    expect(wavesOf(graphOf(tasks))).toEqual([['a'], ['b', 'c'], ['d']]);
    expect(wavesOf(graphOf([]))).toEqual([]);
  });

  it('has every task once, after all that it waits for', () => {
    fc.assert(
      fc.property(smallGraphs, ({ graph }) => {
        const waves = wavesOf(graph);
        const place = new Map(waves.flatMap((wave, at) => wave.map((id) => [id, at] as const)));
        expect(waves.flat().toSorted()).toEqual([...graph.tasks.keys()].toSorted());
        for (const { id, after } of graph.tasks.values()) {
          for (const parent of after) expect(place.get(parent)).toBeLessThan(place.get(id) ?? 0);
        }
      }),
    );
  });
});

describe('remainingPaths', () => {
  it('counts the task itself and the longest way behind it', () => {
    const graph = graphOf([task('a'), task('b', ['a']), task('c', ['b']), task('d', ['a'])]);
    expect(Object.fromEntries(remainingPaths(graph, one))).toEqual({ a: 3, b: 2, c: 1, d: 1 });
  });

  it('follows weight, not hops', () => {
    const graph = graphOf([task('a'), task('b', ['a']), task('c', ['b']), task('slow', ['a'])]);
    const weight = ({ id }: Task): number => (id === 'slow' ? 10 : 1);
    expect(remainingPaths(graph, weight).get('a')).toBe(11);
  });

  it('equals following every way by hand', () => {
    fc.assert(
      fc.property(smallGraphs, ({ graph, weight }) => {
        const remaining = remainingPaths(graph, weight);
        for (const id of graph.order) {
          expect(remaining.get(id)).toBe(heaviest(graph, id, weight));
        }
      }),
    );
  });

  it('goes through a chain of 10,000', () => {
    const chain = Array.from({ length: 10_000 }, (_, at) =>
      task(`t${at}`, at === 0 ? [] : [`t${at - 1}`]),
    );
    const graph = graphOf(chain);
    expect(remainingPaths(graph, one).get('t0')).toBe(10_000);
    expect(criticalPath(graph, one)).toHaveLength(10_000);
  });
});

describe('criticalPath', () => {
  it('is empty for an empty graph', () => {
    expect(criticalPath(graphOf([]), one)).toEqual([]);
  });

  it('takes the first in order among equals', () => {
    expect(criticalPath(graphOf([task('b'), task('a')]), one)).toEqual(['b']);
  });

  it('is a connected way as heavy as the heaviest', () => {
    fc.assert(
      fc.property(smallGraphs, ({ graph, weight }) => {
        const path = criticalPath(graph, weight);
        const total = path.reduce((sum, id) => sum + heaviestOwn(graph, id, weight), 0);
        expect(total).toBe(Math.max(...graph.order.map((id) => heaviest(graph, id, weight))));
        path.slice(1).forEach((id, at) => {
          expect(graph.children(path[at] ?? '')).toContain(id);
        });
      }),
    );
  });
});

function heaviestOwn(graph: Graph, id: string, weight: (task: Task) => number): number {
  const own = graph.tasks.get(id);
  return own === undefined ? 0 : weight(own);
}
