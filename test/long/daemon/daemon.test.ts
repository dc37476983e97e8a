// The daemon: one process that drives the runs of several projects.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { DaemonStatus } from '../../../src/model/daemon.ts';
import { hasTmux } from '../../rig/tmux.ts';
import {
  type TestProject,
  type TestProjectOptions,
  testProject,
  touch,
  until,
  waitFor,
  write,
} from '../../rig.ts';

/** A task that works until it is told to go on. */
const slow = (id: string) => ({ [id]: [[touch(id), waitFor(`go-${id}`), write(id, `${id}\n`)]] });

const oneSlow = {
  config: { jobs: 1 },
  tasks: [{ id: 'slow', priority: 0 }, { id: 'next' }],
  script: { ...slow('slow'), next: [[touch('next'), write('next', 'next\n')]] },
} as const satisfies TestProjectOptions;

/** A project whose daemon ends with the test. */
function served(options: TestProjectOptions): TestProject {
  const y = testProject(options);
  onTestFinished(async () => {
    await y.ym('daemon', 'stop', '--now');
  });
  return y;
}

/** A second project of the same user. */
function beside(y: TestProject, options: TestProjectOptions): TestProject {
  return testProject({ ...options, env: { YARDMASTER_STATE_DIR: y.state } });
}

async function daemonOf(y: TestProject): Promise<DaemonStatus & { readonly running: boolean }> {
  return JSON.parse((await y.ym('daemon', 'status', '--json')).stdout);
}

const logOf = (y: TestProject): string => readFileSync(join(y.state, 'daemon/daemon.log'), 'utf8');

// reason: only tmux shows what a terminal would show.
test.skipIf(!hasTmux)(
  'keys of the dashboard change a run of the daemon, and q leaves it with 0',
  async () => {
    const y = served(oneSlow);
    await y.ym('daemon', 'start');
    const terminal = y.tmux(80, 24);
    terminal.run(`ym run '${y.plan}'; echo "left with $?"`);
    await y.seen('slow');
    await terminal.shows('SLOTS 1 of 1');
    const confirms = async (key: string, question: string): Promise<void> => {
      terminal.type(key);
      await terminal.shows(question);
      terminal.type('y');
    };
    const hasSlots = (jobs: number): Promise<void> =>
      until(async () => (await daemonOf(y)).runs[0]?.wishes.jobs === jobs, `${jobs} slots`);
    await confirms('+', 'Add a slot?');
    await hasSlots(2);
    await y.seen('next');
    await confirms('-', 'Remove slot 2?');
    await hasSlots(1);
    await confirms('s', 'End the run when its agents have finished?');
    await until(
      async () => (await y.events()).some(({ type }) => type === 'stop-asked'),
      'the stop of the run',
    );
    terminal.type('q');
    await terminal.shows('left with 0');
    await terminal.shows('ends in the background when its agents have finished');
    terminal.end();
    expect((await daemonOf(y)).runs).toHaveLength(1);
    y.signal('go-slow');
    await until(async () => (await daemonOf(y)).runs.length === 0, 'the end of the run');
    expect(y.landings()).toEqual({ slow: 1, next: 1 });
  },
);

test('ym run --detach starts the daemon if needed and returns with the run', async () => {
  const y = served(oneSlow);
  const stdin = readFileSync(y.plan, 'utf8');
  const run = await y.ymWith({ stdin }, 'run', '-', '--detach');
  expect(run).toMatchObject({ code: 0, stderr: '' });
  expect(run.stdout).toMatch(
    /^The daemon has started\. It goes on after this run; `ym daemon stop` ends it\.\nRun \S+ has started\./,
  );
  y.signal('go-slow');
  await y.untilStatus(({ counts }) => counts.landed === 2, 'the end of the run');
});

test('ym resume is handed to the daemon, and followed', async () => {
  const y = served(oneSlow);
  const run = y.start('run', y.plan);
  await y.seen('slow');
  run.signal('SIGKILL');
  await run.end();
  y.signal('go-slow');
  await y.ym('daemon', 'start');
  const resumed = await y.ym('resume');
  expect(resumed).toMatchObject({ code: 0, stderr: '' });
  expect(resumed.stdout).toContain('is done');
  expect(y.landings()).toEqual({ slow: 1, next: 1 });
  expect(logOf(y)).toContain('has started with 1 slots');
});

