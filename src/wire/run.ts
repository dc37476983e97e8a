import { randomBytes } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { Config } from '../config/config.ts';
import { ghForge } from '../delivery/gh.ts';
import type { Ports, RunContext } from '../engine/context.ts';
import { Journal, type Observer } from '../engine/journal.ts';
import { Engine } from '../engine/loop.ts';
import { signsBefore } from '../gate/detect.ts';
import { childEnv } from '../git/env.ts';
import { folderMailboxes } from '../mailbox/folder.ts';
import type { Event, RunEvent } from '../model/event.ts';
import { type Failure, fail, ok, type Result } from '../model/failure.ts';
import type { RunId } from '../model/run.ts';
import { limits } from '../plan/limits.ts';
import { isOverLimit } from '../plan/new-tasks.ts';
import type { RunRecord } from '../plan/record.ts';
import { inScope } from '../plan/scope.ts';
import { State } from '../plan/state.ts';
import type { ProcessLimits } from '../process/processes.ts';
import type { Store } from '../record/store.ts';
import { type RemovalProgress, worktreePool } from '../worktree/pool.ts';
import { preparedOnDisk } from '../worktree/prepared-disk.ts';
import { copyFiles } from '../worktree/slot-files.ts';
import { crashing } from './crash.ts';
import { type Driver, type DriverOptions, isDrivenNow, letGo, takeDriver } from './driver.ts';
import { guardOf } from './guard.ts';
import { tidyOldFiles } from './old-files.ts';
import { type Preflight, resumedBudget } from './preflight.ts';
import { openStore, type Project } from './project.ts';
import { projectSecret } from './secret.ts';
import { redactorFor, secretsIn } from './secrets.ts';

export type { RemovalProgress } from '../worktree/pool.ts';

/** A run in the hands of this process. */
export interface Running {
  readonly id: RunId;
  readonly state: State;
  readonly store: Store;
  /** Until the run has ended, or cannot go on. Releases everything. */
  finished(): Promise<Result<RunRecord>>;
  /** How far the removal of its worktrees has come; absent while none is under way. */
  removal(): RemovalProgress | undefined;
  /** Asks for an end: let turns finish, or end them now. */
  stop(how: 'finish' | 'now', by: string): Promise<Result<void>>;
}

/** Gives the observer of a run; `past` are its events from before this process. */
export type Observe = (past: readonly Event[]) => Observer;

/** What has to be stored before a run starts, once nothing is in its way any more. Returns how much there is to do. */
export type Bring = (store: Store) => Promise<Result<number, Failures>>;

type Failures = readonly Failure[];

/**
 * Starts a new run, unless one is alive here; it takes over what runs that ended or died have left. Nothing of it is
 * stored, by `bring` or by us, when it is refused.
 */
export async function startRun(
  ready: Preflight,
  share: boolean,
  observe: Observe,
  bring: Bring,
): Promise<Result<Running, Failures>> {
  const { project, settings, base } = ready;
  const run = newRunId(Date.now());
  const secrets = secretsIn(ready.config, process.env);
  return withDriver(project, { run, share, secrets }, async (store, driver) => {
    const ended = await endDeadRuns(store, driver);
    if (!ended.ok) return fail([ended.failure]);
    const brought = await bring(store);
    if (!brought.ok) return brought;
    const waits = (settings.waitForTasksMs ?? 0) > 0 && settings.scope.kind !== 'only';
    if (brought.value === 0 && !waits) return fail([{ kind: 'nothing-to-do' }]);
    const started = { type: 'run-started', run, owner: driver.owner, settings, base } as const;
    const first = { ...started, ...preflightOf(ready) };
    return launch(ready, store, driver, first, observe([]));
  });
}

/** Goes on with a run whose process is gone. */
export async function resumeRun(
  ready: Preflight,
  run: RunRecord,
  observe: Observe,
  bring: Bring,
): Promise<Result<Running, Failures>> {
  const secrets = secretsIn(ready.config, process.env);
  const wish = { run: run.id, share: false, secrets };
  return withDriver(ready.project, wish, async (store, driver) => {
    const brought = await bring(store);
    if (!brought.ok) return brought;
    if (brought.value === 0) return fail([{ kind: 'nothing-to-resume' }]);
    const past = await store.events({ run: run.id });
    if (!past.ok) return fail([past.failure]);
    const budget = resumedBudget(run.settings, ready.config);
    const { gate, verify } = ready.settings;
    const said = verify === run.settings.verify ? {} : { verify: verify ?? ('none' as const) };
    const resumed = { type: 'run-resumed', run: run.id, owner: driver.owner, budget } as const;
    const first = { ...resumed, ...said, ...preflightOf(ready) };
    const settings = { ...run.settings, gate };
    return launch({ ...ready, settings }, store, driver, first, observe(past.value));
  });
}

function preflightOf({ check }: Preflight): { readonly preflight?: string } {
  return check === undefined ? {} : { preflight: check };
}

/** Opens the store and takes the run in hand for `work`; lets go of both again unless a run came of it. */
async function withDriver(
  project: Project,
  wish: DriverOptions,
  work: (store: Store, driver: Driver) => Promise<Result<Running, Failures>>,
): Promise<Result<Running, Failures>> {
  const opened = await openStore(project, 'write');
  if (!opened.ok) return fail([opened.failure]);
  const store = opened.value;
  const driver = await takeDriver(store, wish);
  if (!driver.ok) {
    await store.close();
    return fail([driver.failure]);
  }
  const running = await work(store, driver.value);
  if (!running.ok) {
    await letGo(store, driver.value);
    await store.close();
  }
  return running;
}

