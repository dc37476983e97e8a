import { randomBytes } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { Config } from '../config/config.ts';
import type { RunContext } from '../engine/context.ts';
import { Journal, type Observer } from '../engine/journal.ts';
import { Engine } from '../engine/loop.ts';
import { signsBefore } from '../gate/detect.ts';
import { isLive } from '../model/attempt.ts';
import type { Event, RunEvent } from '../model/event.ts';
import { fail, ok, type Result } from '../model/failure.ts';
import { given } from '../model/given.ts';
import { limits } from '../model/limits.ts';
import type { RunId } from '../model/run.ts';
import { hasEnded, type RunRecord, stopOf } from '../model/run-record.ts';
import type { TaskRecord } from '../model/task-record.ts';
import { State } from '../plan/state.ts';
import type { ProcessLimits } from '../port/processes.ts';
import type { Store } from '../port/store.ts';
import { inScope, isOverLimit } from '../task/scope.ts';
import type { RemovalProgress } from '../worktree/pool.ts';
import { isUnderWay } from './liveness.ts';
import { runNamed } from './lookup.ts';
import { countOpenTasks } from './open-tasks.ts';
import type { Failures, Liveness, Opened } from './ports.ts';
import { type Preflight, resumedBudget } from './preflight.ts';
import { tidyOldFiles } from './prune.ts';
import { lockRun, type RunLock, unlockRun } from './run-lock.ts';
import { type ImportOptions, type Incoming, importTasks } from './tasks.ts';

export type { RemovalProgress } from '../worktree/pool.ts';

/** A run driven by this process. Nothing happens in it before `finished` is called. */
export interface Running {
  readonly id: RunId;
  readonly state: State;
  /** Events of the run from before this process. */
  readonly past: readonly Event[];
  /** Passes every event since the start of this process to `observer`, in order. */
  observe(observer: Observer): void;
  /** Runs until the run has ended or cannot continue. Releases everything. */
  finished(): Promise<Result<RunRecord>>;
  /** Progress of removing the run's worktrees; undefined while none is removed. */
  removal(): RemovalProgress | undefined;
  /** Asks the run to end: after the current turns, or now. */
  stop(how: 'finish' | 'now', by: string): Promise<Result<void>>;
}

/** A run that is ready to be launched, with the first event of this process. */
interface Launch {
  readonly first: Extract<RunEvent, { type: 'run-started' | 'run-resumed' }>;
  readonly past: readonly Event[];
}

export interface StartOptions extends ImportOptions {
  /** Allows other runs to be under way in the project. */
  readonly share: boolean;
  readonly incoming: Incoming;
}

/**
 * Starts a new run, which takes over what ended or dead runs left. First imports the incoming tasks and reopens failed
 * ones. If another run is under way, nothing is stored.
 */
export async function startRun(
  ready: Preflight,
  { share, incoming, pruneRemoved = false }: StartOptions,
): Promise<Result<Running, Failures>> {
  const { settings, base } = ready;
  const { scope } = settings;
  const run = newRunId(ready.project.clock.now());
  return withRunLock(ready, run, share, async (ports, { owner }) => {
    const ended = await endDeadRuns(ports);
    if (!ended.ok) return fail([ended.failure]);
    const imported = await importTasks(ports, incoming, { pruneRemoved });
    if (!imported.ok) return imported;
    const open = await countOpenTasks(ports, scope, 'run');
    if (!open.ok) return fail([open.failure]);
    const waits = (settings.waitForTasksMs ?? 0) > 0 && scope.kind !== 'only';
    if (open.value === 0 && !waits) return fail([{ kind: 'nothing-to-do' }]);
    const first = { type: 'run-started', run, owner, settings, base } as const;
    return ok({ first: { ...first, ...given({ preflight: ready.check }) }, past: [] });
  });
}