test('a run under way is not resumed again, and keeps its slots', async () => {
  const tasks = ['a', 'b', 'c'].map((id) => ({ id }));
  const script = Object.assign({}, ...tasks.map(({ id }) => slow(id)));
  const y = served({ tasks, script, config: { jobs: 3 } });
  const run = y.start('run', y.plan);
  for (const { id } of tasks) await y.seen(id);
  await y.ym('daemon', 'start');
  const refused = async (): Promise<void> => {
    const again = await y.ym('resume');
    expect(again).toMatchObject({ code: 3, stdout: '' });
    expect(again.stderr).toMatch(/Run \S+ is already running \(process \d+ on/);
  };
  const slotChanges = async (): Promise<readonly unknown[]> =>
    (await y.events()).filter((one) => one.type === 'slots-changed' && one.change.id === 'number');
  // Another process than the daemon drives it.
  await refused();
  expect(await slotChanges()).toEqual([]);
  run.signal('SIGKILL');
  await run.end();
  // Of two that resume it at the same time, one is refused.
  const both = await Promise.all([y.ym('resume', '--detach'), y.ym('resume', '--detach')]);
  expect(both.map(({ code }) => code).sort()).toEqual([0, 3]);
  await until(async () => (await daemonOf(y)).runs[0]?.busy === 3, 'three agents again');
  const before = await slotChanges();
  await refused();
  await refused();
  expect((await daemonOf(y)).runs).toMatchObject([{ jobs: 3, wishes: { jobs: 3 } }]);
  expect(await slotChanges()).toEqual(before);
  for (const { id } of tasks) y.signal(`go-${id}`);
  await y.untilStatus(({ counts }) => counts.landed === 3, 'the end of the run');
});

test('stop ends agents that take longer than daemon.drain, and the next daemon resumes their run', async () => {
  const y = served({ ...oneSlow, leaves: ['branches'] });
  mkdirSync(join(y.home, 'config/yardmaster'), { recursive: true });
  writeFileSync(join(y.home, 'config/yardmaster/config.yaml'), 'daemon: { drain: 500ms }\n');
  await y.ym('daemon', 'start');
  await y.ym('run', y.plan, '--detach');
  await y.seen('slow');
  expect(await y.ym('daemon', 'stop')).toMatchObject({ code: 0, stderr: '' });
  expect(logOf(y)).toMatch(/agents finish their turns[\s\S]*agents are stopped now/);
  expect(await daemonOf(y)).toMatchObject({ running: false });
  expect(y.landings()).toEqual({});
  y.signal('go-slow');
  await y.ym('daemon', 'start');
  await y.untilStatus(({ counts }) => counts.landed === 2, 'the whole run');
});

test('stop --now ends agents at once, and the next daemon resumes their run', async () => {
  const y = served({ ...oneSlow, leaves: ['branches'] });
  await y.ym('daemon', 'start');
  await y.ym('run', y.plan, '--detach');
  await y.seen('slow');
  expect(await y.ym('daemon', 'stop', '--now')).toMatchObject({ code: 0, stderr: '' });
  expect(y.landings()).toEqual({});
  y.signal('go-slow');
  await y.ym('daemon', 'start');
  await y.untilStatus(({ counts }) => counts.landed === 2, 'the whole run');
});

test('the daemon divides its slots among projects, and gives them back', async () => {
  const tasks = ['a', 'b', 'c', 'd'].map((id) => ({ id }));
  const script = Object.assign({}, ...tasks.map(({ id }) => slow(id)));
  const y = served({ tasks, script, config: { jobs: 4 } });
  const z = beside(y, { tasks, script, config: { jobs: 4, daemon: { priority: 'high' } } });
  mkdirSync(join(y.home, 'config/yardmaster'), { recursive: true });
  writeFileSync(join(y.home, 'config/yardmaster/config.yaml'), 'daemon: { jobs: 3 }\n');
  await y.ym('daemon', 'start');
  await y.ym('run', y.plan, '--detach');
  await until(async () => (await daemonOf(y)).runs[0]?.busy === 3, 'three agents');
  const queued = await z.ym('run', z.plan, '--detach');
  expect(queued.stdout).toContain('waits for a free slot');
  const slots = async (): Promise<readonly number[]> =>
    (await daemonOf(y)).runs.map(({ jobs }) => jobs);
  await until(async () => String(await slots()) === '1,0', 'the slots taken away');
  y.signal('go-a');
  y.signal('go-b');
  await until(async () => String(await slots()) === '1,2', 'the slots of the second project');
  await until(async () => (await daemonOf(y)).runs[1]?.busy === 2, 'two agents there');
  for (const { id } of tasks) {
    y.signal(`go-${id}`);
    z.signal(`go-${id}`);
  }
  await y.untilStatus(({ counts }) => counts.landed === 4, 'the end of the first project');
  await z.untilStatus(({ counts }) => counts.landed === 4, 'the end of the second project');
  await until(async () => (await daemonOf(y)).runs.length === 0, 'the end of both runs');
});