/** Runs whose process is gone are over from here on, so that what they left can be taken over. */
async function endDeadRuns(store: Store, { processes, clock }: Driver): Promise<Result<void>> {
  const runs = await store.runs(limits.runsListed);
  if (!runs.ok) return runs;
  const dead: RunEvent[] = [];
  for (const run of runs.value) {
    if (run.endedAt !== undefined) continue;
    const alive = await isDrivenNow(store, processes, run, clock.now());
    if (!alive.ok) return alive;
    if (!alive.value) dead.push({ type: 'run-ended', run: run.id, stop: { reason: 'died' } });
  }
  const stored = dead.length === 0 ? ok([]) : await store.append(clock.now(), dead);
  return stored.ok ? ok(undefined) : stored;
}

async function launch(
  ready: Preflight,
  store: Store,
  driver: Driver,
  first: Extract<RunEvent, { type: 'run-started' | 'run-resumed' }>,
  observe: Observer,
): Promise<Result<Running, Failures>> {
  const { run } = first;
  let removal: RemovalProgress | undefined;
  const ports = await portsOf(ready, run, store, driver, (progress) => {
    removal = progress.left === 0 ? undefined : progress;
  });
  if (!ports.ok) return fail([ports.failure]);
  const context = contextOf(ready, run);
  if (!context.ok) return context;
  mkdirSync(context.value.dir, { recursive: true, mode: 0o700 });
  const within = inScope(ready.settings.scope, (id) => state.task(id)?.task);
  const state: State = new State((task) => within(task) && !isOverLimit(state.run(run), task.id));
  const journal = new Journal(ports.value.store, driver.clock, run, state, observe);
  const loaded = await journal.load();
  if (!loaded.ok) return fail([loaded.failure]);
  const noted = await journal.append([first]);
  if (!noted.ok) return fail([noted.failure]);
  const engine = new Engine(ports.value, context.value, state, journal);
  // A run that works is not kept waiting for this, nor ended by it.
  const tidied = tidyOldFiles(ready.project, store, Date.now());
  return ok({
    id: run,
    state,
    store,
    removal: () => removal,
    async finished() {
      const ended = await engine.run();
      await tidied;
      await letGo(store, driver);
      await ready.project.git.close();
      await store.close();
      return ended;
    },
    async stop(how, by) {
      const asked = await store.append(driver.clock.now(), [{ type: 'stop-asked', run, how, by }]);
      engine.nudge();
      return asked.ok ? ok(undefined) : asked;
    },
  });
}

async function portsOf(
  { project, config, settings, agents }: Preflight,
  run: RunId,
  store: Store,
  { processes, clock }: Driver,
  onRemoval: (progress: RemovalProgress) => void,
): Promise<Result<Ports>> {
  const { git, stateDir, id } = project;
  const prepared = preparedOnDisk({ stateDir, project: id });
  const { release } = prepared;
  const slots = settings.jobs;
  const pool = await worktreePool({
    git,
    stateDir,
    project: id,
    run,
    slots,
    release,
    onRemoval,
  });
  if (!pool.ok) return pool;
  const { copy } = config.worktree;
  const guard = await guardOf(project);
  if (!guard.ok) return guard;
  return ok(
    crashing({
      git,
      processes,
      store,
      clock,
      pool: pool.value,
      prepared,
      agent: (name) => agents.get(name),
      guard: guard.value,
      mailboxes: folderMailboxes(redactorFor(config, process.env).whole),
      forge: ghForge({ dir: project.root, env: childEnv(process.env) }),
      copyFiles: (worktree) =>
        copy.length === 0 ? Promise.resolve(ok([])) : copyFiles(project.root, worktree, copy),
    }),
  );
}

function contextOf(
  { project, config, gate, gateFrom, quick, verify, settings, templates }: Preflight,
  run: RunId,
): Result<RunContext, Failures> {
  const { setupWallMs, outputBytes } = config.limits;
  const secret = projectSecret(project.dir);
  if (!secret.ok) return fail([secret.failure]);
  return ok({
    run,
    target: settings.target,
    dir: join(project.dir, 'runs', run),
    gate,
    ...(quick === undefined ? {} : { quick }),
    reruns: config.gate.reruns,
    rules: {
      ...config.rules,
      protect: config.protect,
      gate: gate.commands,
      ...(config.gate.kind === 'detect' ? { gateSigns: signsBefore(gateFrom) } : {}),
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
    env: childEnv(process.env),
    project: { name: basename(project.root), root: project.root },
    templates,
    program: ownCommand(),
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

/** This very program as a word of a shell: what an agent calls must be what started it, whatever is on its PATH. */
function ownCommand(): string {
  const program = process.argv[1] ?? 'ym';
  return [process.execPath, program].map(shellWord).join(' ');
}

function shellWord(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}

/** Sorts by time, reads as a date, and is short enough for a branch name. */
function newRunId(now: number): RunId {
  const [day = '', time = ''] = new Date(now).toISOString().replace(/\..*$/, '').split('T');
  const suffix = randomBytes(2).toString('hex');
  return `${day.replaceAll('-', '').slice(2)}-${time.replaceAll(':', '')}-${suffix}`;
}
