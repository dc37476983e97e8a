import type { Config } from '../config/config.ts';
import type { EventBody } from '../model/event.ts';
import { type Failure, fail, ok, type Result } from '../model/failure.ts';
import type { Scope } from '../model/run.ts';
import type { Task } from '../model/task.ts';
import type { RunRecord, TaskRecord } from '../plan/record.ts';
import type { Store } from '../record/store.ts';
import { summaryOf } from '../report/summary.ts';
import { summaryText } from '../report/summarytext.ts';
import { watchRun } from '../wire/files.ts';
import { type Preflight, preflight } from '../wire/preflight.ts';
import { openProject, openStore, type Project, projectConfig } from '../wire/project.ts';
import { inScope, type Observe, type Running, resumeRun, startRun } from '../wire/run.ts';
import { bringIn, fitting, readSources } from './bringin.ts';
import { dryRun } from './dryrun.ts';
import { exitOf } from './exit.ts';
import { progress } from './follow.ts';
import { folderOf, runNamed } from './open.ts';
import type { Call } from './parse.ts';
import { scopeOf } from './scope.ts';
import { type Screen, screenOf } from './screen.ts';
import { onSignals } from './signals.ts';
import { complain } from './trouble.ts';

type Failures = readonly Failure[];

/** What was asked for and found, before anything is stored. */
interface Request {
  readonly project: Project;
  readonly config: Config;
  readonly incoming: readonly Task[];
  readonly known: readonly TaskRecord[];
  readonly scope: Scope;
  readonly ready: Preflight;
}

export async function run(call: Call): Promise<number> {
  const begun = await begin(call);
  if (typeof begun === 'number') return begun;
  const { project, ready, scope } = begun;
  const share = call.options.flag('share');
  return drive(call, screenOf(call), project, (observe) =>
    startRun(ready, { scope, share }, observe),
  );
}

/**
 * All that comes before a run, or the exit status where there is none. What was read to get here may be large and is let
 * go of with this function: a run lasts for hours.
 */
async function begin(call: Call): Promise<Pick<Request, 'project' | 'ready' | 'scope'> | number> {
  const request = await understand(call);
  if (!request.ok) return complain(request.failure);
  const { project, ready, scope, incoming, known } = request.value;
  const screen = screenOf(call);
  if (call.options.flag('dry-run')) {
    await project.git.close();
    const decided = dryRun(ready.settings, known, incoming);
    if (!decided.ok) return complain(decided.failure);
    if (call.options.flag('json')) screen.json(decided.value.commands);
    else screen.lines(decided.value.lines);
    return 0;
  }
  const brought = await bringAll(request.value);
  if (!brought.ok) return complain(brought.failure);
  if (brought.value > 0) return { project, ready, scope };
  await project.git.close();
  if (!call.global.quiet) screen.lines(['Nothing to do: every task in scope has landed.']);
  return 0;
}

export async function resume(call: Call): Promise<number> {
  const opened = await openProject(folderOf(call));
  if (!opened.ok) return complain([opened.failure]);
  const project = opened.value;
  const config = projectConfig(project);
  if (!config.ok) return complain(config.failure);
  const store = await openStore(project, 'write');
  if (!store.ok) return complain([store.failure]);
  const found = await runNamed(store.value, call.args[0]);
  if (!found.ok) return complain([found.failure]);
  const record = found.value;
  if (record === undefined) return complain([{ kind: 'nothing-to-resume' }]);
  if (call.options.flag('retry-failed')) {
    const again = await retryFailed(store.value, record.settings.scope);
    if (!again.ok) return complain([again.failure]);
  }
  const left = record.endedAt === undefined ? ok(true) : await isAnyOpen(store.value, record);
  if (!left.ok) return complain([left.failure]);
  await store.value.close();
  if (!left.value) return complain([{ kind: 'nothing-to-resume' }]);
  const target = { ...config.value, target: record.settings.target };
  const agent = { ...target, agent: record.settings.agent, jobs: record.settings.jobs };
  const ready = await preflight(project, agent, record.settings.scope, []);
  if (!ready.ok) return complain([ready.failure]);
  return drive(call, screenOf(call), project, (observe) => resumeRun(ready.value, record, observe));
}

async function understand(call: Call): Promise<Result<Request, Failures>> {
  const opened = await openProject(folderOf(call));
  if (!opened.ok) return fail([opened.failure]);
  const project = opened.value;
  const config = projectConfig(project, flagsOf(call));
  if (!config.ok) return config;
  const incoming = await readSources(call.args, folderOf(call));
  if (!incoming.ok) return incoming;
  const known = await readKnown(project, incoming.value);
  if (!known.ok) return known;
  const tasks = [...known.value.map((record) => record.task), ...incoming.value];
  const scope = await scopeOf(call, tasks, incoming.value);
  if (!scope.ok) return fail([scope.failure]);
  const mine = tasks.filter(inScope(scope.value));
  const ready = await preflight(project, config.value, scope.value, mine);
  if (!ready.ok) return fail([ready.failure]);
  return ok({
    project,
    config: config.value,
    incoming: incoming.value,
    known: known.value,
    scope: scope.value,
    ready: ready.value,
  });
}

