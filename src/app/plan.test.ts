import { expect, test } from 'vitest';
import { MemoryStore } from '../../test/memory/store.ts';
import { need } from '../../test/rig/need.ts';
import { task } from '../../test/story.ts';
import type { Concern } from '../model/concern.ts';
import type { Task } from '../model/task.ts';
import { applyChanges, type Chosen, planWork } from './plan.ts';
import { changedTask, taskFromText, taskText } from './tasks.ts';

const concern: Concern = {
  severity: 'warn',
  text: 'd needs a',
  fix: { kind: 'after', task: 'd', parent: 'a' },
};
const naming = (id: string, body: string): Task => task(id, { body });
const tasks = [
  naming('a', 'Create src/model.ts.'),
  naming('b', 'Use src/model.ts in src/api.ts.'),
  naming('c', 'Show what src/api.ts answers.'),
  naming('d', ''),
];

async function project(given: readonly Task[] = tasks) {
  const store = new MemoryStore();
  const ports = { store, clock: { now: () => 5, sleep: async () => {} }, env: {} };
  need(
    await store.append(
      1,
      given.map((one) => ({ type: 'task-added', task: one })),
    ),
  );
  const stored = async (): Promise<readonly Task[]> => {
    const all = await store.tasks();
    return all.ok ? all.value.map((record) => record.task) : [];
  };
  const found = async (): Promise<readonly string[]> => {
    const work = need(await planWork(ports, []));
    return work.plan.found.map(({ before, after }) => `${before} → ${after}`);
  };
  const change = (chosen: Partial<Chosen>) =>
    applyChanges(ports, { apply: [], reject: [], ...chosen }, () => [concern]);
  return { stored, found, change };
}

const afters = (all: readonly Task[]): readonly string[] =>
  all.map(({ id, after }) => `${id}: ${after.join()}`);

test('a rejected dependency is stored with its task and not found again', async () => {
  const { stored, found, change } = await project();
  expect(await found()).toEqual(['a → b', 'b → c']);
  expect(await change({ reject: [1] })).toEqual({
    ok: true,
    value: [{ kind: 'rejected', task: 'b', parent: 'a' }],
  });
  expect((await stored())[1]).toMatchObject({ id: 'b', after: [], rejected: ['a'] });
  expect(await found()).toEqual(['b → c']);
  await change({ apply: 'all' });
  expect(afters(await stored())).toEqual(['a: ', 'b: ', 'c: b', 'd: a']);
});

test('dependencies are applied and rejected together, and `all` leaves out rejected ones', async () => {
  const { stored, found, change } = await project();
  expect(await change({ apply: 'all', reject: [2] })).toMatchObject({
    ok: true,
    value: [
      { kind: 'after', task: 'b', parent: 'a' },
      { kind: 'rejected', task: 'c', parent: 'b' },
      { kind: 'after', task: 'd', parent: 'a' },
    ],
  });
  expect(afters(await stored())).toEqual(['a: ', 'b: a', 'c: ', 'd: a']);
  expect(await found()).toEqual([]);
});

test('a dependency that rests on a symbol is applied by its number only', async () => {
  const { stored, found, change } = await project([
    task('a', { body: 'Write `parseConfig()`.' }),
    task('b', { body: 'Call `parseConfig()`.' }),
    task('d'),
  ]);
  expect(await found()).toEqual(['a → b']);
  await change({ apply: 'all' });
  expect(afters(await stored())).toEqual(['a: ', 'b: ', 'd: a']);
  await change({ apply: [1] });
  expect(afters(await stored())).toEqual(['a: ', 'b: a', 'd: a']);
});

test.each<[Partial<Chosen>, string]>([
  [{ apply: [1, 9] }, 'no number 9'],
  [{ apply: [1], reject: [2, 9] }, 'no number 9'],
  [{ reject: [1, 3] }, 'number 3 is a concern'],
  [{ apply: [1, 2], reject: [2] }, 'number 2 is to be applied and rejected'],
])('%j changes nothing: %s', async (chosen, problem) => {
  const { stored, change } = await project();
  expect(await change(chosen)).toMatchObject({
    ok: false,
    failure: [{ kind: 'usage', problem: expect.stringContaining(problem) }],
  });
  expect(await stored()).toEqual(tasks);
});

test('editing a task keeps its rejected dependencies', () => {
  const before = task('b', { after: ['a'], applied: ['a'], rejected: ['c'] });
  const kept = { applied: ['a'], rejected: ['c'] };
  expect(changedTask(before, { title: 'New' })).toMatchObject({ ok: true, value: kept });
  expect(taskFromText(before, 'b.md', taskText(before))).toMatchObject({ ok: true, value: kept });
});
