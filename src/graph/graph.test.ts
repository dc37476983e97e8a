import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cpuClock } from '../../test/rig/cpu-clock.ts';
import { need } from '../../test/rig/need.ts';
import { task as aTask } from '../../test/story.ts';
import type { Failure } from '../model/failure.ts';
import type { Task } from '../model/task.ts';
import { explain } from '../report/explain/explain.ts';
import { buildGraph, type Graph } from './graph.ts';

const task = (id: string, after: readonly string[] = []): Task => aTask(id, { title: id, after });

function built(tasks: readonly Task[]): Graph {
  const result = need(buildGraph(tasks));
  return result;
}

function refused(tasks: readonly Task[]): readonly Failure[] {
  const result = buildGraph(tasks);
  return result.ok ? [] : result.failure;
}

/** Tasks named by number with edges to any others, in any order. */
const anyTasks = fc
  .integer({ min: 1, max: 12 })
  .chain((size) =>
    fc.array(fc.uniqueArray(fc.nat({ max: size - 1 }), { maxLength: 3 }), {
      minLength: size,
      maxLength: size,
    }),
  )
  .map((edges) =>
    edges.map((after, at) =>
      task(
        `t${at}`,
        after.map((to) => `t${to}`),
      ),
    ),
  );

/** True if a task waits for itself through others. Follows every path. */
function hasCycle(tasks: readonly Task[]): boolean {
  const parents = new Map(tasks.map(({ id, after }) => [id, after.filter((to) => to !== id)]));
  return tasks.some(({ id }) => {
    const seen = new Set<string>();
    const ahead = [...(parents.get(id) ?? [])];
    for (let at = ahead.pop(); at !== undefined; at = ahead.pop()) {
      if (at === id) return true;
      if (seen.has(at)) continue;
      seen.add(at);
      ahead.push(...(parents.get(at) ?? []));
    }
    return false;
  });
}

