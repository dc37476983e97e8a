// One driver for each run, a refusal that changes nothing, and budgets that do not lead into a dead end.
import { expect, test } from 'vitest';
import { exit, print, testProject, waitFor, write } from '../../rig.ts';

const waits = [print('here'), waitFor('go'), write('a.txt', 'a\n')];

test('a run that was started to share is not driven by a second process', async () => {
  const y = testProject({ tasks: [{ id: 'a' }], script: { a: [waits] } });
  const run = y.start('run', y.plan, '--share');
  await y.untilStatus(({ tasks }) => tasks.some(({ state }) => state === 'working'), 'working');
  const resumed = await y.ym('resume');
  expect(resumed.code).toBe(3);
  expect(resumed.stderr).toContain(String(run.pid));
  y.signal('go');
  expect((await run.end()).code).toBe(0);
  expect(y.landings()).toEqual({ a: 1 });
});

test('a plain run does not start beside one that is there to share', async () => {
  const y = testProject({ tasks: [{ id: 'a' }, { id: 'b' }], script: { a: [waits] } });
  const run = y.start('run', y.plan, '--share', '--only', 'a');
  await y.untilStatus(({ tasks }) => tasks.some(({ state }) => state === 'working'), 'working');
  const second = await y.ym('run', '--scope', 'ready');
  expect(second.code).toBe(3);
  expect(second.stderr).toContain(String(run.pid));
  y.signal('go');
  expect((await run.end()).code).toBe(0);
});

test('a run that is refused stores nothing and opens nothing again', async () => {
  const y = testProject({
    config: { retries: 0 },
    tasks: [{ id: 'a' }, { id: 'fails' }],
    script: { a: [waits], fails: [[exit(3)]] },
  });
  const run = y.start('run', y.plan, '--jobs', '2');
  await y.untilStatus(({ tasks }) => tasks.some(({ state }) => state === 'failed'), 'failed');
  const before = (await y.events()).length;
  y.write('more.yaml', 'tasks: [{ id: new, title: New }]\n');
  expect(await y.ym('run', 'more.yaml', '--scope', 'ready')).toMatchObject({ code: 3 });
  const added = (await y.events()).slice(before).map(({ type }) => type);
  expect(added.filter((type) => type.startsWith('task-'))).toEqual([]);
  y.signal('go');
  expect((await run.end()).code).toBe(1);
  expect((await y.task('fails')).attempts).toBe(1);
});

test('failures in a row count over all runs', async () => {
  const y = testProject({
    config: { retries: 0, quarantine: 2 },
    tasks: [{ id: 'a' }],
    script: { a: [[exit(3)]] },
  });
  await y.ym('run', y.plan);
  expect((await y.task('a')).state).toBe('failed');
  await y.ym('run', y.plan);
  expect((await y.task('a')).state).toBe('quarantined');
  expect(await y.ym('run', y.plan)).toMatchObject({ code: 1 });
  expect((await y.task('a')).attempts).toBe(2);
  expect((await y.ym('retry', 'a')).code).toBe(0);
  expect((await y.task('a')).state).toBe('ready');
});

test('a run whose attempts are used up goes on with new ones when it is resumed', async () => {
  const y = testProject({
    files: { 'gate.sh': '! [ -e bad ]\n' },
    tasks: [{ id: 'a' }],
    script: { a: [[write('bad', 'x\n')], [{ delete: { path: 'bad' } }, write('a.txt', 'a\n')]] },
  });
  expect(await y.ym('run', y.plan, '--max-attempts', '1')).toMatchObject({ code: 4 });
  expect(await y.ym('resume')).toMatchObject({ code: 0 });
  expect(y.landings()).toEqual({ a: 1 });
});

test('a gate that was stopped again and again is still judged in the end', async () => {
  const y = testProject({
    files: { 'gate.sh': '[ -e "$STAGE/go" ] || sleep 30\n' },
    config: { gate: { commands: ['sh gate.sh'], branch: 'always' } },
    tasks: [{ id: 'a' }],
    script: { a: [[write('a.txt', 'a\n')]] },
  });
  const inGate = () =>
    y.untilStatus(
      ({ run: newest, tasks }) =>
        newest?.state === 'running' &&
        tasks.some(({ state }) => state === 'gating' || state === 'landing'),
      'the gate of a run that is driven',
    );
  const env = { STAGE: y.stage };
  let run = y.startWith({ env }, 'run', y.plan);
  for (let times = 0; times < 5; times += 1) {
    await inGate();
    expect((await y.ym('stop', '--now')).code).toBe(0);
    expect((await run.end()).code).toBe(4);
    if (times === 4) y.signal('go');
    run = y.startWith({ env }, 'resume');
  }
  expect((await run.end()).code).toBe(0);
  expect(y.landings()).toEqual({ a: 1 });
});

test('a run whose agent is gone from the config is not resumed at the cost of its tasks', async () => {
  const command = { use: 'command', command: ['touch', 'made.txt'] };
  const agents = { mine: command, other: { ...command, types: ['chore'] } };
  const y = testProject({
    config: { jobs: 1, budget: { attempts: 1 }, agent: 'mine', agents },
    tasks: [{ id: 'a' }, { id: 'b', type: 'chore' }],
    leaves: ['branches'],
  });
  expect(await y.ym('run', y.plan)).toMatchObject({ code: 4 });
  expect(await y.ym('config', 'set', 'agents.other', '')).toMatchObject({ code: 0 });
  const before = await y.events();
  const resumed = await y.ym('resume');
  expect(resumed.code).toBe(2);
  expect(resumed.stderr).toContain('other');
  expect(await y.events()).toEqual(before);
  expect(await y.task('b')).toMatchObject({ state: 'ready', attempts: 0 });
});
