import { describe, expect, it } from 'vitest';
import { aTask } from '../../../test/report/fixtures.ts';
import { need } from '../../../test/rig/need.ts';
import { buildGraph, type Graph } from '../../graph/graph.ts';
import type { FoundEdge, SharedName } from '../../graph/overlap.ts';
import { criticalPath, wavesOf } from '../../graph/paths.ts';
import type { Task } from '../../model/task.ts';
import { plain } from '../format/style.ts';
import { type PlanInput, planOf, planText } from './plan.ts';

function graphOf(tasks: readonly Task[]): Graph {
  const built = need(buildGraph(tasks));
  return built;
}

const one = (): number => 1;
const graph = graphOf([
  aTask('schema', { priority: 0 }),
  aTask('api', { after: ['schema'], title: 'Add the search endpoint' }),
  aTask('ui', { after: ['api'] }),
  aTask('docs', { after: ['schema'] }),
  aTask('lone'),
]);
const input: PlanInput = {
  graph,
  criticalPath: criticalPath(graph, one),
  heldUp: new Map(),
  weight: one,
  waves: wavesOf(graph),
};

describe('a plan', () => {
  it('lists the order, what each waits for and the critical path', () => {
    expect(`\n${planText(planOf(input), plain, 80).join('\n')}\n`).toMatchInlineSnapshot(`
      "
      #     task    prio  waits for  unblocks     title
      1  *  schema  P0               2, 3 in all  Do schema
      2  *  api     P2    schema     1            Add the search endpoint
      3  *  ui      P2    api                     Do ui
      4     docs    P2    schema                  Do docs
      5     lone    P2                            Do lone

      5 tasks, 2 could start now
      * critical path: schema → api → ui
      3 waves, the widest has 2 tasks: schema, lone | api, docs | ui
      No more than 1.7 slots can be kept busy on average.
      "
    `);
  });

  it('tells the expected time of each task and of the whole with several slots, if times are known', () => {
    const minutes: Readonly<Record<string, number>> = { schema: 5, api: 10, ui: 20, docs: 2 };
    const weight = ({ id }: Task): number => (minutes[id] ?? 1) * 60_000;
    const timed = { ...input, weight, isTimed: true, criticalPath: criticalPath(graph, weight) };
    expect(`\n${planText(planOf(timed), plain, 80).join('\n')}\n`).toMatchInlineSnapshot(`
      "
      #     task    prio  about  waits for  unblocks     title
      1  *  schema  P0       5m             2, 3 in all  Do schema
      2  *  api     P2      10m  schema     1            Add the search endpoint
      3  *  ui      P2      20m  api                     Do ui
      4     docs    P2       2m  schema                  Do docs
      5     lone    P2       1m                          Do lone

      5 tasks, 2 could start now
      * critical path: schema → api → ui, about 35m
      3 waves, the widest has 2 tasks: schema, lone | api, docs | ui
      No more than 1.1 slots can be kept busy on average.
      Expected agent time: 38m with 1 slot, 35m with 2 slots.
      "
    `);
  });

  it('counts no task as one that could start now if it needs a worker with a label', () => {
    const tasks = [aTask('lone'), aTask('train', { labels: ['ui', 'needs:gpu', 'needs:big'] })];
    const plan = planOf({ ...input, graph: graphOf(tasks), criticalPath: [], waves: [] });
    expect(plan.totals).toMatchObject({ tasks: 2, ready: 1, onWorkers: 1 });
    expect(`\n${planText(plan, plain, 80).join('\n')}\n`).toMatchInlineSnapshot(`
      "
      #  task   prio  waits for                unblocks  title
      1  lone   P2                                       Do lone
      2  train  P2    worker with gpu and big            Do train

      2 tasks, 1 could start now, 1 on a worker with the labels needed
      "
    `);
  });

  it('is in the order in which a run starts the tasks', () => {
    const tasks = [
      aTask('late', { priority: 3 }),
      aTask('short'),
      aTask('long'),
      aTask('tail', { after: ['long'] }),
      aTask('urgent', { priority: 0, after: ['short'] }),
    ];
    const order = planOf({ ...input, graph: graphOf(tasks) }).tasks.map(({ id }) => id);
    expect(order).toEqual(['short', 'urgent', 'long', 'tail', 'late']);
    const done = new Set(['short']);
    const rest = planOf({ ...input, graph: graphOf(tasks), done }).tasks.map(({ id }) => id);
    expect(rest).toEqual(['urgent', 'long', 'tail', 'late']);
  });

  it('has parents before children and every task once', () => {
    const { tasks } = planOf(input);
    const place = new Map(tasks.map(({ id, position }) => [id, position]));
    expect(place.size).toBe(5);
    for (const { waitsFor, position } of tasks) {
      for (const parent of waitsFor) expect(place.get(parent)).toBeLessThan(position);
    }
  });

  it('adds up work and the longest way', () => {
    expect(planOf(input).totals).toEqual({
      tasks: 5,
      ready: 2,
      onWorkers: 0,
      heldUp: 0,
      work: 5,
      width: 2,
      longest: 3,
    });
  });

  it('leaves out what is done, and nothing waits for it', () => {
    const plan = planOf({ ...input, criticalPath: ['api', 'ui'], done: new Set(['schema']) });
    expect(plan.tasks.map(({ id }) => id)).not.toContain('schema');
    expect(plan.tasks.find(({ id }) => id === 'api')?.waitsFor).toEqual([]);
    expect(plan.totals).toMatchObject({ tasks: 4, ready: 3, work: 4 });
  });

  it('lists found dependencies with what they rest on, and apart from them pairs that may overlap', () => {
    const shared = (name: string, more: Partial<SharedName> = {}): SharedName => {
      return { name, before: ['text'], after: ['text'], ...more };
    };
    const found: readonly FoundEdge[] = [
      {
        before: 'api',
        after: 'docs',
        strength: 'file',
        shared: [shared('src/api.ts', { after: ['paths', 'acceptance'] }), shared('src/b.ts')],
      },
      { before: 'ui', after: 'lone', strength: 'symbol', shared: [shared('parseConfig')] },
    ];
    const lines = planText(planOf({ ...input, found }), plain, 100);
    expect(`\n${lines.slice(-8).join('\n')}\n`).toMatchInlineSnapshot(`
      "
      1 pair of tasks names the same files, and neither waits for the other:
        1  docs after api: both name src/api.ts and 1 other (api in its text, docs in its paths and
           acceptance)
      \`ym plan --apply 1\` adds this dependency; \`--reject 1\` never shows it again.

      1 pair of tasks may overlap, because both name the same code:
        2  lone after ui: both name parseConfig (both in their text)
      \`ym plan --apply 2\` adds this dependency, \`--apply all\` does not; \`--reject 2\` never shows it again.
      "
    `);
    const early = planText(planOf({ ...input, found }), plain, 100, false).join('\n');
    expect(early).not.toContain('--apply 1');
    expect(early.match(/Once the tasks are stored \(`ym import`\)/g)).toHaveLength(2);
  });

  it('names what a task is stuck behind', () => {
    const plan = planOf({ ...input, heldUp: new Map([['ui', 'api']]) });
    expect(plan.totals.heldUp).toBe(1);
    expect(planText(plan, plain, 80).join('\n')).toContain('stuck behind api');
  });

  it('says so where nothing is left', () => {
    const empty = planOf({ ...input, graph: graphOf([]), criticalPath: [] });
    expect(planText(empty, plain, 80)).toEqual(['Nothing to plan: no task is left to do.']);
  });

  it('is plain data', () => {
    expect(JSON.parse(JSON.stringify(planOf(input)))).toEqual(planOf(input));
  });
});