describe('buildGraph', () => {
  it('accepts no tasks at all', () => {
    const graph = built([]);
    expect(graph.order).toEqual([]);
    expect(graph.children('any')).toEqual([]);
  });

  it('keeps the order of arrival where that order already works', () => {
    const graph = built([task('b'), task('a', ['b']), task('d'), task('c', ['a', 'd'])]);
    expect(graph.order).toEqual(['b', 'a', 'd', 'c']);
  });

  it('puts a parent that arrived late before its children', () => {
    expect(built([task('a', ['z']), task('b'), task('z')]).order).toEqual(['b', 'z', 'a']);
  });

  it('names the children of a task in order of arrival, each once', () => {
    const graph = built([task('c', ['a', 'a']), task('b', ['a']), task('a')]);
    expect(graph.children('a')).toEqual(['c', 'b']);
    expect(graph.order).toEqual(['a', 'c', 'b']);
  });

  it('refuses an id that is used twice, with the number of times', () => {
    expect(refused([task('a'), task('b'), task('a'), task('a')])).toEqual([
      { kind: 'duplicate-task', task: 'a', times: 3 },
    ]);
  });

  it('names the sources of duplicates', () => {
    const from = (source: string) => aTask('a', { source });
    const tasks = [from('plan.yaml'), task('a'), from('tasks'), from('plan.yaml')];
    const sources = ['plan.yaml', 'tasks'];
    const failure = { kind: 'duplicate-task', task: 'a', times: 4, sources } as const;
    expect(refused(tasks)).toEqual([failure]);
    expect(explain(failure).what).toBe('The id a is used 4 times, in plan.yaml and tasks.');
  });

  it('takes ids that differ only in letter case for duplicates', () => {
    expect(refused([task('Fix'), task('fix')])).toEqual([
      { kind: 'duplicate-task', task: 'Fix', times: 2 },
    ]);
  });

  it('refuses a dependency that does not exist and offers the nearest id', () => {
    expect(refused([task('schema'), task('api', ['shcema']), task('ui', ['zzz'])])).toEqual([
      {
        kind: 'missing-dependency',
        task: 'api',
        missing: 'shcema',
        key: 'after',
        nearest: 'schema',
      },
      { kind: 'missing-dependency', task: 'ui', missing: 'zzz', key: 'after' },
    ]);
  });

  it('does not take a dependency in other letter case for the task', () => {
    expect(refused([task('Schema'), task('api', ['schema'])])).toEqual([
      {
        kind: 'missing-dependency',
        task: 'api',
        missing: 'schema',
        key: 'after',
        nearest: 'Schema',
      },
    ]);
  });

  it('refuses a task that waits for itself, and does not call it a cycle', () => {
    expect(refused([task('a', ['a'])])).toEqual([{ kind: 'self-dependency', task: 'a' }]);
  });

  it('names the members of a ring in the order in which they wait, from the first to arrive', () => {
    const ring = [task('x'), task('c', ['a']), task('a', ['b']), task('b', ['c', 'x'])];
    expect(refused(ring)).toEqual([
      {
        kind: 'cycle',
        members: ['c', 'a', 'b'],
        edges: [
          { task: 'c', parent: 'a', origin: 'declared' },
          { task: 'a', parent: 'b', origin: 'declared' },
          { task: 'b', parent: 'c', origin: 'declared' },
        ],
      },
    ]);
  });

  it('names the origin of every dependency in a cycle, also of those that cross it', () => {
    const failures = refused([
      aTask('epic', { type: 'epic', after: ['a', 'b'] }),
      aTask('a', { parent: 'epic', after: ['b'], applied: ['b'] }),
      aTask('b', { after: ['epic'], source: 'plan.yaml' }),
    ]);
    expect(failures).toMatchObject([{ kind: 'cycle', members: expect.any(Array) }]);
    const edges = failures.flatMap((one) => (one.kind === 'cycle' ? one.edges : []));
    expect(edges.toSorted((x, y) => (x.task + x.parent < y.task + y.parent ? -1 : 1))).toEqual([
      { task: 'a', parent: 'b', origin: 'applied' },
      { task: 'b', parent: 'epic', origin: 'declared', source: 'plan.yaml' },
      { task: 'epic', parent: 'a', origin: 'member' },
      { task: 'epic', parent: 'b', origin: 'declared' },
    ]);
  });

  it('names each independent cycle once and none of the tasks around them', () => {
    const failures = refused([
      task('before'),
      task('a', ['b', 'before']),
      task('b', ['a']),
      task('between', ['a']),
      task('c', ['d', 'between']),
      task('d', ['c']),
      task('behind', ['d']),
    ]);
    expect(failures).toMatchObject([
      { kind: 'cycle', members: ['a', 'b'] },
      { kind: 'cycle', members: ['c', 'd'] },
    ]);
  });

  it('names every member of rings that share a task', () => {
    const [failure] = refused([task('hub', ['l', 'r']), task('l', ['hub']), task('r', ['hub'])]);
    expect(failure?.kind === 'cycle' && [...failure.members].sort()).toEqual(['hub', 'l', 'r']);
  });

  it('reports everything that is wrong at once', () => {
    const failures = refused([
      task('a', ['b']),
      task('b', ['a']),
      task('c', ['c']),
      task('d', ['nowhere']),
      task('d'),
    ]);
    expect(failures.map(({ kind }) => kind)).toEqual([
      'duplicate-task',
      'self-dependency',
      'missing-dependency',
      'cycle',
    ]);
  });

  it('finds a cycle exactly when there is one', () => {
    fc.assert(
      fc.property(anyTasks, (tasks) => {
        const found = refused(tasks).some(({ kind }) => kind === 'cycle');
        expect(found).toBe(hasCycle(tasks));
      }),
    );
  });

  it('names in a cycle exactly the tasks that wait for themselves', () => {
    fc.assert(
      fc.property(anyTasks, (tasks) => {
        const named = refused(tasks).flatMap((failure) =>
          failure.kind === 'cycle' ? failure.members : [],
        );
        const without = tasks.filter(({ id }) => !named.includes(id));
        expect(new Set(named).size).toBe(named.length);
        expect(hasCycle(without)).toBe(false);
      }),
    );
  });

  it('orders every graph it accepts so that parents come before children', () => {
    fc.assert(
      fc.property(anyTasks, (tasks) => {
        const result = buildGraph(tasks);
        fc.pre(result.ok);
        if (!result.ok) return;
        const at = new Map(result.value.order.map((id, index) => [id, index]));
        expect(at.size).toBe(tasks.length);
        for (const { id, after } of tasks) {
          for (const parent of after) expect(at.get(parent)).toBeLessThan(at.get(id) ?? -1);
        }
      }),
    );
  });
});

describe('buildGraph with 10,000 tasks', () => {
  const size = 10_000;
  const ids = Array.from({ length: size }, (_, at) => `t${at}`);
  const quickMs = 2_000;

  it('takes a chain, whichever end comes first, without running out of stack', () => {
    const chain = ids.map((id, at) => task(id, at === 0 ? [] : [`t${at - 1}`]));
    const reversed = chain.toReversed();
    const spentMs = cpuClock();
    const orders = [built(chain).order, built(reversed).order];
    // Comparing long lists takes longer than building them.
    expect(spentMs()).toBeLessThan(quickMs);
    for (const order of orders) expect(order).toEqual(ids);
  });

  it('names all members of one ring', () => {
    const ring = ids.map((id, at) => task(id, [`t${(at + 1) % size}`]));
    const [failure, ...others] = refused(ring);
    expect(others).toEqual([]);
    expect(failure?.kind === 'cycle' && failure.members).toEqual(ids);
    expect(failure?.kind === 'cycle' && failure.edges.length).toBe(size);
  });

  it('takes a wide graph', () => {
    const wide = [...ids.map((id) => task(id)), task('end', ids)];
    const spentMs = cpuClock();
    expect(built(wide).order.at(-1)).toBe('end');
    expect(spentMs()).toBeLessThan(quickMs);
  });

  it('reports ten thousand missing dependencies without comparing all with all', () => {
    const broken = ids.map((id) => task(id, [`${id}-gone`]));
    const spentMs = cpuClock();
    expect(refused(broken)).toHaveLength(size);
    expect(spentMs()).toBeLessThan(quickMs);
  });
});