/** Continues a run whose process is gone. `retry` reopens its failed tasks first. */
export async function resumeRun(
  ready: Preflight,
  run: RunRecord,
  { retry }: { readonly retry: boolean },
): Promise<Result<Running, Failures>> {
  const settings = { ...run.settings, gate: ready.settings.gate };
  return withRunLock({ ...ready, settings }, run.id, false, async (ports, { owner }) => {
    const { store } = ports;
    const open = await countOpenTasks(ports, settings.scope, retry ? 'person' : undefined);
    if (!open.ok) return fail([open.failure]);
    const resumable = await isResumable(store, run, open.value);
    if (!resumable.ok) return fail([resumable.failure]);
    if (!resumable.value) return fail([{ kind: 'nothing-to-resume' }]);
    const past = await store.events({ run: run.id });
    if (!past.ok) return fail([past.failure]);
    const budget = resumedBudget(run.settings, ready.config);
    const { verify } = ready.settings;
    const isVerifySame = verify === run.settings.verify;
    const first = { type: 'run-resumed', run: run.id, owner, budget } as const;
    const changes = given({
      verify: isVerifySame ? undefined : (verify ?? ('none' as const)),
      preflight: ready.check,
    });
    return ok({ first: { ...first, ...changes }, past: past.value });
  });
}

/**
 * True if the run has tasks that can go on. A run that has not ended is resumed in any case, if only to end it properly;
 * so is one that holds a live attempt, which a person may have decided about.
 */
async function isResumable(store: Store, run: RunRecord, open: number): Promise<Result<boolean>> {
  if (!hasEnded(run) || open > 0) return ok(true);
  const tasks = await store.tasks();
  if (!tasks.ok) return tasks;
  return ok(tasks.value.some(({ attempt }) => attempt?.run === run.id && isLive(attempt.state)));
}

/** Opens the store and locks the run for `prepare`, then launches it. Releases both if there is nothing to launch. */
async function withRunLock(
  ready: Preflight,
  run: RunId,
  share: boolean,
  prepare: (ports: Opened, lock: RunLock) => Promise<Result<Launch, Failures>>,
): Promise<Result<Running, Failures>> {
  const opened = await ready.project.openStore('write');
  if (!opened.ok) return fail([opened.failure]);
  const store = opened.value;
  const lock = await lockRun(ready.project, store, run, share);
  if (!lock.ok) {
    await store.close();
    return fail([lock.failure]);
  }
  const prepared = await prepare({ ...ready.project, store }, lock.value);
  const running = prepared.ok ? await launch(ready, store, lock.value, prepared.value) : prepared;
  if (!running.ok) {
    await unlockRun(store, lock.value);
    await store.close();
  }
  return running;
}

/** Ends runs whose process is gone, so that their work can be taken over. */
async function endDeadRuns(ports: Liveness & Pick<Opened, 'store'>): Promise<Result<void>> {
  const { store, clock } = ports;
  const runs = await store.runs(limits.runsListed);
  if (!runs.ok) return runs;
  const dead = runs.value
    .filter((run) => !hasEnded(run) && !isUnderWay(ports, run))
    .map(({ id }): RunEvent => ({ type: 'run-ended', run: id, stop: { reason: 'died' } }));
  const stored = dead.length === 0 ? ok([]) : await store.append(clock.now(), dead);
  return stored.ok ? ok(undefined) : stored;
}

