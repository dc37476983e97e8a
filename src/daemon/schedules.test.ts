import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { MemoryStore } from '../../test/memory/store.ts';
import { need } from '../../test/rig/need.ts';
import { tempFolder } from '../../test/rig/temp-folder.ts';
import { owner, settings } from '../../test/story.ts';
import { type DaemonState, noState } from '../model/daemon.ts';
import type { EventBody } from '../model/event.ts';
import { ok } from '../model/failure.ts';
import { Schedules } from './schedules.ts';

const at = (text: string): number => Date.parse(text);

let root: string;
let now: number;
let store: MemoryStore;
let state: DaemonState;
let log: string[];
let isAlive: boolean;

beforeEach(() => {
  root = tempFolder();
  now = at('2026-11-17T01:00:00Z');
  store = new MemoryStore();
  state = { ...noState, projects: [root] };
  log = [];
  isAlive = true;
  configure(nightly);
});

const nightly =
  'schedules: { nightly: { cron: "0 2 * * *", zone: UTC, task: { title: Update } } }\n';

function configure(text: string): void {
  writeFileSync(join(root, 'yardmaster.yaml'), text);
}

/** Those of a daemon that has just started. */
function schedules(): Schedules {
  const clock = { now: () => now, sleep: async () => {} };
  const project = { root, env: {}, store, clock, self: () => owner, isAlive: () => isAlive };
  return new Schedules({
    now: clock.now,
    projects: { use: async (_root, work) => work(project) },
    state: {
      get value() {
        return state;
      },
      save(changes) {
        state = { ...state, ...changes };
        return ok(undefined);
      },
    },
    log: (line) => log.push(line.replaceAll(root, 'ROOT')),
    sentence: (failure) => ('problem' in failure ? String(failure.problem) : failure.kind),
  });
}

async function tasks(): Promise<readonly string[]> {
  const ids = await store.ids('tasks');
  return ids.ok ? ids.value : [];
}

async function fireAt(time: string, one = schedules()): Promise<number | undefined> {
  now = at(time);
  return one.fire();
}

async function tell(...events: readonly EventBody[]): Promise<void> {
  need(await store.append(now, events));
}

const free: ReadonlySet<string> = new Set();

