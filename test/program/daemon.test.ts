// The daemon: one process that drives the runs of several projects.

import { existsSync, statSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { daemonOf, logOf, oneSlow, served } from '../rig/daemon.ts';
import { until } from '../rig.ts';

const killed = (pid: number): void => {
  process.kill(pid, 'SIGKILL');
};

test('one daemon per state folder answers on a socket of its user only', async () => {
  const y = served({});
  expect(await y.ym('daemon', 'status')).toMatchObject({ code: 0 });
  expect((await y.ym('daemon', 'stop')).stderr).toContain('No daemon is running.');
  expect(await y.ym('daemon', 'start')).toMatchObject({ code: 0, stderr: '' });
  const socket = join(y.state, 'daemon/socket');
  expect(statSync(socket).mode & 0o777).toBe(0o600);
  const { pid } = (await daemonOf(y)).owner;
  const second = await y.ym('daemon', 'serve');
  expect(second).toMatchObject({ code: 2, stdout: '' });
  expect(second.stderr).toContain(`A daemon is already running (process ${pid}).`);
  expect(await asked(socket, { version: '0.0.9', request: { ask: 'reload' } })).toContain(
    'this is ym 0.0.9',
  );
  expect(await asked(socket, { nonsense: true })).toContain('does not know this request');
  // A daemon that was killed leaves its socket and its lock; the next one takes over.
  killed(pid);
  await until(async () => !(await daemonOf(y)).running, 'the end of the daemon');
  expect(existsSync(socket)).toBe(true);
  expect(await y.ym('daemon', 'start')).toMatchObject({ code: 0, stderr: '' });
  expect((await daemonOf(y)).owner.pid).not.toBe(pid);
  expect(await y.ym('daemon', 'stop')).toMatchObject({ code: 0, stderr: '' });
  expect(existsSync(socket)).toBe(false);
  expect((await y.ym('daemon', 'logs')).stdout).toMatch(/has started.*has stopped/s);
});

function asked(path: string, request: object): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(path, () => socket.write(`${JSON.stringify(request)}\n`));
    socket.on('error', reject);
    socket.on('data', (data) => resolve(String(data)));
  });
}

test('ym run hands its run to the daemon and shows it; Ctrl-C leaves the run alone', async () => {
  const y = served(oneSlow);
  await y.ym('daemon', 'start');
  const run = y.start('run', y.plan);
  await y.seen('slow');
  await until(() => /turn +slow/.test(run.stdout()), 'the lines of the run');
  run.signal('SIGINT');
  const left = await run.end();
  expect(left.code).toBe(4);
  expect(left.stdout + left.stderr).toMatch(/Run \S+ goes on in the background. `ym watch`/);
  await until(async () => (await daemonOf(y)).runs[0]?.busy === 1, 'the agent at work');
  const [one] = (await daemonOf(y)).runs;
  expect(one).toMatchObject({ root: y.root, jobs: 1, busy: 1, state: { id: 'running' } });
  const again = await y.ym('run', '--scope', 'ready');
  expect(again.code).toBe(3);
  expect(again.stderr).toContain('is already running');
  y.signal('go-slow');
  await y.untilStatus(({ counts }) => counts.landed === 2, 'the end of the run');
  await until(async () => (await daemonOf(y)).runs.length === 0, 'the daemon to see it');
  expect(y.landings()).toEqual({ slow: 1, next: 1 });
  const done = await y.ym('run', '--scope', 'ready');
  expect(done).toMatchObject({ code: 0, stderr: '' });
  expect(done.stdout).toContain('every task in scope has landed');
});

test('stop drains: agents finish their turns, and the next daemon goes on', async () => {
  const y = served(oneSlow);
  await y.ym('daemon', 'start');
  await y.ym('run', y.plan, '--detach');
  await y.seen('slow');
  const stop = y.start('daemon', 'stop');
  await until(() => logOf(y).includes('agents finish their turns'), 'the stop');
  expect((await y.ym('run', '--scope', 'ready')).stderr).toContain('The daemon is stopping.');
  y.signal('go-slow');
  expect(await stop.end()).toMatchObject({ code: 0, stderr: '' });
  expect(y.landings()).toEqual({ slow: 1 });
  expect(y.isSeen('next')).toBe(false);
  await y.ym('daemon', 'start');
  await y.untilStatus(({ counts }) => counts.landed === 2, 'the rest');
});

test('a killed daemon leaves its runs alone; the next one adopts them, and resumes dead ones', async () => {
  const y = served(oneSlow);
  await y.ym('daemon', 'start');
  await y.ym('run', y.plan, '--detach');
  await y.seen('slow');
  killed((await daemonOf(y)).owner.pid);
  await y.ym('daemon', 'start');
  await until(async () => (await daemonOf(y)).runs[0]?.busy === 1, 'the adopted run');
  const owner = async (): Promise<number> => {
    const started = (await y.events()).findLast(
      ({ type }) => type === 'run-started' || type === 'run-resumed',
    );
    return started !== undefined && 'owner' in started ? started.owner.pid : 0;
  };
  // Now the daemon and the process of the run die together, as in a power failure.
  const [daemon, run] = [(await daemonOf(y)).owner.pid, await owner()];
  killed(daemon);
  killed(run);
  await y.ym('daemon', 'start');
  await until(async () => (await owner()) !== run, 'the resumed run');
  y.signal('go-slow');
  await y.untilStatus(({ counts }) => counts.landed === 2, 'the end of the run');
  expect(y.landings()).toEqual({ slow: 1, next: 1 });
});
