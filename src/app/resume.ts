import type { Config } from '../config/config.ts';
import { type CaughtUp, catchUp } from '../engine/catch-up.ts';
import { isLive } from '../model/attempt-state.ts';
import { defined } from '../model/defined.ts';
import { fail, ok, type Result } from '../model/failure.ts';
import type { RunId, RunSettings } from '../model/run.ts';
import {
  hasEnded,
  type LeasedRun,
  lastSignOf,
  type RunRecord,
  stopOf,
} from '../model/run-record.ts';
import type { Task } from '../model/task.ts';
import type { TaskRecord } from '../model/task-record.ts';
import { dueRevision } from '../plan/revision.ts';
import type { Store } from '../port/store.ts';
import { takenUpAfter } from '../report/summary/result.ts';
import { finder, inScope, isOverLimit } from '../task/scope.ts';
import { checkLandings } from './landings.ts';
import { isUnderWay, settledRuns } from './liveness.ts';
import { reading, runNamed } from './lookup.ts';
import type { Failures, Liveness, Project } from './ports.ts';
import { type Preflight, preflight, resumedBudget } from './preflight.ts';
import { type Launch, type Locked, launch, type Run, runsUnlessAlive } from './run.ts';
import { countOpenTasks, noteLandings } from './start.ts';
import { runConfig } from './target.ts';

/** A run to resume, with its own settings. */
interface ResumeRequest {
  readonly project: Project;
  readonly record: LeasedRun;
  readonly tasks: readonly TaskRecord[];
  readonly config: Config;
  /** Messages for the user about the config. */
  readonly warnings: readonly string[];
  /** Present if the target of this clone was behind the run. */
  readonly caughtUp?: CaughtUp;
}

/**
 * Finds the run to resume, moves the target of this clone forward to what the run has landed in another one, and reads
 * the config for it.
 */
export async function readResume(
  project: Project,
  flags: Readonly<Record<string, unknown>>,
  name: string | undefined,
): Promise<Result<ResumeRequest, Failures>> {
  const found = await reading(project, (store) => recordsToResume(project, store, name));
  if (!found.ok) return fail([found.failure]);
  const { record, tasks, isIdle } = found.value;
  const { target, mode } = record.settings;
  const read = () => runConfig(project, { flags: { mode, ...flags }, target });
  const config = await read();
  if (!config.ok) return config;
  const courier = await project.courier(config.value.config, record.id);
  // If a process drives a run here, it moves the target itself, and this one is refused later.
  const caughtUp =
    courier !== undefined && isIdle
      ? await catchUp({ ...project, courier }, { ...record, tasks })
      : ok(undefined);
  if (!caughtUp.ok) return fail([caughtUp.failure]);
  const request = { project, record, tasks };
  if (caughtUp.value === undefined) return ok({ ...request, ...config.value });
  // The config is that of the target.
  const again = await read();
  if (!again.ok) return again;
  return ok({ ...request, ...again.value, caughtUp: caughtUp.value });
}

interface RecordsToResume extends Pick<ResumeRequest, 'record' | 'tasks'> {
  /** True if no process drove a run of the project when the tasks were read. */
  readonly isIdle: boolean;
}

/**
 * The run to resume: the named one, else the newest that can go on. Waits first if the process of another machine may be
 * dead: it may have landed work until its last moment, so the tasks are read after it is known to be dead.
 */
export async function recordsToResume(
  here: Liveness,
  store: Pick<Store, 'runs' | 'tasks'>,
  name: string | undefined,
): Promise<Result<RecordsToResume>> {
  const runs = await settledRuns(here, store);
  if (!runs.ok) return runs;
  const left = runs.value.filter((run) => !isUnderWay(here, run));
  const tasks = await store.tasks();
  if (!tasks.ok) return tasks;
  const run =
    name === undefined
      ? ok(newestToResume(left, tasks.value) ?? runs.value[0])
      : await runNamed(store, name);
  if (!run.ok) return run;
  if (run.value === undefined) return fail({ kind: 'nothing-to-resume' });
  return ok({ record: run.value, tasks: tasks.value, isIdle: left.length === runs.value.length });
}

/** Checks everything that the resumed run needs. */
export function checkResume({
  project,
  record,
  tasks,
  config,
}: ResumeRequest): Promise<Result<Preflight, Failures>> {
  const { settings } = record;
  const open = openTasksOf(tasks, settings);
  const started = withVerifyFlag(settings, config);
  return preflight(project, asStarted(config, record), settings.scope, open, started);
}

/** Fails while the run, or another one of the project, is under way. Checked before another process resumes the run. */
export function checkIdle(project: Project, run: RunId): Promise<Result<unknown>> {
  return reading(project, (store) => runsUnlessAlive(project, store, run, false));
}

interface ResumeOptions {
  /** True if its failed tasks are reopened first. */
  readonly retry: boolean;
  /** True if a person watches it on a terminal. */
  readonly attended: boolean;
  /**
   * Present for a process that waited for the death of another one. `wasOpen`: the run had not ended when it was chosen.
   * If it has ended when it is locked, there is nothing to resume.
   */
  readonly standby?: { readonly wasOpen: boolean };
}

/** Continues a run whose process is gone. */
export async function resumeRun(
  ready: Preflight,
  run: LeasedRun,
  options: ResumeOptions,
): Promise<Result<Run, Failures>> {
  const own = { ...ready, settings: { ...run.settings, gate: ready.settings.gate } };
  return launch(own, { run: run.id, share: false }, (ports) =>
    resumptionOf(ready, ports, run, options),
  );
}

