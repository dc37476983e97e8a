// Runs of a daemon whose projects, processes and clock are in memory.
import { Runs } from '../../src/daemon/runs.ts';
import { daemonLimits, type Submission, type Wishes } from '../../src/model/daemon.ts';
import type { EventBody } from '../../src/model/event.ts';
import { fail } from '../../src/model/failure.ts';
import type { StopReason } from '../../src/model/run.ts';
import type { SlotChange } from '../../src/model/run-record.ts';
import { settings, task } from '../story.ts';
import { Children, ownerOf } from './run-children.ts';
import { MemoryStore } from './store.ts';

export const wishes: Wishes = { jobs: 4, spawnRate: 4, priority: 'normal' };
export const pool = { jobs: 8, spawnsPerTick: 4 };

interface Scene {
  now: number;
  children: Children;
  stores: Map<string, MemoryStore>;
  log: string[];
  readonly away: Set<string>;
  /** Process that drives a run without the daemon. */
  living: number | undefined;
  runs: Runs;
}

export const scene = { away: new Set<string>() } as Scene;

/** Call it before each test. */
export function newScene(): void {
  scene.now = 1_000;
  scene.children = new Children();
  scene.stores = new Map();
  scene.log = [];
  scene.living = undefined;
  scene.runs = runsOf([]);
}

export function runsOf(submissions: readonly Submission[]): Runs {
  return new Runs(
    {
      here: {
        clock: { now: () => scene.now, sleep: async () => {} },
        self: () => ownerOf(1),
        isAlive: ({ pid }) => pid === scene.living,
        env: { FROM: 'daemon' },
      },
      projects: {
        use: async (root, work) => {
          const store = scene.stores.get(root);
          if (scene.away.has(root)) return fail({ kind: 'store-busy', file: root, waitedMs: 1 });
          if (store !== undefined) return work({ store });
          return fail({ kind: 'usage', problem: `${root} is gone`, remedy: 'Put it back.' });
        },
      },
      children: scene.children,
      log: (line) => scene.log.push(line),
      sentence: (failure) => (failure.kind === 'usage' ? failure.problem : failure.kind),
    },
    submissions,
  );
}

export function submission(number: number, more: Partial<Submission> = {}): Submission {
  const root = `/project-${number}`;
  if (!scene.stores.has(root)) scene.stores.set(root, new MemoryStore());
  return { number, root, words: ['run'], wishes, askedAt: scene.now, deaths: 0, ...more };
}

export async function tell(number: number, ...events: readonly EventBody[]): Promise<void> {
  const stored = await scene.stores.get(`/project-${number}`)?.append(scene.now, events);
  if (!stored?.ok) throw new Error(JSON.stringify(stored));
}

/** The process of a submission stores its run and some tasks. */
export async function begin(number: number, jobs: number, tasks = 9): Promise<void> {
  const owner = scene.runs.submissions.find((one) => one.number === number)?.owner ?? ownerOf(0);
  const added = Array.from({ length: tasks }, (_, at) => task(`t${at}`));
  await tell(number, ...added.map((one) => ({ type: 'task-added', task: one }) as const), {
    type: 'run-started',
    run: `r${number}`,
    owner,
    settings: settings({ jobs, spawnRate: 4 }),
    base: 'b',
  });
}

export const end = (number: number, reason: StopReason): Promise<void> =>
  tell(number, { type: 'run-ended', run: `r${number}`, stop: { reason } });

export async function changes(number: number): Promise<readonly SlotChange[]> {
  const events = await scene.stores.get(`/project-${number}`)?.events({});
  return (events?.ok ? events.value : []).flatMap((event) =>
    event.type === 'slots-changed' ? [event.change] : [],
  );
}

export async function tick(more = pool): Promise<void> {
  scene.now += daemonLimits.tickMs;
  await scene.runs.look();
  await scene.runs.share(more);
}
