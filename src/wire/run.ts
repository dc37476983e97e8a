import { randomBytes } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { Journal, type Observer } from '../engine/journal.ts';
import { Engine } from '../engine/loop.ts';
import type { Ports, Yard } from '../engine/yard.ts';
import { childEnv } from '../git/env.ts';
import type { Event, RunEvent } from '../model/event.ts';
import { type Failure, fail, ok, type Result } from '../model/failure.ts';
import type { Owner, RunId, Scope } from '../model/run.ts';
import type { Task } from '../model/task.ts';
import { limits } from '../plan/limits.ts';
import type { RunRecord } from '../plan/record.ts';
import { State } from '../plan/state.ts';
import type { Clock } from '../process/clock.ts';
import type { Processes } from '../process/processes.ts';
import { supervisor } from '../process/supervisor.ts';
import { systemClock } from '../process/systemclock.ts';
import { readStatus } from '../record/quick.ts';
import type { Store } from '../record/store.ts';
import { worktreePool } from '../worktree/pool.ts';
import { copyFiles } from '../worktree/setup.ts';
import { agentsOf } from './agents.ts';
import { crashing } from './crash.ts';
import type { Preflight } from './preflight.ts';
import { openStore } from './project.ts';

/** What a person asks for, beyond the config. */
export interface RunWish {
  readonly scope: Scope;
  readonly share: boolean;
}

/** A run in the hands of this process. */
export interface Running {
  readonly id: RunId;
  readonly state: State;
  readonly store: Store;
  /** Until the run has ended, or cannot go on. Releases everything. */
  finished(): Promise<Result<RunRecord>>;
  /** Asks for an end: let turns finish, or end them now. */
  stop(how: 'finish' | 'now', by: string): Promise<Result<void>>;
}

/** Gives the observer of a run; `past` are its events from before this process. */
export type Observe = (past: readonly Event[]) => Observer;

/** Starts a new run, unless one is alive here. */
export async function startRun(
  ready: Preflight,
  wish: RunWish,
  observe: Observe,
): Promise<Result<Running>> {
  const { project, settings, base } = ready;
  const opened = await openStore(project, 'write');
  if (!opened.ok) return opened;
  const store = opened.value;
  const hands = await takeHands(store, 'project', wish.share);
  if (!hands.ok) return closing(store, hands);
  const unfinished = await unfinishedRun(store, project.storeFile, hands.value.processes);
  if (!unfinished.ok || unfinished.value !== undefined) {
    await release(store, hands.value);
    const failure = unfinished.ok ? unfinished.value : unfinished.failure;
    return closing(store, fail(failure ?? { kind: 'nothing-to-do' }));
  }
  const { owner, clock } = hands.value;
  const run = newRunId(clock.now());
  const first = { type: 'run-started', run, owner, settings, base } as const;
  return launch(ready, store, hands.value, first, observe([]));
}

/** Goes on with a run whose process is gone. */
export async function resumeRun(
  ready: Preflight,
  run: RunRecord,
  observe: Observe,
): Promise<Result<Running>> {
  const opened = await openStore(ready.project, 'write');
  if (!opened.ok) return opened;
  const store = opened.value;
  const hands = await takeHands(store, 'project', false);
  if (!hands.ok) return closing(store, hands);
  const past = await store.events({ run: run.id });
  if (!past.ok) return closing(store, past);
  const first = { type: 'run-resumed', run: run.id, owner: hands.value.owner } as const;
  const settings = { ...run.settings, gate: ready.settings.gate };
  return launch({ ...ready, settings }, store, hands.value, first, observe(past.value));
}

interface Hands {
  readonly processes: Processes;
  readonly clock: Clock;
  readonly owner: Owner;
  readonly lock?: string;
}

async function takeHands(store: Store, lock: string, share: boolean): Promise<Result<Hands>> {
  const processes = supervisor();
  const hands = { processes, clock: systemClock(), owner: processes.self() };
  if (share) return ok(hands);
  const holder = await store.holder(lock);
  if (!holder.ok) return holder;
  const before = holder.value;
  if (before !== undefined && processes.isAlive(before)) return alive(store, before);
  const taken = await store.lock(lock, hands.owner, before);
  if (!taken.ok) return taken;
  return taken.value === undefined ? ok({ ...hands, lock }) : alive(store, taken.value);
}

async function alive(store: Store, { pid, host }: Owner): Promise<Result<never>> {
  const runs = await store.runs(limits.runsListed);
  const found = runs.ok
    ? runs.value.find((run) => run.owner.pid === pid && run.endedAt === undefined)
    : undefined;
  return fail({ kind: 'run-alive', run: found?.id ?? 'unknown', pid, host });
}

