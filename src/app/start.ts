import { randomBytes } from 'node:crypto';
import type { Config } from '../config/config.ts';
import { compareLandings } from '../engine/landings.ts';
import { heldUpIn } from '../graph/held-up.ts';
import { defined } from '../model/defined.ts';
import type { Event, RunEvent } from '../model/event.ts';
import { type Failure, fail, ok, type Result } from '../model/failure.ts';
import { limits } from '../model/limits.ts';
import type { RunId, Scope } from '../model/run.ts';
import { hasEnded, lastSignOf } from '../model/run-record.ts';
import type { Task } from '../model/task.ts';
import type { TaskRecord } from '../model/task-record.ts';
import { settled } from '../model/trouble.ts';
import { ignoredReasoning } from '../plan/agent-pool.ts';
import type { Import } from '../source/merge.ts';
import { writingOf } from '../source/write-back.ts';
import { finder, inScope } from '../task/scope.ts';
import { readForecast } from './forecast.ts';
import { checkLandings } from './landings.ts';
import { isUnderWay } from './liveness.ts';
import { reading } from './lookup.ts';
import type { Failures, Opened, Project } from './ports.ts';
import { committableTarget, type Preflight, preflight } from './preflight.ts';
import { type Launch, type Locked, launch, type Run } from './run.ts';
import { runConfig } from './target.ts';
import {
  type Incoming,
  importPlan,
  importTasks,
  readSources,
  type SourceContext,
} from './tasks.ts';

/** Config and tasks of a new run, read before anything is stored. */
export interface RunRequest {
  readonly project: Project;
  readonly config: Config;
  readonly incoming: Incoming;
  readonly known: readonly TaskRecord[];
  /** Effect of importing the new tasks. */
  readonly plan: Import;
  /** Messages for the user about the config. */
  readonly warnings: readonly string[];
}

/** Reads the config, the named sources and the stored tasks. */
export async function readRequest(
  project: Project,
  flags: Readonly<Record<string, unknown>>,
  sources: readonly string[],
  from: SourceContext,
): Promise<Result<RunRequest, Failures>> {
  const config = await runConfig(project, { flags });
  if (!config.ok) return config;
  // Checked first, because it takes long to read a large plan.
  const target = await committableTarget(project, config.value.config);
  if (!target.ok) return fail([target.failure]);
  const known = await reading(project, (store) => store.tasks());
  if (!known.ok) return fail([known.failure]);
  const incoming = await readSources(project, sources, from);
  if (!incoming.ok) return fail(incoming.failure.map((one) => withOnly(one, known.value)));
  const plan = importPlan(known.value, incoming.value);
  if (!plan.ok) return plan;
  return ok({
    project,
    ...config.value,
    incoming: incoming.value,
    known: known.value,
    plan: plan.value,
  });
}

/** Suggests `--only` if the id of a task was given in place of a file. */
function withOnly(failure: Failure, known: readonly TaskRecord[]): Failure {
  if (failure.kind !== 'source-invalid') return failure;
  const { file } = failure;
  if (!known.some(({ task }) => task.id === file)) return failure;
  return { ...failure, remedy: `${file} is a task: work on it with \`ym run --only ${file}\`.` };
}

/** A checked run, and agents that ignore a configured reasoning effort. */
export interface CheckedRun {
  readonly ready: Preflight;
  readonly ignored: ReturnType<typeof ignoredReasoning>;
}

/** Checks everything that a run on these tasks needs. */
export async function checkRequest(
  { project, config, incoming, known }: RunRequest,
  scope: Scope,
): Promise<Result<CheckedRun, Failures>> {
  const added = incoming.tasks;
  const tasks = new Map(
    [...known.map(({ task }) => task), ...added].map((task) => [task.id, task]),
  );
  const replaced = new Set(added.map(({ id }) => id));
  const left = known.filter((record) => mayStart(record) && !replaced.has(record.task.id));
  const mine = [...left.map((record) => record.task), ...added].filter(
    inScope(scope, (id) => tasks.get(id)),
  );
  const ready = await preflight(project, config, scope, mine);
  if (!ready.ok) return ready;
  const forecast = await readForecast(project, known, ready.value.base);
  if (!forecast.ok) return fail([forecast.failure]);
  const writeBack = config.writeBack ? writableSources(project.root, tasks.values()) : undefined;
  const more = defined({ forecast: forecast.value, writeBack });
  const settings = { ...ready.value.settings, ...more };
  return ok({ ready: { ...ready.value, settings }, ignored: ignoredReasoning(settings, mine) });
}

/** Sources of the tasks that take their states; undefined if there is none. */
function writableSources(root: string, tasks: Iterable<Task>): readonly string[] | undefined {
  const sources = new Set([...tasks].flatMap(({ source }) => source ?? []));
  const found = [...sources].filter((source) => writingOf(root, source) !== undefined).sort();
  return found.length === 0 ? undefined : found;
}

/** Tasks that are done or wait for a person need no agent in this run. */
function mayStart({ status }: TaskRecord): boolean {
  return status.id === 'open' || status.id === 'failed';
}