async function resumptionOf(
  { config, settings: { verify, target }, check }: Preflight,
  ports: Locked,
  run: LeasedRun,
  { retry, attended, standby }: ResumeOptions,
): Promise<Result<Launch, Failures>> {
  const locked = await ports.store.run(run.id);
  if (!locked.ok) return fail([locked.failure]);
  if (standby?.wasOpen === true && hasEnded(locked.value ?? run))
    return fail([{ kind: 'nothing-to-resume' }]);
  const { scope } = run.settings;
  const checked = await checkLandings(ports, target, standby === undefined ? 'resume' : 'takeover');
  if (!checked.ok) return fail([checked.failure]);
  const landings = await noteLandings(ports, target);
  if (!landings.ok) return fail([landings.failure]);
  const open = await countOpenTasks(ports, scope, retry ? 'person' : undefined);
  if (!open.ok) return fail([open.failure]);
  const resumable = await isResumable(ports, run, open.value);
  if (!resumable.ok) return fail([resumable.failure]);
  if (!resumable.value) return fail([{ kind: 'nothing-to-resume' }]);
  const past = await ports.store.attempts({ run: run.id });
  if (!past.ok) return fail([past.failure]);
  const budget = resumedBudget(run.settings, config);
  const { owner } = ports.lock;
  const first = { type: 'run-resumed', run: run.id, owner, budget } as const;
  const isVerifySame = verify === run.settings.verify;
  const changes = defined({
    verify: isVerifySame ? undefined : (verify ?? ('none' as const)),
    ...check,
    heardAt: hasEnded(run) ? undefined : lastSignOf(run),
  });
  return ok({
    first: { ...first, ...changes, ...(attended ? { attended } : {}) },
    landings: landings.value,
    past: past.value,
  });
}

/**
 * True if the run has tasks that can go on. A run that has not ended is resumed in any case, if only to end it properly;
 * so is one that holds a live attempt, which a person may have decided about, or has a plan to revise.
 */
export async function isResumable(
  { store }: { readonly store: Pick<Store, 'tasks'> },
  run: RunRecord,
  open: number,
): Promise<Result<boolean>> {
  if (!hasEnded(run) || open > 0) return ok(true);
  const tasks = await store.tasks();
  if (!tasks.ok) return tasks;
  const isHeld = tasks.value.some(
    ({ attempt }) => attempt?.run === run.id && isLive(attempt.state),
  );
  return ok(isHeld || hasPlanToRevise(run, tasks.value));
}

/** True if the run ended before it asked an agent to revise the plan for a task whose own agent gave up. */
function hasPlanToRevise(run: RunRecord, tasks: readonly TaskRecord[]): boolean {
  const byId = new Map(tasks.map((record) => [record.task.id, record]));
  return dueRevision({ task: (id) => byId.get(id) }, run) !== undefined;
}

/**
 * The newest of these runs that has not ended, that holds a task, or that left work which no later run has taken up; else
 * the newest of all, if it was stopped: its failed tasks may be reopened.
 */
export function newestToResume<Run extends RunRecord>(
  runs: readonly Run[],
  tasks: readonly TaskRecord[],
): Run | undefined {
  const holders = new Set(
    tasks.flatMap(({ attempt }) => (attempt && isLive(attempt.state) ? [attempt.run] : [])),
  );
  const isDrained = (run: Run): boolean => stopOf(run)?.reason === 'drained';
  const found = runs.find(
    (run) =>
      !hasEnded(run) ||
      holders.has(run.id) ||
      leftBy(run, runs, tasks).some(({ blockers }) => blockers === 0 || !isDrained(run)) ||
      (!isDrained(run) && hasPlanToRevise(run, tasks)),
  );
  const [newest] = runs;
  return found ?? (newest !== undefined && !isDrained(newest) ? newest : undefined);
}

/** Open tasks of a run that were there when it ended, and that no later run has taken up. */
function leftBy(
  run: RunRecord,
  runs: readonly RunRecord[],
  tasks: readonly TaskRecord[],
): readonly TaskRecord[] {
  const find = finder(tasks);
  const within = inScope(run.settings.scope, find);
  const isTakenUp = takenUpAfter(run, runs, find);
  const { seq = Number.POSITIVE_INFINITY } = run.phase.id === 'ended' ? run.phase : {};
  return tasks.filter(
    (record) =>
      record.status.id === 'open' &&
      record.order <= seq &&
      within(record.task) &&
      !isOverLimit(run, record.task.id) &&
      !isTakenUp(record),
  );
}

/** Tasks the run may still work on; their agents must be available. */
function openTasksOf(tasks: readonly TaskRecord[], { scope }: RunSettings): readonly Task[] {
  const within = inScope(scope, finder(tasks));
  return tasks
    .filter(({ task, status }) => status.id === 'open' && within(task))
    .map(({ task, attempt }) =>
      attempt !== undefined && isLive(attempt.state) ? { ...task, agent: attempt.agent } : task,
    );
}

/** A run keeps the settings it was started with, whatever the config contains now. */
export function asStarted({ fallback: _now, ...config }: Config, { settings }: RunRecord): Config {
  const { target, agent, jobs, fallback } = settings;
  return { ...config, target, agent, jobs, fallback };
}

/** Only the end-of-run verification can be changed, and only by a flag. */
function withVerifyFlag(started: RunSettings, { verify, origins }: Config): RunSettings {
  if (origins.get('verify.enabled')?.origin !== 'flag') return started;
  const { verify: _before, ...settings } = started;
  return verify.enabled ? { ...settings, verify: verify.onFailure } : settings;
}
