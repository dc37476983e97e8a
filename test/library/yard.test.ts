// The library as another program uses it: values instead of output.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { openYard } from '../../src/library/index.ts';
import type { LoggedEvent, Result, Yard } from '../../src/library/yard.ts';
import { type TestProject, testProject, touch, waitFor, write } from '../rig.ts';

function need<T>(result: Result<T>): T {
  if (!result.ok) throw new Error(JSON.stringify(result.failure));
  return result.value;
}

const envOf = (y: TestProject) => ({
  PATH: process.env.PATH,
  HOME: y.home,
  YARDMASTER_STATE_DIR: y.state,
});

async function opened(y: TestProject, config = {}): Promise<Yard> {
  const yard = need(await openYard(y.root, { env: envOf(y), actor: 'Robot', config }));
  onTestFinished(() => yard.close());
  return yard;
}

async function eventsOf(yard: Yard): Promise<readonly LoggedEvent[]> {
  const events: LoggedEvent[] = [];
  for await (const page of yard.events()) events.push(...need(page));
  return events;
}

test('a program plans, runs and lands a task, and reads everything about it', async () => {
  const y = testProject({ script: { hello: [[write('hello.txt', 'hello\n')]] } });
  const yard = await opened(y);
  const task = need(await yard.add({ title: 'Hello', paths: ['hello.txt'] }));
  expect(task).toMatchObject({ id: 'hello', paths: ['hello.txt'], warnings: [] });
  expect(need(await yard.plan()).tasks.map(({ id }) => id)).toEqual(['hello']);
  const run = need(await yard.run());
  expect(need(await run.ended)).toMatchObject({ run: run.id, ending: 'done', warnings: [] });
  expect(y.show('hello.txt')).toBe('hello\n');
  expect(need(await yard.status()).tasks).toMatchObject([{ id: 'hello', state: 'landed' }]);
  expect(
    need(await yard.why('hello'))
      .history.map(({ text }) => text)
      .join(),
  ).toContain('landed');
  expect(need(await yard.diff('hello')).patch).toContain('+hello');
  expect(need(await yard.log('hello')).files).toHaveLength(2);
  expect(need(await yard.graph()).nodes).toMatchObject([{ id: 'hello', state: 'landed' }]);
  expect(need(await yard.runs())).toMatchObject([{ id: run.id, state: 'ended' }]);
  expect(need(await yard.summary())).toMatchObject({ run: run.id });
  expect(need(await yard.ledger())).toMatchObject({ balanced: true, entries: [{ task: 'hello' }] });
  const events = await eventsOf(yard);
  const actor = { name: 'Robot', through: 'library' };
  expect(events.find(({ type }) => type === 'task-added')).toMatchObject({ actor });
  expect(events.find(({ type }) => type === 'run-started')).toMatchObject({ actor });
});

test('a program imports tasks, and a run of them takes config values from it', async () => {
  const y = testProject({
    tasks: [{ id: 'a' }, { id: 'b', after: ['a'] }],
    script: { a: [[write('a.txt', 'a\n')]] },
  });
  const yard = await opened(y, { jobs: 1, target: 'next' });
  y.git('branch', 'next');
  expect(need(await yard.import([y.plan], { dryRun: true })).added).toEqual(['a', 'b']);
  expect(need(await yard.import([y.plan])).added).toEqual(['a', 'b']);
  const run = need(await yard.run({ scope: { kind: 'only', tasks: ['a'] } }));
  expect(need(await run.ended).ending).toBe('done');
  expect(y.landed('next')).toEqual(['a']);
  expect(y.landed('main')).toEqual([]);
});

test('a run is stopped and resumed', async () => {
  const y = testProject({
    tasks: [{ id: 'a' }],
    script: { a: [[touch('begun'), waitFor('go'), write('a.txt', 'a\n')]] },
  });
  const yard = await opened(y);
  const run = need(await yard.run({ sources: [y.plan] }));
  await y.seen('begun');
  expect(need(await yard.stop('now'))).toEqual([run.id]);
  expect(need(await run.ended)).toMatchObject({ ending: 'stopped', result: { left: 1 } });
  y.signal('go');
  const resumed = need(await yard.resume());
  expect(resumed.id).toBe(run.id);
  expect(need(await resumed.ended).ending).toBe('done');
});

test('a program decides, and its decisions carry its name', async () => {
  const y = testProject({ tasks: [{ id: 'a' }] });
  const yard = await opened(y);
  need(await yard.import([y.plan]));
  need(await yard.edit('a', { priority: 0 }));
  expect(need(await yard.block('a', 'later'))).toEqual({ isRunActive: false });
  need(await yard.unblock('a'));
  need(await yard.cancel(['a'], 'not needed'));
  const { view, history, task } = need(await yard.why('a'));
  expect(view.state).toBe('canceled');
  expect(task.priority).toBe(0);
  expect(history.at(-1)?.actor).toEqual({ name: 'Robot', through: 'library' });
});

test('expected trouble is a value in plain words', async () => {
  const y = testProject({});
  const yard = await opened(y);
  expect(await yard.why('nothing')).toMatchObject({
    ok: false,
    failure: { kind: 'unknown-task', what: expect.stringContaining('nothing') },
  });
  expect(await yard.run()).toMatchObject({ ok: false, failure: { kind: 'nothing-to-do' } });
  expect(await yard.stop('now')).toMatchObject({ ok: false, failure: { kind: 'usage' } });
  expect(await yard.answer('a', ' ')).toMatchObject({ ok: false, failure: { kind: 'usage' } });
  expect(await yard.import(['missing.yaml'])).toMatchObject({ ok: false });
  expect(await (await opened(y, { jobs: 'many' })).run()).toMatchObject({
    ok: false,
    failure: { kind: 'config-invalid' },
  });
});

test('a folder outside of a repository is refused', async () => {
  const dir = mkdtempSync(join(tmpdir(), 'ym-library-'));
  onTestFinished(() => rmSync(dir, { recursive: true }));
  const yard = await openYard(dir, { env: { PATH: process.env.PATH, HOME: dir } });
  expect(yard).toMatchObject({ ok: false, failure: { kind: 'not-a-repository' } });
});