interface StartOptions {
  /** Allows other runs to be under way in the project. */
  readonly share: boolean;
  readonly incoming: Incoming;
  readonly pruneRemoved: boolean;
  /** True if a person watches it on a terminal. */
  readonly attended: boolean;
}

/**
 * Starts a new run, which takes over what ended or dead runs left. First imports the incoming tasks and reopens failed
 * ones. If another run is under way, nothing is stored.
 */
export async function startRun(
  ready: Preflight,
  options: StartOptions,
): Promise<Result<Run, Failures>> {
  const run = newRunId(ready.project.clock.now());
  return launch(ready, { run, share: options.share }, (ports) =>
    startOf(ready, ports, run, options),
  );
}

async function startOf(
  { settings, base, check }: Preflight,
  ports: Locked,
  run: RunId,
  { incoming, pruneRemoved, attended }: StartOptions,
): Promise<Result<Launch, Failures>> {
  const { scope } = settings;
  const ended = await endDeadRuns(ports);
  if (!ended.ok) return fail([ended.failure]);
  const checked = await checkLandings(ports, settings.target, 'run');
  if (!checked.ok) return fail([checked.failure]);
  const landings = await noteLandings(ports, settings.target);
  if (!landings.ok) return fail([landings.failure]);
  const imported = await importTasks(ports, incoming, { pruneRemoved });
  if (!imported.ok) return imported;
  const open = await countOpenTasks(ports, scope, 'run');
  if (!open.ok) return fail([open.failure]);
  const waits = (settings.waitForTasksMs ?? 0) > 0 && scope.kind !== 'only';
  if (open.value === 0 && !waits) return fail([{ kind: 'nothing-to-do' }]);
  const { owner } = ports.lock;
  const first = { type: 'run-started', run, owner, settings, base } as const;
  return ok({
    first: { ...first, ...check, ...(attended ? { attended } : {}) },
    landings: landings.value,
    past: [],
  });
}

/** Stores which landings the target lost or got back since it was last compared with them. */
export async function noteLandings(
  ports: Pick<Opened, 'store' | 'git' | 'clock'>,
  target: string,
): Promise<Result<readonly Event[]>> {
  const changes = await settled(compareLandings(ports, target));
  if (!changes.ok || changes.value.length === 0) return changes.ok ? ok([]) : changes;
  return ports.store.append(ports.clock.now(), changes.value);
}

/** Ends runs whose process is gone, so that their work can be taken over. */
async function endDeadRuns(ports: Opened): Promise<Result<void>> {
  const { store, clock } = ports;
  const runs = await store.runs(limits.runsListed);
  if (!runs.ok) return runs;
  const dead = runs.value
    .filter((run) => !hasEnded(run) && !isUnderWay(ports, run))
    .map(
      (run): RunEvent => ({
        type: 'run-ended',
        run: run.id,
        stop: { reason: 'died' },
        heardAt: lastSignOf(run),
      }),
    );
  const stored = dead.length === 0 ? ok([]) : await store.append(clock.now(), dead);
  return stored.ok ? ok(undefined) : stored;
}

/** An id that sorts by time, reads as a date, and is short enough for a branch name. */
function newRunId(now: number): RunId {
  const [day = '', time = ''] = new Date(now).toISOString().replace(/\..*$/, '').split('T');
  const suffix = randomBytes(2).toString('hex');
  return `${day.replaceAll('-', '').slice(2)}-${time.replaceAll(':', '')}-${suffix}`;
}

/**
 * Number of tasks in scope that can go on without a person, after failed ones were reopened by whoever `reopens` names.
 * Their failure count starts again only if a person asked for it.
 */
export async function countOpenTasks(
  ports: Pick<Opened, 'store' | 'clock'>,
  scope: Scope,
  reopens?: 'person' | 'run',
): Promise<Result<number>> {
  const { store, clock } = ports;
  const tasks = await store.tasks();
  if (!tasks.ok) return tasks;
  const within = inScope(scope, finder(tasks.value));
  const failed = tasks.value.filter(({ task, status }) => status.id === 'failed' && within(task));
  if (reopens === undefined || failed.length === 0) return ok(openAmong(tasks.value, within));
  const decision = { kind: 'retry', by: reopens } as const;
  const events = failed.map(
    ({ task }) => ({ type: 'task-decided', id: task.id, decision }) as const,
  );
  const stored = await store.append(clock.now(), events);
  return stored.ok ? countOpenTasks(ports, scope) : stored;
}

/** Tasks behind a stuck one cannot go on. */
function openAmong(tasks: readonly TaskRecord[], within: (task: Task) => boolean): number {
  const byId = new Map(tasks.map((record) => [record.task.id, record]));
  const heldUp = heldUpIn(tasks, byId);
  // A delivered task may have been merged since; only a run finds out.
  const isStuck = (id: string): boolean =>
    heldUp.has(id) && byId.get(heldUp.get(id) ?? '')?.status.id !== 'delivered';
  return tasks.filter(
    ({ task, status, attempt }) =>
      status.id === 'open' &&
      within(task) &&
      !isStuck(task.id) &&
      attempt?.state.id !== 'asking' &&
      attempt?.state.id !== 'awaiting',
  ).length;
}
