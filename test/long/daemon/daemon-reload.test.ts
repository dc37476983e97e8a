// What the daemon takes from a changed config while runs are under way, and how it paces agents.
import { appendFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { DaemonStatus } from '../../../src/model/daemon.ts';
import {
  type TestProject,
  type TestProjectOptions,
  testProject,
  touch,
  until,
  waitFor,
  write,
} from '../../rig.ts';

const ids = ['a', 'b', 'c', 'd', 'e', 'f'];
const tasks = ids.map((id) => ({ id }));
const script = Object.fromEntries(
  ids.map((id) => [id, [[touch(id), waitFor('go'), write(id, `${id}\n`)]]]),
);

/** A run under the daemon, with a config of the user. Its agents wait for `go` unless that was signaled before. */
async function served(
  user: string,
  options: TestProjectOptions = {},
  { hasGone = false } = {},
): Promise<TestProject> {
  const y = testProject({ tasks, script, config: { jobs: 6 }, ...options });
  configure(y, user);
  if (hasGone) y.signal('go');
  onTestFinished(async () => {
    await y.ym('daemon', 'stop', '--now');
  });
  await y.ym('daemon', 'start');
  await y.ym('run', y.plan, '--detach');
  return y;
}

function configure(y: TestProject, text: string): void {
  mkdirSync(join(y.home, 'config/yardmaster'), { recursive: true });
  writeFileSync(join(y.home, 'config/yardmaster/config.yaml'), text);
}

async function daemonOf(y: TestProject): Promise<DaemonStatus> {
  return JSON.parse((await y.ym('daemon', 'status', '--json')).stdout);
}

const logOf = (y: TestProject): string => readFileSync(join(y.state, 'daemon/daemon.log'), 'utf8');

const busy = async (y: TestProject): Promise<number> => (await daemonOf(y)).runs[0]?.busy ?? 0;

test('a reload changes the listed keys of what runs, and a bad config changes nothing', async () => {
  const y = await served('daemon: { jobs: 1 }\n');
  await until(async () => (await busy(y)) === 1, 'one agent');
  configure(y, 'daemon: { jobs: 3 }\n');
  const reloaded = await y.ym('daemon', 'reload');
  expect(reloaded).toMatchObject({ code: 0, stderr: '' });
  expect(reloaded.stdout).toContain('daemon.jobs is 3 now; it was 1.');
  await until(async () => (await busy(y)) === 3, 'three agents');
  // By signal, too; the agents at work stay.
  configure(y, 'daemon: { jobs: 2, spawns_per_tick: 1 }\n');
  process.kill((await daemonOf(y)).owner.pid, 'SIGHUP');
  await until(async () => (await daemonOf(y)).jobs === 2, 'the signal');
  await until(async () => (await daemonOf(y)).runs[0]?.jobs === 2, 'fewer slots');
  expect(await busy(y)).toBe(3);
  configure(y, 'daemon: { sloths: 9 }\n');
  process.kill((await daemonOf(y)).owner.pid, 'SIGHUP');
  await until(() => /reload: this file is ignored\. .*sloths/.test(logOf(y)), 'the refused signal');
  expect(await daemonOf(y)).toMatchObject({ jobs: 2, spawnsPerTick: 1 });
  configure(y, 'daemon: { jbos: 9 }\n');
  const bad = await y.ym('daemon', 'reload');
  const unchanged = 'No value that the daemon or a run under way uses has changed.\n';
  expect(bad).toMatchObject({ code: 2, stdout: unchanged });
  expect(bad.stderr).toContain('"daemon.jbos" is not a known key');
  expect(logOf(y)).toMatch(/reload: this file is ignored\. .*jbos/);
  configure(y, 'daemon: { jobs: 2, spawns_per_tick: 1 }\n');
  appendFileSync(join(y.root, 'yardmaster.yaml'), 'nonsense\n');
  expect((await y.ym('daemon', 'reload')).stderr).toContain(join(y.root, 'yardmaster.yaml'));
  expect(await daemonOf(y)).toMatchObject({ jobs: 2, spawnsPerTick: 1 });
  // Valid values are applied, and printed next to the errors.
  configure(y, 'daemon: { jobs: 3, spawns_per_tick: 1 }\n');
  const partly = await y.ym('daemon', 'reload');
  expect(partly).toMatchObject({ code: 2, stdout: 'daemon.jobs is 3 now; it was 2.\n' });
  expect(partly.stderr).toContain(join(y.root, 'yardmaster.yaml'));
  y.git('checkout', '--', 'yardmaster.yaml');
  y.signal('go');
  await y.untilStatus(({ counts }) => counts.landed === 6, 'the end of the run');
});

test('agents of a run under way get the program of the reloaded config', async () => {
  const y = await served('daemon: { jobs: 1 }\n');
  await until(async () => (await busy(y)) === 1, 'one agent');
  const other = join(y.stage, 'other.json');
  writeFileSync(other, readFileSync(y.scriptFile, 'utf8').replaceAll('"go"', '"go-other"'));
  const config = JSON.parse(y.read('yardmaster.yaml'));
  config.agents.actor.script = other;
  y.write('yardmaster.yaml', JSON.stringify(config));
  expect(await y.ym('daemon', 'reload')).toMatchObject({ code: 0 });
  await until(
    async () => (await y.events()).some(({ type }) => type === 'run-reloaded'),
    'the reload of the run',
  );
  // The agent at work still follows its old script; those that start now follow the other one.
  y.signal('go');
  await y.untilStatus(({ counts }) => counts.landed === 1, 'the first landing');
  await until(async () => (await busy(y)) === 1, 'the next agent');
  y.git('checkout', '--', 'yardmaster.yaml');
  y.signal('go-other');
  await y.untilStatus(({ counts }) => counts.landed === 6, 'the end of the run');
});

test('a run under way gets the slots and the limits of the reloaded config', async () => {
  const y = await served('daemon: { jobs: 4 }\n', {
    tasks: tasks.slice(0, 2),
    config: { jobs: 1, retries: 0 },
    leaves: ['branches'],
  });
  await y.seen('a');
  const config = JSON.parse(y.read('yardmaster.yaml'));
  const changed = { ...config, jobs: 2, limits: { agent_wall: '1s' } };
  y.write('yardmaster.yaml', JSON.stringify(changed));
  const reloaded = await y.ym('daemon', 'reload');
  expect(reloaded.code).toBe(0);
  expect(reloaded.stdout).toContain(`jobs of the run of ${y.root} is 2 now; it was 1.\n`);
  // The second slot takes the other task, whose agent has only a second; the agent at work keeps its hour.
  await y.untilStatus(({ counts }) => counts.failed === 1, 'the end of the agent that waits');
  expect(await y.events()).toContainEqual(
    expect.objectContaining({
      type: 'turn-ended',
      id: 'b',
      result: expect.objectContaining({ failure: expect.objectContaining({ limit: 'wall' }) }),
    }),
  );
  y.git('checkout', '--', 'yardmaster.yaml');
  y.signal('go');
  await y.untilStatus(({ counts }) => counts.landed === 1, 'the end of the run');
});
