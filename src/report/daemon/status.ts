import type { DaemonRun, DaemonStatus } from '../../model/daemon.ts';
import { counted } from '../format/amount.ts';
import type { Style } from '../format/style.ts';
import { type Row, table } from '../format/table.ts';
import { span } from '../format/time.ts';

export function daemonLines(
  { owner, version, since, jobs, spawnsPerTick, stopping, projects, runs }: DaemonStatus,
  now: number,
  style: Style,
  width: number,
): readonly string[] {
  const state = stopping === undefined ? 'running' : stoppingText[stopping];
  const busy = runs.reduce((sum, run) => sum + run.busy, 0);
  return [
    `Daemon  ${style.bold(state)}  ${span(now - since)}  process ${owner.pid}, ym ${version}`,
    `${counted(busy, 'agent')} at work of at most ${jobs}; at most ${counted(spawnsPerTick, 'start')} per second`,
    `${counted(projects.length, 'project')}, ${counted(runs.length, 'run')}`,
    ...(runs.length === 0 ? [] : ['']),
    ...table(
      [
        'run',
        'state',
        { title: 'slots', align: 'right' },
        'priority',
        { title: 'project', gives: true },
      ],
      runs.map(rowOf),
      width,
      style.dim,
    ),
  ];
}

const stoppingText = {
  finish: 'stopping; agents finish their turns',
  now: 'stopping now',
} as const;

function rowOf({ number, state, busy, jobs, wishes, root }: DaemonRun): Row {
  const run = 'run' in state ? (state.run ?? `#${number}`) : `#${number}`;
  return [run, stateText[state.id], `${busy}/${jobs} of ${wishes.jobs}`, wishes.priority, root];
}

const stateText = {
  queued: 'waits for a slot',
  starting: 'starting',
  running: 'running',
  elsewhere: 'running elsewhere',
  ended: 'ended',
} as const;
