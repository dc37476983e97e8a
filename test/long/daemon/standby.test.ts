// A process that waits for the death of the one that drives a run, and takes over.
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { projectLock } from '../../../src/model/lease.ts';
import { limits } from '../../../src/model/limits.ts';
import { openSqlite } from '../../../src/record/sqlite.ts';
import { here } from '../../../src/wire/place.ts';
import { need } from '../../conformance/git.ts';
import {
  type Child,
  type TestProject,
  testProject,
  touch,
  until,
  waitFor,
  write,
} from '../../rig.ts';

const slow = {
  config: { jobs: 1 },
  tasks: [{ id: 'slow', priority: 0 }, { id: 'next' }],
  script: {
    slow: [[touch('slow'), waitFor('go'), write('slow', 'slow\n')]],
    next: [[touch('next'), write('next', 'next\n')]],
  },
} as const;

async function standby(y: TestProject): Promise<Child> {
  const child = y.start('resume', '--standby');
  await until(() => /Waiting for run \S+, driven by process \d+/.test(child.stdout()), 'the wait');
  return child;
}

test('one of those that stand by takes over a killed run, and the other sees its end', async () => {
  const y = testProject(slow);
  const run = y.start('run', y.plan);
  await y.seen('slow');
  const both = [await standby(y), await standby(y)];
  run.signal('SIGKILL');
  await run.end();
  y.signal('go');
  const ended = await Promise.all(both.map((child) => child.end()));
  expect(ended).toMatchObject([
    { code: 0, stderr: '' },
    { code: 0, stderr: '' },
  ]);
  const printed = ended.map(({ stdout }) => stdout);
  expect(printed.filter((text) => text.includes('resumed'))).toHaveLength(1);
  expect(printed.filter((text) => text.includes('there is nothing to take over'))).toHaveLength(1);
  expect(y.landings()).toEqual({ slow: 1, next: 1 });
});

test('a process that stands by leaves a living run alone, and ends with it', async () => {
  const y = testProject(slow);
  const run = y.start('run', y.plan);
  await y.seen('slow');
  const left = await standby(y);
  const kept = await standby(y);
  const refused = await y.ym('resume');
  expect(refused).toMatchObject({ code: 3 });
  expect(refused.stderr).toContain('`ym resume --standby`');
  const json = y.start('resume', '--standby', '--json');
  await until(() => json.stdout().includes('"waiting"'), 'the wait as JSON');
  left.signal('SIGINT');
  const gone = await left.end();
  expect(gone).toMatchObject({ code: 4, stderr: '' });
  expect(gone.stdout).toMatch(/No longer waiting for run \S+, which goes on\./);
  y.signal('go');
  expect(await run.end()).toMatchObject({ code: 0 });
  const ended = await kept.end();
  expect(ended).toMatchObject({ code: 0, stderr: '' });
  expect(ended.stdout).toMatch(/Run \S+ has ended, so there is nothing to take over\./);
  const lines = (await json.end()).stdout.trimEnd().split('\n');
  expect(lines.map((line) => JSON.parse(line))).toMatchObject([
    { type: 'standby', state: 'waiting', run: expect.any(String), pid: expect.any(Number) },
    { type: 'standby', state: 'ended', run: expect.any(String) },
  ]);
  expect(y.landings()).toEqual({ slow: 1, next: 1 });
});

test('without a run under way, standby resumes what was left at once', async () => {
  const y = testProject(slow);
  const run = y.start('run', y.plan);
  await y.seen('slow');
  run.signal('SIGKILL');
  await run.end();
  y.signal('go');
  const resumed = await y.ym('resume', '--standby');
  expect(resumed).toMatchObject({ code: 0, stderr: '' });
  expect(resumed.stdout).not.toContain('Waiting');
  expect(resumed.stdout).toMatch(/^No process drives run \S+; resuming it\.$/m);
  expect(y.landings()).toEqual({ slow: 1, next: 1 });
  const both = await y.ym('resume', '--standby', '--detach');
  expect(both).toMatchObject({ code: 2, stdout: '' });
  expect(both.stderr).toContain('--detach and --standby were both given');
});

test('while another process is only about to start a run, standby says once what it does', async () => {
  const y = testProject(slow);
  const run = y.start('run', y.plan);
  await y.seen('slow');
  run.signal('SIGKILL');
  await run.end();
  y.signal('go');
  const file = join(y.root, '.git', 'yardmaster', 'yard.db');
  const store = await need(openSqlite(file, { mode: 'write' }));
  onTestFinished(() => store.close());
  const self = here.self();
  const before = await need(store.holder(projectLock));
  await need(store.lock(projectLock, { ...self, until: Number.MAX_SAFE_INTEGER }, before));
  const child = y.start('resume', '--standby');
  await until(() => child.stdout().includes('; resuming it.'), 'the first try');
  // Nothing tells from outside that it tries again.
  await here.clock.sleep(3 * limits.refreshMs);
  await need(store.unlock(projectLock, self));
  const ended = await child.end();
  expect(ended).toMatchObject({ code: 0, stderr: '' });
  expect(ended.stdout.match(/; resuming it\./g)).toHaveLength(1);
});

test('a daemon leaves a run alone that a standby took over, and resumes it if the standby dies', async () => {
  const y = testProject(slow);
  onTestFinished(async () => {
    await y.ym('daemon', 'stop', '--now');
  });
  await y.ym('daemon', 'start');
  await y.ym('run', y.plan, '--detach');
  await y.seen('slow');
  const child = await standby(y);
  const pid = Number(/process (\d+)/.exec(child.stdout())?.[1]);
  process.kill(pid, 'SIGKILL');
  await until(() => child.stdout().includes('resumed'), 'the standby to take over');
  const status = async (): Promise<string> => (await y.ym('daemon', 'status')).stdout;
  await until(async () => (await status()).includes('running elsewhere'), 'the daemon to watch it');
  await y.ym('slots', '2');
  const changes = async () =>
    (await y.events()).flatMap((one) => (one.type === 'slots-changed' ? [one.change] : []));
  expect((await changes()).at(-1)).toEqual({ id: 'number', jobs: 2 });
  child.signal('SIGKILL');
  await child.end();
  const owners = async () =>
    (await y.events()).flatMap((one) => (one.type === 'run-resumed' ? [one.owner.pid] : []));
  await until(async () => (await owners()).length === 2, 'the daemon to resume it');
  y.signal('go');
  await y.untilStatus(({ counts }) => counts.landed === 2, 'the end of the run');
  expect(y.landings()).toEqual({ slow: 1, next: 1 });
});