async function launch(
  ready: Preflight,
  store: Store,
  lock: RunLock,
  { first, past }: Launch,
): Promise<Result<Running, Failures>> {
  const { run } = first;
  const { project, config, agents, settings } = ready;
  const { clock } = project;
  const ports = await project.engine({ run, config, agents, jobs: settings.jobs, store });
  if (!ports.ok) return fail([ports.failure]);
  const context = contextOf(ready, run);
  if (!context.ok) return context;
  mkdirSync(context.value.dir, { recursive: true, mode: 0o700 });
  const within = inScope(settings.scope, (id) => state.task(id)?.task);
  const state: State = new State((task) => within(task) && !isOverLimit(state.run(run), task.id));
  const unobserved: Event[] = [];
  let observe: Observer = (event) => void unobserved.push(event);
  const journal = new Journal(ports.value.store, clock, run, state, (event, now) =>
    observe(event, now),
  );
  const loaded = await journal.load();
  if (!loaded.ok) return fail([loaded.failure]);
  const noted = await journal.append([first]);
  if (!noted.ok) return fail([noted.failure]);
  const engine = new Engine(ports.value, context.value, state, journal);
  // Tidying neither delays the run nor ends it if it fails.
  const tidied = tidyOldFiles(project, store, clock.now());
  return ok({
    id: run,
    state,
    past,
    observe(observer) {
      observe = observer;
      for (const event of unobserved.splice(0)) observer(event, state);
    },
    removal: () => ports.value.pool.removal(),
    async finished() {
      const ended = await engine.run();
      await tidied;
      await unlockRun(store, lock);
      await project.git.close();
      await store.close();
      return ended;
    },
    async stop(how, by) {
      const asked = await store.append(clock.now(), [{ type: 'stop-asked', run, how, by }]);
      engine.nudge();
      return asked.ok ? ok(undefined) : asked;
    },
  });
}

function contextOf(
  { project, config, gate, gateFrom, quick, verify, settings, templates }: Preflight,
  run: RunId,
): Result<RunContext, Failures> {
  const { setupWallMs, outputBytes } = config.limits;
  const secret = project.secret();
  if (!secret.ok) return fail([secret.failure]);
  return ok({
    run,
    target: settings.target,
    dir: join(project.dir, 'runs', run),
    gate,
    ...given({ quick }),
    reruns: config.gate.reruns,
    rules: {
      ...config.rules,
      protect: config.protect,
      gate: gate.commands,
      ...given({ gateSigns: config.gate.kind === 'detect' ? signsBefore(gateFrom) : undefined }),
    },
    remote: config.delivery.remote,
    verify,
    setup: config.worktree.setup,
    cache: config.gate.cache,
    limits: {
      agent: agentLimits(config),
      setup: { wallMs: setupWallMs, outputBytes },
      gate: { wallMs: gate.timeoutMs, outputBytes },
    },
    env: project.childEnv,
    project: { name: basename(project.root), root: project.root },
    templates,
    program: project.program,
    secret: secret.value,
    prices: config.prices,
  });
}

function agentLimits({ limits: given }: Config): ProcessLimits {
  const { agentWallMs, agentIdleMs, agentStartMs, agentLingerMs, outputBytes } = given;
  return {
    wallMs: agentWallMs,
    idleMs: agentIdleMs,
    startMs: agentStartMs,
    lingerMs: agentLingerMs,
    outputBytes,
    lineBytes: limits.agentLineBytes,
  };
}

/** An id that sorts by time, reads as a date, and is short enough for a branch name. */
function newRunId(now: number): RunId {
  const [day = '', time = ''] = new Date(now).toISOString().replace(/\..*$/, '').split('T');
  const suffix = randomBytes(2).toString('hex');
  return `${day.replaceAll('-', '').slice(2)}-${time.replaceAll(':', '')}-${suffix}`;
}

/**
 * The run to resume: the named one, else the newest that still holds tasks, else the newest that was cut short or
 * stopped, else the newest, which cannot be resumed and gives the reason. Undefined if there is no run.
 */
export async function resumableRun(
  ports: Liveness & Pick<Opened, 'store'>,
  tasks: readonly TaskRecord[],
  name: string | undefined,
): Promise<Result<RunRecord | undefined>> {
  if (name !== undefined) return runNamed(ports.store, name);
  const runs = await ports.store.runs(limits.runsListed);
  if (!runs.ok) return runs;
  const holders = new Set(
    tasks.flatMap(({ attempt }) => (attempt && isLive(attempt.state) ? [attempt.run] : [])),
  );
  const left = runs.value.filter((run) => !isUnderWay(ports, run));
  const found = left.find(({ id }) => holders.has(id)) ?? left.find(isUnfinished);
  return ok(found ?? runs.value[0]);
}

/** A drained run has no tasks left to work on. */
function isUnfinished(run: RunRecord): boolean {
  return stopOf(run)?.reason !== 'drained';
}
