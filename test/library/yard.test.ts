// The library as another program uses it: values instead of output.

import { expect, onTestFinished, test } from 'vitest';
import { openYard } from '../../src/library/index.ts';
import type { EventsOptions, LoggedEvent, Yard } from '../../src/library/yard.ts';
import { need } from '../rig/need.ts';
import { tempFolder } from '../rig/temp-folder.ts';
import { exit, print, type TestProject, testProject, touch, waitFor, write } from '../rig.ts';

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
  expect(need(await yard.block('a', 'later'))).toEqual({ willContinue: false });
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
  const dir = tempFolder();
  const yard = await openYard(dir, { env: { PATH: process.env.PATH, HOME: dir } });
  expect(yard).toMatchObject({ ok: false, failure: { kind: 'not-a-repository' } });
});

const ci = '.github/workflows/ci.yml';

test('a program approves and rejects work that waits for a person', async () => {
  const edits = [write(ci, 'on: push\n')];
  const y = testProject({
    config: { retries: 1 },
    files: { [ci]: 'on: []\n' },
    tasks: [{ id: 'a' }, { id: 'b' }],
    script: { a: [edits], b: [edits, [write(ci, 'on: []\n'), write('b.txt', 'b\n')]] },
  });
  const yard = await opened(y);
  const first = need(await yard.run({ sources: [y.plan] }));
  expect(need(await first.ended)).toMatchObject({ ending: 'incomplete', result: { needYou: 2 } });
  const { needsYou } = need(await yard.status());
  expect(needsYou.map((one) => ['task' in one ? one.task : '', one.kind])).toEqual([
    ['a', 'approval'],
    ['b', 'approval'],
  ]);
  expect(need(await yard.approve(['a'], 'wanted'))).toEqual({ willContinue: false });
  expect(await yard.approve('a')).toMatchObject({ ok: false });
  expect(await yard.reject('b', '')).toMatchObject({ ok: false, failure: { kind: 'usage' } });
  need(await yard.reject('b', 'Leave the workflow alone'));
  const second = need(await yard.resume());
  expect(need(await second.ended).ending).toBe('done');
  expect([...y.landed()].sort()).toEqual(['a', 'b']);
  expect(y.show(ci)).toBe('on: push\n');
});

test('output of gate and agent is read, with its end only if that is asked for', async () => {
  const y = testProject({
    tasks: [{ id: 'a' }],
    script: { a: [[print('one\ntwo\nthree\n'), write('a.txt', 'a\n')]] },
  });
  const yard = await opened(y);
  need(await need(await yard.run({ sources: [y.plan] })).ended);
  const whole = need(await yard.log('a', { raw: true })).files[0];
  expect(whole).toMatchObject({ file: 'turn-1.out', text: expect.stringContaining('one') });
  const end = need(await yard.log('a', { raw: true, bytes: 6 })).files[0];
  expect(end).toMatchObject({ text: 'hree\n\n' });
  const gate = need(await yard.log('a', { shows: 'gate' }));
  expect(JSON.stringify(gate.files)).toContain('all names are known');
  expect(await yard.log('a', { attempt: 7 })).toMatchObject({ ok: false });
});

test('events are followed until the program has seen enough', async () => {
  const y = testProject({});
  const yard = await opened(y);
  const enough = new AbortController();
  const titles = ['One', 'Two', 'Three'];
  need(await yard.add({ title: titles.shift() ?? '' }));
  const seen: string[] = [];
  for await (const page of yard.events({ follow: true, signal: enough.signal })) {
    for (const { type, task } of need(page)) {
      seen.push(`${type} ${(task as { id: string }).id}`);
      const title = titles.shift();
      if (title === undefined) enough.abort();
      else need(await yard.add({ title }));
    }
  }
  expect(seen).toEqual(['task-added one', 'task-added two', 'task-added three']);
  const after: LoggedEvent[] = [];
  for await (const page of yard.events({ after: 1, limit: 1 })) after.push(...need(page));
  expect(after.map(({ seq }) => seq)).toEqual([2]);
});

test('tasks that left their source are canceled only if that is asked for', async () => {
  const y = testProject({ tasks: [{ id: 'a' }, { id: 'b' }] });
  const yard = await opened(y);
  need(await yard.import([y.plan]));
  y.writeTasks([{ id: 'a' }]);
  expect(need(await yard.import([y.plan])).removed).toEqual(['b']);
  expect(need(await yard.why('b')).view.state).not.toBe('canceled');
  need(await yard.import([y.plan], { pruneRemoved: true }));
  expect(need(await yard.why('b')).view.state).toBe('canceled');
});

