import { describe, expect, test } from 'vitest';
import { MemoryStore } from '../../test/memory/store.ts';
import { need } from '../../test/rig/need.ts';
import { task } from '../../test/story.ts';
import type { EventBody } from '../model/event.ts';
import { splitTask } from './split.ts';
import { importTasks } from './tasks.ts';

const clock = { now: () => 5, sleep: async () => {} };

async function ports(...events: readonly EventBody[]) {
  const store = new MemoryStore();
  const tasks = [
    task('base'),
    task('big', { after: ['base'], labels: ['ui'] }),
    task('last', { after: ['big'] }),
  ];
  const added = tasks.map((one): EventBody => ({ type: 'task-added', task: one }));
  need(await store.append(1, [...added, ...events]));
  const settle = (...ids: readonly string[]) =>
    store.append(
      2,
      ids.map((id) => ({ type: 'task-decided', id, decision: { kind: 'skip', reason: 'x' } })),
    );
  const state = async (id: string) => {
    const found = await store.task(id);
    return found.ok ? found.value : undefined;
  };
  return { store, clock, env: {}, settle, state };
}

const parts = [task('one'), task('two', { after: ['one'], labels: ['x'] })];

describe('a task that is split', () => {
  test('becomes the epic of its parts, which wait for what it waited for', async () => {
    const here = await ports();
    expect((await splitTask(here, 'big', parts)).ok).toBe(true);
    expect((await here.state('big'))?.task).toMatchObject({
      type: 'epic',
      after: ['base', 'one', 'two'],
    });
    expect((await here.state('one'))?.task).toMatchObject({
      parent: 'big',
      after: ['base'],
      labels: ['ui'],
    });
    expect((await here.state('two'))?.task).toMatchObject({
      after: ['base', 'one'],
      labels: ['ui', 'x'],
    });
  });

  test('passes on what it still waits for outside of the project', async () => {
    const wait = ['pull 12', 'file done.txt'];
    const here = await ports(
      { type: 'task-changed', task: task('big', { wait }) },
      { type: 'wait-over', id: 'big', wait: 'file done.txt' },
    );
    await splitTask(here, 'big', [task('one'), task('two', { wait: ['until 2099-01-01'] })]);
    expect(await here.state('one')).toMatchObject({ task: { wait: ['pull 12'] }, blockers: 1 });
    expect((await here.state('two'))?.task.wait).toEqual(['pull 12', 'until 2099-01-01']);
  });

  test('stays split when its source is read again', async () => {
    const source = 'plan.yaml';
    const from = [task('base', { source }), task('big', { source }), task('last', { source })];
    const here = await ports(
      ...from.map((one): EventBody => ({ type: 'task-changed', task: one })),
    );
    await splitTask(here, 'big', parts);
    const again = await importTasks(here, { tasks: from, sources: [source], notes: [] });
    expect(again).toMatchObject({ ok: true, value: { changed: [], removed: [] } });
    const edited = [task('big', { source, title: 'Other' })];
    await importTasks(here, { tasks: [...edited], sources: [source], notes: [] });
    expect((await here.state('big'))?.task).toMatchObject({
      title: 'Other',
      type: 'epic',
      after: ['one', 'two'],
    });
  });

  test('lets its dependents start when all parts are done', async () => {
    const here = await ports();
    await splitTask(here, 'big', parts);
    await here.settle('base', 'one');
    expect(await here.state('last')).toMatchObject({ blockers: 1 });
    await here.settle('two');
    expect(await here.state('big')).toMatchObject({ status: { id: 'done' } });
    expect(await here.state('last')).toMatchObject({ blockers: 0 });
  });

  test.each([
    ['nope', parts, 'unknown-task'],
    ['big', [], 'the file has no tasks'],
    ['big', [task('one'), task('last')], 'there is already a task "last"'],
    ['big', [task('one', { after: ['last'] })], 'cycle'],
    ['big', [task('one', { after: ['nowhere'] })], 'missing-dependency'],
  ])('stays as it is if that is refused: %s', async (id, made, why) => {
    const here = await ports();
    const refused = await splitTask(here, id, made);
    expect(refused.ok ? '' : JSON.stringify(refused.failure)).toContain(why.replaceAll('"', '\\"'));
    expect(await here.store.ids('tasks')).toEqual({ ok: true, value: ['base', 'big', 'last'] });
    expect((await here.state('big'))?.task.type).toBe('task');
  });

  test('must be open and not worked on', async () => {
    const decision = { kind: 'cancel', reason: 'x' } as const;
    const canceled = await ports({ type: 'task-decided', id: 'big', decision });
    expect(await splitTask(canceled, 'big', parts)).toMatchObject({
      failure: [{ problem: 'big is canceled, and only an open task can be split' }],
    });
  });
});
