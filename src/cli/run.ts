import type { Config } from '../config/config.ts';
import { type Failure, fail, ok, type Result } from '../model/failure.ts';
import type { Scope } from '../model/run.ts';
import { ignoredReasoning } from '../plan/agent-pool.ts';
import type { TaskRecord } from '../plan/record.ts';
import { inScope } from '../plan/scope.ts';
import { type Preflight, preflight } from '../wire/preflight.ts';
import { openProject, openStore, type Project } from '../wire/project.ts';
import { type Bring, startRun } from '../wire/run.ts';
import { openTasks, retryFailed } from './again.ts';
import {
  bringIn,
  fitting,
  type Incoming,
  readSources,
  warnOfLanded,
  warnOfRemoved,
} from './bring-in.ts';
import { budgetFlags, preflightFlags, verifyFlags } from './budget.ts';
import { drive } from './drive.ts';
import { dryRun } from './dry-run.ts';
import { runConfig } from './judged.ts';
import { folderOf } from './open.ts';
import type { Call } from './parse.ts';
import { scopeOf } from './scope.ts';
import { screenOf } from './screen.ts';
import { complain } from './trouble.ts';

type Failures = readonly Failure[];

/** What was asked for and found, before anything is stored. */
interface Request {
  readonly project: Project;
  readonly config: Config;
  readonly incoming: Incoming;
  readonly known: readonly TaskRecord[];
  readonly scope: Scope;
  readonly ready: Preflight;
}

export async function run(call: Call): Promise<number> {
  const begun = await begin(call);
  if (typeof begun === 'number') return begun;
  const { project, ready, bring } = begun;
  const share = call.options.flag('share');
  const { scope } = ready.settings;
  return drive(call, screenOf(call), project, scope, (observe) =>
    startRun(ready, share, observe, bring),
  );
}

/**
 * All that comes before a run, or the exit status where there is none. What was read to get here may be large and is let
 * go of with this function: a run lasts for hours.
 */
async function begin(call: Call): Promise<Begun | number> {
  const request = await understand(call);
  if (!request.ok) return complain(request.failure);
  const { project, ready, scope, incoming, known } = request.value;
  const screen = screenOf(call);
  const pruneRemoved = call.options.flag('prune-removed');
  if (call.options.flag('dry-run')) {
    await project.git.close();
    const decided = dryRun(ready.settings, known, incoming.tasks, ready.check);
    if (!decided.ok) return complain(decided.failure);
    const plan = fitting(known, incoming);
    if (plan.ok) warnOfRemoved(plan.value, { dryRun: true, pruneRemoved });
    if (call.options.flag('json')) screen.json({ commands: decided.value.commands });
    else screen.lines(decided.value.lines);
    return 0;
  }
  return { project, ready, bring: bringer(scope, incoming, pruneRemoved) };
}

interface Begun extends Pick<Request, 'project' | 'ready'> {
  readonly bring: Bring;
}

async function understand(call: Call): Promise<Result<Request, Failures>> {
  const opened = await openProject(folderOf(call));
  if (!opened.ok) return fail([opened.failure]);
  const project = opened.value;
  const config = await runConfig(call, project, flagsOf(call));
  if (!config.ok) return config;
  const incoming = await readSources(call.args, folderOf(call), project.root);
  if (!incoming.ok) return incoming;
  const known = await readKnown(project, incoming.value);
  if (!known.ok) return known;
  const brought = incoming.value.tasks;
  const tasks = [...known.value.map((record) => record.task), ...brought];
  const scope = await scopeOf(call, tasks, brought);
  if (!scope.ok) return fail([scope.failure]);
  const replaced = new Set(brought.map(({ id }) => id));
  const left = known.value.filter((record) => mayStart(record) && !replaced.has(record.task.id));
  const mine = [...left.map((record) => record.task), ...brought].filter(
    inScope(scope.value, (id) => tasks.find((task) => task.id === id)),
  );
  const ready = await preflight(project, config.value, scope.value, mine);
  if (!ready.ok) return ready;
  for (const { agent, reasoning } of ignoredReasoning(ready.value.settings, mine)) {
    process.stderr.write(
      `ym: ${agent} has no setting for the reasoning effort; "${reasoning}" is not passed to it.\n`,
    );
  }
  return ok({
    project,
    config: config.value,
    incoming: incoming.value,
    known: known.value,
    scope: scope.value,
    ready: ready.value,
  });
}

function flagsOf(call: Call): Readonly<Record<string, unknown>> {
  const { options } = call;
  return {
    ...budgetFlags(call),
    ...verifyFlags(call),
    ...preflightFlags(call),
    jobs: options.number('jobs'),
    agent: options.text('agent'),
    target: options.text('target'),
    retries: options.number('retries'),
    'model.default': options.text('model'),
    'fallback.agent': options.text('fallback'),
    'gate.slots': options.number('gate-slots'),
    'delivery.how': options.text('deliver'),
  };
}

/** The stored tasks, after checking that the new ones would fit among them. */
async function readKnown(
  project: Project,
  incoming: Incoming,
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
function bringer(scope: Scope, incoming: Incoming, pruneRemoved: boolean): Bring {
  return async (store) => {
    const brought = await bringIn(store, incoming, { pruneRemoved });
    if (!brought.ok) return brought;
    warnOfLanded(brought.value);
    warnOfRemoved(brought.value, { pruneRemoved });
    const again = await retryFailed(store, scope, 'run');
    if (!again.ok) return fail([again.failure]);
    const left = await openTasks(store, scope);
    return left.ok ? left : fail([left.failure]);
  };
}

/** What is done, or waits for a person, needs no agent in this run. */
function mayStart({ status }: TaskRecord): boolean {
  return status.id === 'open' || status.id === 'failed';
}