test('a plan with a check that looks wrong runs only if the program insists', async () => {
  const y = testProject({
    tasks: [{ id: 'a', checks: ['grep -qv TODO a.txt'] }],
    script: { a: [[write('a.txt', 'a\n')]] },
  });
  const yard = await opened(y);
  const planned = need(await yard.plan({ sources: [y.plan] }));
  expect(planned.concerns).toMatchObject([{ severity: 'warn' }]);
  const refused = await yard.run({ sources: [y.plan] });
  expect(refused).toMatchObject({ ok: false, failure: { kind: 'usage' } });
  expect(need(await yard.graph()).nodes).toEqual([]);
  const run = need(await yard.run({ sources: [y.plan], force: true }));
  expect(need(await run.ended).ending).toBe('done');
});

test('a second run is refused while one is under way', async () => {
  const y = testProject({
    tasks: [{ id: 'a' }],
    script: { a: [[touch('begun'), waitFor('go'), write('a.txt', 'a\n')]] },
  });
  const yard = await opened(y);
  const run = need(await yard.run({ sources: [y.plan] }));
  await y.seen('begun');
  expect(await yard.run()).toMatchObject({ ok: false, failure: { kind: 'run-alive' } });
  expect(need(await yard.tell('a', 'Write it in German'))).toEqual(expect.any(String));
  expect(await yard.edit('a', { title: 'b' })).toMatchObject({ ok: false });
  y.signal('go');
  expect(need(await run.ended).ending).toBe('done');
});

test('effective config values are read with their origin', async () => {
  const yard = await opened(testProject({ config: { jobs: 3 } }));
  expect(need(yard.config(['jobs', 'agent']))).toMatchObject([
    { key: 'jobs', value: 3, origin: 'project file' },
    { key: 'agent', value: 'actor' },
  ]);
  expect(yard.config(['job'])).toMatchObject({ ok: false, failure: { kind: 'usage' } });
});

test('a program retries what failed, and skips what nobody needs', async () => {
  const y = testProject({
    config: { retries: 0 },
    leaves: ['branches', 'kept'],
    tasks: [{ id: 'a' }, { id: 'b' }],
    script: {
      a: { attempts: [[[write('red', 'red\n')]], [[write('a.txt', 'a\n')]]] },
      b: [[exit(1)]],
    },
  });
  const yard = await opened(y);
  const first = need(await yard.run({ sources: [y.plan] }));
  expect(need(await first.ended)).toMatchObject({ ending: 'incomplete', result: { landed: 0 } });
  const failed = need(await yard.status()).tasks.map(({ id, state }) => `${id} ${state}`);
  expect(failed).toEqual(['a blocked', 'b failed']);
  expect(
    need(await yard.why('a')).history.some(({ failure }) => failure?.kind === 'gate-red'),
  ).toBe(true);
  need(await yard.retry('a', 'Try once more'));
  const { skip } = yard;
  need(await skip('b', 'Not needed'));
  const second = need(await yard.run());
  expect(need(await second.ended)).toMatchObject({ ending: 'done', result: { landed: 1 } });
  expect(need(await yard.runs())).toHaveLength(2);
  expect(need(await yard.summary(first.id))).toMatchObject({ run: first.id });
});

test('a program chooses between the variants of a task', async () => {
  const y = testProject({
    leaves: ['branches', 'kept'],
    tasks: [{ id: 'a', attempts: { best_of: 2, choose: 'person' } }],
    script: { default: [[write('a.txt', 'a\n')]] },
  });
  const yard = await opened(y);
  need(await need(await yard.run({ sources: [y.plan] })).ended);
  expect(need(await yard.status()).needsYou).toMatchObject([{ kind: 'choice', task: 'a' }]);
  expect(await yard.choose('a', '3')).toMatchObject({ ok: false });
  need(await yard.choose('a', '2', 'It is shorter'));
  const resumed = need(await yard.resume());
  expect(need(await resumed.ended).ending).toBe('done');
  expect(need(await yard.why('a')).view.state).toBe('landed');
});

test('events and status are those of one run or one task, if it is named', async () => {
  const y = testProject({
    tasks: [{ id: 'a' }, { id: 'b' }],
    script: { default: [[write('x.txt', 'x\n')]] },
  });
  const yard = await opened(y);
  need(await yard.import([y.plan]));
  const run = need(await yard.run({ scope: { kind: 'ready', except: ['b'] } }));
  need(await run.ended);
  const typesIn = async (options: EventsOptions): Promise<readonly string[]> => {
    const types: string[] = [];
    for await (const page of yard.events(options)) types.push(...need(page).map((e) => e.type));
    return types;
  };
  expect(await typesIn({ task: 'b' })).toEqual(['task-added']);
  expect((await typesIn({ run: run.id }))[0]).toBe('run-started');
  expect(await typesIn({ run: run.id, limit: 1 })).toEqual(['run-ended']);
  for await (const page of yard.events({ task: 'c' })) expect(page.ok).toBe(false);
  expect(need(await yard.status({ run: run.id })).run).toMatchObject({ id: run.id });
  expect(await yard.status({ run: 'none' })).toMatchObject({ failure: { kind: 'unknown-run' } });
});