async function release(store: Store, { lock, owner }: Hands): Promise<void> {
  if (lock !== undefined) await store.unlock(lock, owner);
}

async function closing<T>(store: Store, result: Result<T>): Promise<Result<T>> {
  await store.close();
  return result;
}

/** A run that nobody drives and that still holds tasks: its work would be stranded by a new one. */
async function unfinishedRun(
  store: Store,
  file: string,
  processes: Processes,
): Promise<Result<Failure | undefined>> {
  const runs = await store.runs(limits.runsListed);
  if (!runs.ok) return runs;
  const status = readStatus(file);
  if (!status.ok) return status;
  for (const run of runs.value) {
    if (run.endedAt === undefined && processes.isAlive(run.owner)) continue;
    const held = status.value.active.filter(({ attempt }) => attempt?.run === run.id);
    if (held.length > 0) return ok({ kind: 'run-unfinished', run: run.id, tasks: held.length });
  }
  return ok(undefined);
}

async function launch(
  ready: Preflight,
  store: Store,
  hands: Hands,
  first: Extract<RunEvent, { type: 'run-started' | 'run-resumed' }>,
  observe: Observer,
): Promise<Result<Running>> {
  const { run } = first;
  const ports = await portsOf(ready, run, store, hands);
  if (!ports.ok) return closing(store, ports);
  const yard = yardOf(ready, run);
  mkdirSync(yard.dir, { recursive: true });
  const state = new State(inScope(ready.settings.scope));
  const journal = new Journal(ports.value.store, hands.clock, run, state, observe);
  const loaded = await journal.load();
  if (!loaded.ok) return closing(store, loaded);
  const noted = await journal.append([first]);
  if (!noted.ok) return closing(store, noted);
  const engine = new Engine(ports.value, yard, state, journal);
  return ok({
    id: run,
    state,
    store,
    async finished() {
      const ended = await engine.run();
      await release(store, hands);
      await ready.project.git.close();
      return closing(store, ended);
    },
    async stop(how, by) {
      const asked = await store.append(hands.clock.now(), [{ type: 'stop-asked', run, how, by }]);
      engine.nudge();
      return asked.ok ? ok(undefined) : asked;
    },
  });
}

async function portsOf(
  { project, config, settings }: Preflight,
  run: RunId,
  store: Store,
  { processes, clock }: Hands,
): Promise<Result<Ports>> {
  const { git, stateDir, id } = project;
  const pool = await worktreePool({ git, stateDir, project: id, run, slots: settings.jobs });
  if (!pool.ok) return pool;
  const agents = agentsOf(config, project.root);
  // The binaries are looked for once, before the working directory ever changes.
  for (const agent of agents.values()) await agent.check();
  const { copy } = config.worktree;
  return ok(
    crashing({
      git,
      processes,
      store,
      clock,
      pool: pool.value,
      agent: (name) => agents.get(name),
      copyFiles: (worktree) =>
        copy.length === 0 ? Promise.resolve(ok([])) : copyFiles(project.root, worktree, copy),
    }),
  );
}

function yardOf({ project, config, gate, settings }: Preflight, run: RunId): Yard {
  const { agentWallMs, agentIdleMs, agentStartMs, setupWallMs, outputBytes } = config.limits;
  return {
    run,
    target: settings.target,
    dir: join(project.dir, 'runs', run),
    gate,
    setup: config.worktree.setup,
    limits: {
      agent: { wallMs: agentWallMs, idleMs: agentIdleMs, startMs: agentStartMs, outputBytes },
      setup: { wallMs: setupWallMs, outputBytes },
      gate: { wallMs: gate.timeoutMs, outputBytes },
    },
    env: childEnv(process.env),
  };
}

export function inScope(scope: Scope): (task: Task) => boolean {
  switch (scope.kind) {
    case 'ready':
      return () => true;
    case 'only': {
      const tasks = new Set(scope.tasks);
      return (task) => tasks.has(task.id);
    }
    case 'epics': {
      const labels = new Set(scope.epics.map((epic) => `epic:${epic}`));
      return (task) => task.labels.some((label) => labels.has(label));
    }
  }
}

/** Sorts by time, reads as a date, and is short enough for a branch name. */
function newRunId(now: number): RunId {
  const [day = '', time = ''] = new Date(now).toISOString().replace(/\..*$/, '').split('T');
  const suffix = randomBytes(2).toString('hex');
  return `${day.replaceAll('-', '').slice(2)}-${time.replaceAll(':', '')}-${suffix}`;
}
