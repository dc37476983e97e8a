import { mkdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { Config } from '../config/config.ts';
import { reloadedConfig } from '../config/reload.ts';
import type { Ports, RunContext } from '../engine/context.ts';
import { Dispatcher, type Perform } from '../engine/dispatcher.ts';
import { Journal } from '../engine/journal.ts';
import { Engine } from '../engine/loop.ts';
import { perform } from '../engine/perform.ts';
import { resealed } from '../engine/seal.ts';
import { runsDir } from '../files/layout.ts';
import { type RunFiles, runFiles } from '../files/writer.ts';
import { signsBefore } from '../gate/detect.ts';
import type { Event, EventBody, RunEvent } from '../model/event.ts';
import { type Failure, fail, ok, type Result } from '../model/failure.ts';
import type { AttemptRecord } from '../model/history.ts';
import { isSameOwner, lockOf, projectLock } from '../model/lease.ts';
import { limits } from '../model/limits.ts';
import type { Owner, RunId } from '../model/run.ts';
import { hasEnded, isDrained, type LeasedRun, type RunRecord } from '../model/run-record.ts';
import type { Task } from '../model/task.ts';
import { outcomeOf, settled, settledAll } from '../model/trouble.ts';
import { projectNotes } from '../plan/project-notes.ts';
import { State } from '../plan/state.ts';
import type { Agent } from '../port/agent.ts';
import type { ProcessLimits } from '../port/processes.ts';
import type { Store } from '../port/store.ts';
import { inScope, isOverLimit } from '../task/scope.ts';
import type { RemovalProgress } from '../worktree/pool.ts';
import { type Hooks, openHooks } from './hooks.ts';
import { isUnderWay, ownerLife, settledRuns } from './liveness.ts';
import type { Elsewhere, Failures, Here, Liveness, Opened } from './ports.ts';
import type { Preflight } from './preflight.ts';
import { tidyOldFiles } from './prune.ts';
import { type RunStep, RunSteps, Stream } from './run-steps.ts';
import { runConfig } from './target.ts';
import { openTelemetry, type Telemetry } from './telemetry.ts';
import { endSharing } from './unshared-work.ts';

export type { RemovalProgress } from '../worktree/pool.ts';

/** A run that is under way, driven by this process or followed by it. */
export interface Run {
  readonly id: RunId;
  readonly state: State;
  /** Its events since the start of this process, in order; can be read once. Ends with the run. */
  readonly steps: AsyncIterable<RunStep>;
  /** Its end: the record of the run, or the failure that stopped it. Everything is released by then. */
  readonly ended: Promise<Ended>;
  /** Progress of removing the run's worktrees; undefined while none is removed. */
  removal(): RemovalProgress | undefined;
  /** Asks the run to end: after the current turns, or now. */
  stop(how: 'finish' | 'now', by: string): Promise<Result<void>>;
  /** Present if another process drives the run: `leave` ends the steps, and the run goes on. */
  readonly following?: { readonly left: AbortSignal; leave(): void };
}

export interface Ended {
  readonly run: Result<RunRecord>;
  readonly files: Result<void>;
  /** Messages for the user about telemetry and hooks that were not delivered. */
  readonly undelivered: readonly string[];
}

/** The project with its store open and the run locked for this process. */
export interface Locked extends Opened {
  readonly lock: RunLock;
}

async function unlock({ store, lock }: Locked): Promise<void> {
  await unlockRun(store, lock);
  await store.close();
}

/** A run that is ready to be launched: the first event of this process, and the attempts that the run had before. */
export interface Launch {
  readonly first: Extract<RunEvent, { type: 'run-started' | 'run-resumed' }>;
  /** Stored just before: landings that the target lost or got back since the last run. */
  readonly landings: readonly Event[];
  readonly past: readonly AttemptRecord[];
}

/** Locks a run, lets `prepare` decide what to launch, and starts the engine. Unlocks it if it cannot start. */
export async function launch(
  ready: Preflight,
  { run, share }: { readonly run: RunId; readonly share: boolean },
  prepare: (locked: Locked) => Promise<Result<Launch, Failures>>,
): Promise<Result<Run, Failures>> {
  const { project } = ready;
  const store = await project.openStore('write');
  if (!store.ok) return fail([store.failure]);
  const lock = await lockRun(project, store.value, run, share);
  if (!lock.ok) {
    await store.value.close();
    return fail([lock.failure]);
  }
  const locked = { ...project, store: store.value, lock: lock.value };
  const first = await settledAll(prepare(locked));
  const started = first.ok ? await settledAll(begun(ready, locked, first.value)) : first;
  if (!started.ok) await unlock(locked);
  return started;
}

async function begun(
  ready: Preflight,
  locked: Locked,
  { first, landings, past }: Launch,
): Promise<Result<Run, Failures>> {
  const { run } = first;
  const { config, sandbox, settings } = ready;
  const { clock, store } = locked;
  const agents = new Map(ready.agents);
  const request = { run, config, agents, sandbox, jobs: settings.jobs, store };
  const ports = await locked.engine(request);
  if (!ports.ok) return fail([ports.failure]);
  const context = contextOf(ready, run);
  if (!context.ok) return context;
  const elsewhere = await locked.elsewhere(config, run);
  if (!elsewhere.ok) return fail([elsewhere.failure]);
  mkdirSync(context.value.dir, { recursive: true, mode: 0o700 });
  const within = inScope(settings.scope, (id) => state.task(id)?.task);
  const telemetry = await openTelemetry(locked, config, run);
  const mayStart = (task: Task): boolean => within(task) && !isOverLimit(state.run(run), task.id);
  const state: State = new State(mayStart, telemetry.onQueueStep);
  const files = runFiles({ dir: runsDir(locked), now: clock.now, past });
  const steps = new Stream<RunStep>();
  const stepper = new RunSteps(run, state);
  const show = (event: Event): void => {
    const step = stepper.of(event);
    if (step !== undefined) hooks.on(step);
    if (step !== undefined) steps.push(step);
  };
  const { limits: reloadable } = context.value;
  const journal = new Journal(ports.value.store, clock, run, state, (event) => {
    files.on(event, state);
    telemetry.on(event, state);
    show(event);
    if (isReloadOf(run, event))
      void settledAll(reload(ready, { agents, limits: reloadable }, limitsOf(ready)));
  });
  const loaded = await journal.load();
  if (!loaded.ok) return fail([loaded.failure]);
  const hooks = await openHooks(locked, config, { run, seq: journal.seq, records: state });
  const noted = await journal.append([first]);
  if (!noted.ok) return fail([noted.failure]);
  for (const event of landings) show(event);
  const engine = await engineOf(ports.value, context.value, state, journal, elsewhere.value);
  if (!engine.ok) return fail([engine.failure]);
  const parts = { telemetry, hooks, files, steps, elsewhere: elsewhere.value };
  const ended = driven(locked, run, () => engine.value.run(), parts);
  // A bug that throws is reported to whoever awaits the end, also if that happens later.
  ended.catch(() => undefined);
  return ok({
    id: run,
    state,
    steps,
    ended,
    removal: () => ports.value.pool.removal(),
    async stop(how, by) {
      const asked = await store.append(clock.now(), [{ type: 'stop-asked', run, how, by }]);
      engine.value.nudge();
      return asked.ok ? ok(undefined) : asked;
    },
  });
}

interface RunParts {
  readonly telemetry: Telemetry;
  readonly hooks: Hooks;
  readonly files: RunFiles;
  readonly steps: Stream<RunStep>;
  readonly elsewhere: Elsewhere | undefined;
}

/** Drives a run to its end, then releases everything. */
async function driven(
  locked: Locked,
  run: RunId,
  drive: () => Promise<Result<RunRecord>>,
  { telemetry, hooks, files, steps, elsewhere }: RunParts,
): Promise<Ended> {
  // Tidying neither delays the run nor ends it if it fails.
  const tidied = settled(tidyOldFiles(locked, locked.store, locked.clock.now()));
  try {
    const ended = await copying(locked, run, () => settled(drive()));
    await tidied;
    if (ended.ok && elsewhere !== undefined) {
      await endSharing(locked, elsewhere.courier, isDrained(ended.value));
    }
    return { run: ended, ...(await release(locked, telemetry, hooks, files)) };
  } finally {
    steps.end();
    await elsewhere?.dispatch.close();
    await elsewhere?.files.close();
  }
}

/** Releases the project, then waits for the run files, the telemetry and the hooks of the run. */
async function release(
  locked: Locked,
  telemetry: Telemetry,
  hooks: Hooks,
  files: RunFiles,
): Promise<Omit<Ended, 'run'>> {
  const traced = await telemetry.read(locked.store);
  await unlock(locked);
  await locked.git.close();
  const undelivered = await Promise.all([telemetry.end(traced), hooks.end()]);
  return { files: await outcomeOf(files.flush()), undelivered: undelivered.flat() };
}

/** The engine of a run that has started; its prompts contain the notes of that time. */
async function engineOf(
  ports: Ports,
  context: Omit<RunContext, 'notes'>,
  state: State,
  journal: Journal,
  elsewhere: Elsewhere | undefined,
): Promise<Result<Engine>> {
  const notes = await ports.store.notes(state.run(context.run)?.startedAt);
  if (!notes.ok) return notes;
  const whole = { ...context, notes: projectNotes(notes.value) };
  if (elsewhere === undefined) return ok(new Engine(ports, whole, state, journal));
  const here: Perform = (command) => perform(ports, whole, command);
  const { run, target } = context;
  const sealed = (event: EventBody) => resealed(context, event);
  const of = { run, target, gates: context, sealed, here };
  const dispatcher = new Dispatcher({ ...elsewhere, ...ports, ...of });
  return ok(new Engine(ports, whole, state, journal, dispatcher));
}

/**
 * Copies the store at the start of `work`, at intervals, and at its end. A copy that cannot be made does not end the
 * run; `ym doctor` shows how old the newest one is.
 */
async function copying<T>(
  { snapshots, clock }: Pick<Opened, 'snapshots' | 'clock'>,
  run: RunId,
  work: () => Promise<Result<T>>,
): Promise<Result<T>> {
  const over = new AbortController();
  const copies = async (): Promise<void> => {
    while (!over.signal.aborted) {
      const begin = clock.now();
      await snapshots.take(run);
      const pause = limits.snapshotPause * (clock.now() - begin);
      await clock.sleep(Math.max(limits.snapshotMs, pause), over.signal);
    }
  };
  const copied = copies();
  const done = await work().finally(() => over.abort());
  await copied;
  if (done.ok) await snapshots.take(run);
  return done;
}

export function contextOf(
  { project, config, gate, gateFrom, quick, verify, sandbox, settings, templates }: Preflight,
  run: RunId,
): Result<Omit<RunContext, 'notes'>, Failures> {
  const secret = project.secret();
  if (!secret.ok) return fail([secret.failure]);
  return ok({
    run,
    target: settings.target,
    dir: join(project.dir, 'runs', run),
    gate,
    quick,
    reruns: config.gate.reruns,
    rules: {
      ...config.rules,
      protect: config.protect,
      gate: gate.commands,
      gateSigns: config.gate.kind === 'detect' ? signsBefore(gateFrom) : undefined,
    },
    remote: config.delivery.remote,
    verify,
    before: config.run.before,
    setup: config.worktree.setup,
    finish: config.worktree.finish,
    cache: config.gate.cache,
    limits: limitsOf({ gate })(config),
    confined: sandbox.id === 'on',
    env: project.childEnv,
    project: { name: basename(project.root), root: project.root },
    templates,
    program: project.program,
    isShared: config.workers.remote !== undefined,
    secret: secret.value,
    prices: config.prices,
  });
}

/** An invalid config changes nothing then; whoever asked for the reload has read it before, and said so. */
const isReloadOf = (run: RunId, event: Event): boolean =>
  event.type === 'run-reloaded' && event.run === run;

function limitsOf({ gate }: Pick<Preflight, 'gate'>): (config: Config) => RunContext['limits'] {
  return (config) => {
    const { setupWallMs, outputBytes } = config.limits;
    return {
      agent: agentLimits(config),
      setup: { wallMs: setupWallMs, outputBytes },
      gate: { wallMs: gate.timeoutMs, outputBytes },
    };
  };
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

/** Locks by which this process drives a run and keeps other processes from driving it. */
interface RunLock {
  readonly owner: Owner;
  readonly locks: readonly string[];
}

/**
 * The newest runs, or the failure that names the live one that keeps this run from being driven: the run itself or,
 * without `share`, any run of the project.
 */
export async function runsUnlessAlive(
  here: Liveness,
  store: Pick<Store, 'runs'>,
  run: RunId,
  share: boolean,
): Promise<Result<readonly LeasedRun[]>> {
  const runs = await settledRuns(here, store);
  if (!runs.ok) return runs;
  const active = runs.value.filter((one) => isUnderWay(here, one));
  const other = share ? active.find(({ id }) => id === run) : active[0];
  return other === undefined ? runs : fail(runAlive(other.owner, active));
}

/** Locks a run, unless it is under way already or, without `share`, any other run of the project is. */
export async function lockRun(
  here: Liveness & Pick<Here, 'self'>,
  store: Store,
  run: RunId,
  share: boolean,
): Promise<Result<RunLock>> {
  const owner = here.self();
  const runs = await runsUnlessAlive(here, store, run, share);
  if (!runs.ok) return runs;
  const locks: string[] = [];
  for (const lock of share ? [lockOf(run)] : [lockOf(run), projectLock]) {
    const holder = await takeLock(here, store, lock, owner);
    if (holder.ok && holder.value === undefined) {
      locks.push(lock);
      continue;
    }
    await unlockRun(store, { owner, locks });
    if (!holder.ok) return holder;
    // A process that starts or resumes a run holds its lock before the record names the process.
    const named = lock === lockOf(run) ? run : undefined;
    return fail(runAlive(holder.value ?? owner, runs.value, named));
  }
  return ok({ owner, locks });
}

/** Takes a lock, also from a holder that is dead. Returns the live holder, if there is one. */
export async function takeLock(
  here: Liveness,
  store: Store,
  lock: string,
  owner: Owner,
): Promise<Result<Owner | undefined>> {
  const holder = await store.holder(lock);
  if (!holder.ok) return holder;
  const before = holder.value;
  if (before !== undefined && ownerLife(here, before, before.until) !== 'dead') return ok(before);
  return store.lock(lock, { ...owner, until: here.clock.now() + limits.leaseMs }, before);
}

/** Failure that names the process in the way, and its run if that is known. */
function runAlive(holder: Owner, runs: readonly RunRecord[], named?: RunId): Failure {
  const at = { pid: holder.pid, host: holder.host };
  const run = named ?? runs.find((one) => isSameOwner(one.owner, holder) && !hasEnded(one))?.id;
  return run === undefined ? { kind: 'run-starting', ...at } : { kind: 'run-alive', run, ...at };
}

async function unlockRun(store: Store, { locks, owner }: RunLock): Promise<void> {
  for (const lock of locks) await store.unlock(lock, owner);
}

/** Agents and limits of a run under way. Agents that run keep those with which they started. */
interface Reloadable {
  /** Read each time an agent starts. */
  readonly agents: Map<string, Agent>;
  readonly limits: RunContext['limits'];
}

/** Reads the config again and applies the keys that a run may change. An invalid config changes nothing. */
async function reload(
  { project, config, settings, sandbox }: Preflight,
  { agents, limits }: Reloadable,
  limitsOf: (config: Config) => RunContext['limits'],
): Promise<Result<void, Failures>> {
  const fresh = await runConfig(project, { target: settings.target });
  if (!fresh.ok) return fresh;
  const reloaded = reloadedConfig(config, fresh.value.config);
  for (const [name, agent] of await project.agents(reloaded, sandbox)) agents.set(name, agent);
  Object.assign(limits, limitsOf(reloaded));
  return ok(undefined);
}
