import { describe, expect, test } from 'vitest';
import type { DaemonRun, DaemonStatus } from '../../model/daemon.ts';
import { plain } from '../format/style.ts';
import { daemonLines } from './status.ts';

const owner = { pid: 4711, startedAt: '1@machine/boot', host: 'here' };
const wishes = { jobs: 4, spawnRate: 4, priority: 'normal' } as const;

const idle: DaemonStatus = {
  answer: 'status',
  version: '1.2.3',
  owner,
  since: 1_000,
  jobs: 8,
  spawnsPerTick: 4,
  projects: [],
  runs: [],
};

const shop: DaemonRun = {
  number: 1,
  root: '/places/ada/shop',
  state: { id: 'running', run: '261117-174529-cfc0' },
  wishes,
  jobs: 3,
  busy: 2,
};

const busy: DaemonStatus = {
  ...idle,
  projects: ['/places/ada/shop', '/places/ada/blog', '/places/ada/tools'],
  runs: [
    shop,
    {
      number: 2,
      root: '/places/ada/blog',
      state: { id: 'starting' },
      wishes: { ...wishes, priority: 'high' },
      jobs: 4,
      busy: 0,
    },
    {
      number: 3,
      root: '/places/ada/tools',
      state: { id: 'queued' },
      wishes: { ...wishes, jobs: 1, priority: 'low' },
      jobs: 0,
      busy: 0,
    },
  ],
};

test('a run that the daemon only watches is running elsewhere', () => {
  const state = { id: 'elsewhere', run: '261117-174529-cfc0', driver: owner } as const;
  expect(shown({ ...idle, runs: [{ ...shop, state }] })).toContain('cfc0  running elsewhere');
});

const shown = (status: DaemonStatus, width = 90): string =>
  `\n${daemonLines(status, 3_601_000, plain, width).join('\n')}\n`;

describe('the status of the daemon', () => {
  test('is short without runs', () => {
    expect(shown(idle)).toMatchInlineSnapshot(`
      "
      Daemon  running  1 h 00 m  process 4711, ym 1.2.3
      0 agents at work of at most 8; at most 4 starts per second
      0 projects, 0 runs
      "
    `);
  });

  test('lists each run with its slots and its project', () => {
    expect(shown(busy)).toMatchInlineSnapshot(`
      "
      Daemon  running  1 h 00 m  process 4711, ym 1.2.3
      2 agents at work of at most 8; at most 4 starts per second
      3 projects, 3 runs

      run                 state                slots  priority  project
      261117-174529-cfc0  running           2/3 of 4  normal    /places/ada/shop
      #2                  starting          0/4 of 4  high      /places/ada/blog
      #3                  waits for a slot  0/0 of 1  low       /places/ada/tools
      "
    `);
  });

  test('fits a narrow terminal', () => {
    const lines = shown(busy, 60).split('\n').slice(5);
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(60);
  });

  test.each([
    ['finish', 'stopping; agents finish their turns'],
    ['now', 'stopping now'],
  ] as const)('says that the daemon stops (%s)', (stopping, text) => {
    expect(shown({ ...busy, stopping })).toContain(text);
  });

  test('names a run that has ended', () => {
    const ended = { ...shop, state: { id: 'ended', run: 'r1', output: '' } } as const;
    expect(shown({ ...idle, runs: [ended] })).toMatch(/r1 +ended/);
    const refused = { ...shop, state: { id: 'ended', output: '' } } as const;
    expect(shown({ ...idle, runs: [refused] })).toMatch(/#1 +ended/);
  });
});