describe('a schedule', () => {
  test('adds its task at its time, with the date in its id', async () => {
    await fireAt('2026-11-17T01:00:00Z');
    expect(await tasks()).toEqual([]);
    await fireAt('2026-11-17T02:00:00Z');
    expect(await tasks()).toEqual(['nightly-20261117-0200']);
    expect(log).toEqual(['schedule nightly of ROOT: added nightly-20261117-0200']);
    expect(state.due).toEqual([{ root, task: 'nightly-20261117-0200' }]);
  });

  test('does not add it twice, also after a restart', async () => {
    await fireAt('2026-11-17T01:00:00Z');
    await fireAt('2026-11-17T02:00:00Z');
    await fireAt('2026-11-17T02:00:30Z');
    expect(await tasks()).toHaveLength(1);
    // The daemon died after the task was stored and before it noted that.
    state = { ...state, fired: { [`${root} nightly`]: at('2026-11-17T01:00:00Z') } };
    await fireAt('2026-11-17T02:01:00Z');
    expect(await tasks()).toHaveLength(1);
    expect(log.at(-1)).toBe('schedule nightly of ROOT: nightly-20261117-0200 was added before');
  });

  test('catches up at most one firing after the daemon was off', async () => {
    await fireAt('2026-11-10T01:00:00Z');
    await fireAt('2026-11-17T09:00:00Z');
    expect(await tasks()).toEqual(['nightly-20261117-0200']);
  });

  test('does not fire for the time before it was known', async () => {
    await fireAt('2026-11-17T09:00:00Z');
    expect(await tasks()).toEqual([]);
  });

  test('waits while its last task is open', async () => {
    await fireAt('2026-11-17T01:00:00Z');
    await fireAt('2026-11-17T02:00:00Z');
    await fireAt('2026-11-18T02:00:00Z');
    expect(await tasks()).toHaveLength(1);
    expect(log.at(-1)).toBe(
      'schedule nightly of ROOT: skipped nightly-20261118-0200, because nightly-20261117-0200 is still ready',
    );
    const decision = { kind: 'cancel', reason: 'x' } as const;
    await tell({ type: 'task-decided', id: 'nightly-20261117-0200', decision });
    await fireAt('2026-11-19T02:00:00Z');
    expect(await tasks()).toEqual(['nightly-20261117-0200', 'nightly-20261119-0200']);
  });

  test('tells when to look again', async () => {
    expect(await fireAt('2026-11-17T01:59:50Z')).toBe(at('2026-11-17T02:00:00Z'));
    expect(await fireAt('2026-11-17T01:00:00Z')).toBe(at('2026-11-17T01:00:30Z'));
    state = { ...state, projects: [] };
    expect(await fireAt('2026-11-17T01:00:00Z')).toBeUndefined();
  });

  test('is looked for while its project has none, and fires when it is back', async () => {
    await fireAt('2026-11-17T01:00:00Z');
    configure('jobs: 2\n');
    expect(await fireAt('2026-11-17T01:59:50Z')).toBe(at('2026-11-17T02:00:20Z'));
    configure(nightly);
    await fireAt('2026-11-17T02:00:20Z');
    expect(await tasks()).toEqual(['nightly-20261117-0200']);
  });

  test('stays as it was while the config is invalid, which is logged once', async () => {
    const one = schedules();
    await fireAt('2026-11-17T01:00:00Z', one);
    configure('schedules: { nightly: {} }\n');
    await fireAt('2026-11-17T01:30:00Z', one);
    expect(await fireAt('2026-11-17T01:59:50Z', one)).toBe(at('2026-11-17T02:00:00Z'));
    expect(log).toHaveLength(1);
    expect(log[0]).toContain('schedules of ROOT are not read:');
    await fireAt('2026-11-17T02:00:00Z', one);
    expect(await tasks()).toEqual(['nightly-20261117-0200']);
  });

  test('is looked for again if the config was invalid when the daemon started', async () => {
    await fireAt('2026-11-17T01:00:00Z');
    configure('schedules: { nightly: {} }\n');
    const one = schedules();
    expect(await fireAt('2026-11-17T02:00:00Z', one)).toBe(at('2026-11-17T02:00:30Z'));
    configure(nightly);
    await fireAt('2026-11-17T02:00:30Z', one);
    expect(await tasks()).toEqual(['nightly-20261117-0200']);
  });

  test('reports a task that cannot be added', async () => {
    configure('schedules: { n: { cron: "0 2 * * *", zone: UTC, task: { title: x, after: 7 } } }\n');
    await fireAt('2026-11-17T01:00:00Z');
    const one = schedules();
    await fireAt('2026-11-17T02:00:00Z', one);
    await fireAt('2026-11-17T02:00:30Z', one);
    expect(log).toEqual(['schedule n of ROOT: missing-dependency']);
    configure('schedules: { n: { cron: "0 2 * * *", zone: UTC, task: { title: x } } }\n');
    await fireAt('2026-11-17T02:01:00Z', one);
    expect(await tasks()).toEqual(['n-20261117-0200']);
  });
});

describe('a task of a schedule', () => {
  beforeEach(async () => {
    await fireAt('2026-11-17T01:00:00Z');
    await fireAt('2026-11-17T02:00:00Z');
  });

  test('gets a run of its own', async () => {
    expect(await schedules().runs(free)).toEqual([
      {
        root,
        words: ['run', '--only=nightly-20261117-0200', '--yes', '--skip-plan'],
        wishes: { jobs: 4, spawnRate: 4, priority: 'normal' },
      },
    ]);
    expect(state.due).toEqual([]);
    expect(await schedules().runs(free)).toEqual([]);
  });

  test('waits until the config is valid', async () => {
    configure('schedules: { nightly: {} }\n');
    expect(await schedules().runs(free)).toEqual([]);
    configure(nightly);
    expect(await schedules().runs(free)).toHaveLength(1);
  });

  test('waits for the run that the daemon drives in its project', async () => {
    expect(await schedules().runs(new Set([root]))).toEqual([]);
    expect(state.due).toHaveLength(1);
  });

  test('waits for the run that somebody else drives there', async () => {
    await tell({ type: 'run-started', run: 'r1', owner, settings: settings(), base: 'b' });
    expect(await schedules().runs(free)).toEqual([]);
    isAlive = false;
    expect(await schedules().runs(free)).toHaveLength(1);
  });

  test('needs no run if another one has finished it', async () => {
    const decision = { kind: 'cancel', reason: 'x' } as const;
    await tell({ type: 'task-decided', id: 'nightly-20261117-0200', decision });
    expect(await schedules().runs(free)).toEqual([]);
    expect(state.due).toEqual([]);
  });
});