function flagsOf({ options }: Call): Readonly<Record<string, unknown>> {
  return {
    jobs: options.number('jobs'),
    agent: options.text('agent'),
    target: options.text('target'),
    retries: options.number('retries'),
    'budget.attempts': options.number('max-attempts'),
    'budget.wall': options.text('budget-wall'),
  };
}

/** The stored tasks, after checking that the new ones would fit among them. */
async function readKnown(
  project: Project,
  incoming: readonly Task[],
): Promise<Result<readonly TaskRecord[], Failures>> {
  const store = await openStore(project, 'read');
  if (!store.ok) return fail([store.failure]);
  try {
    const known = await store.value.tasks();
    if (!known.ok) return fail([known.failure]);
    const fits = fitting(known.value, incoming);
    return fits.ok ? known : fits;
  } finally {
    await store.value.close();
  }
}

/** Stores the new tasks, and opens those again that failed in an earlier run. Returns how many are left to do. */
async function bringAll({
  project,
  scope,
  incoming,
  known,
}: Request): Promise<Result<number, Failures>> {
  const opened = await openStore(project, 'write');
  if (!opened.ok) return fail([opened.failure]);
  const store = opened.value;
  try {
    const brought = incoming.length === 0 ? undefined : await bringIn(store, incoming, false);
    if (brought?.ok === false) return brought;
    const again = await retryFailed(store, scope);
    if (!again.ok) return fail([again.failure]);
    const within = inScope(scope);
    const added = (brought?.value.added ?? []).filter(within);
    const left = known.filter(
      ({ task, standing }) => (standing.id === 'open' || standing.id === 'failed') && within(task),
    );
    return ok(added.length + left.length);
  } finally {
    await store.close();
  }
}

/** Whether a task in the scope of a run is neither done nor in need of a person. */
async function isAnyOpen(store: Store, run: RunRecord): Promise<Result<boolean>> {
  const tasks = await store.tasks();
  if (!tasks.ok) return tasks;
  const within = inScope(run.settings.scope);
  return ok(tasks.value.some(({ task, standing }) => standing.id === 'open' && within(task)));
}

async function retryFailed(store: Store, scope: Scope): Promise<Result<void>> {
  const failed = await store.tasks(['failed']);
  if (!failed.ok) return failed;
  const reason = 'another run';
  const events: EventBody[] = failed.value
    .filter(({ task }) => inScope(scope)(task))
    .map(({ task }) => ({
      type: 'task-decided',
      id: task.id,
      decision: { kind: 'retry', reason },
    }));
  if (events.length === 0) return ok(undefined);
  const stored = await store.append(Date.now(), events);
  return stored.ok ? ok(undefined) : stored;
}

/** Starts, shows what happens, obeys signals, sums up. */
async function drive(
  call: Call,
  screen: Screen,
  project: Project,
  start: (observe: Observe) => Promise<Result<Running>>,
): Promise<number> {
  const shown = progress(call, screen);
  let files: ReturnType<typeof watchRun> | undefined;
  const started = await start((past) => {
    const watching = watchRun(project, past);
    files = watching;
    return (event, state) => {
      watching.on(event, state);
      shown.on(event, state);
    };
  });
  if (!started.ok) {
    await project.git.close();
    return complain([started.failure]);
  }
  const running = started.value;
  shown.begin(running);
  const quiet = onSignals(running, shown.say);
  const ended = await running.finished();
  quiet();
  const written = await files?.flush();
  shown.end();
  if (written?.ok === false) complain([written.failure]);
  if (!ended.ok) return complain([ended.failure]);
  return conclude(call, screen, project, ended.value, [...running.state.tasks.values()]);
}

/** Sums up from what the run has in memory; only its events are read again. */
async function conclude(
  call: Call,
  screen: Screen,
  project: Project,
  run: RunRecord,
  tasks: readonly TaskRecord[],
): Promise<number> {
  if (!call.options.flag('json') && !call.global.quiet) {
    const store = await openStore(project, 'read');
    if (!store.ok) return complain([store.failure]);
    const events = await store.value.events({ run: run.id });
    await store.value.close();
    if (!events.ok) return complain([events.failure]);
    const summary = summaryOf(events.value, run, tasks);
    screen.lines(['', ...summaryText(summary, screen.style, screen.width)]);
  }
  return exitOf(run, tasks);
}
