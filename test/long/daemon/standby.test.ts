// A process that waits for the death of the one that drives a run, and takes over.
import { expect, onTestFinished, test } from 'vitest';
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
