// The daemon: one process that drives the runs of several projects.

import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { daemonOf, logOf, oneSlow, served } from '../../rig/daemon.ts';
import { hasTmux } from '../../rig/tmux.ts';
import { until } from '../../rig.ts';

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
