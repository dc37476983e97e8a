import type { Project } from '../app/ports.ts';
import { type Preflight, preflight } from '../app/preflight.ts';
import { type Running, startRun } from '../app/run.ts';
import { type Incoming, importPlan } from '../app/tasks.ts';
import { type Failure, fail, ok, type Result } from '../model/failure.ts';
import type { TaskRecord } from '../model/task-record.ts';
import { ignoredReasoning } from '../plan/agent-pool.ts';
import type { Import } from '../source/merge.ts';
import { inScope } from '../task/scope.ts';
import { openProject } from '../wire/project.ts';
import { drive } from './drive.ts';
import { dryRun } from './dry-run.ts';
import { importWarnings, sourcesOf } from './import-text.ts';
import { folderOf } from './open.ts';
import type { Call } from './parse.ts';
import { configOfRun, runFlags } from './run-flags.ts';
import { scopeOf } from './scope.ts';
import { complain, print, warn } from './screen.ts';

type Failures = readonly Failure[];

export async function run(call: Call): Promise<number> {
  const started = await start(call);
  return typeof started === 'number' ? started : drive(call, started.ready, started.running);
}

interface Started {
  readonly ready: Preflight;
  readonly running: Result<Running, Failures>;
}

/** Starts the run, or returns the exit status if there is none. */
async function start(call: Call): Promise<Started | number> {
  const prepared = await prepare(call);
  if (typeof prepared === 'number') return prepared;
  const { ready, incoming, pruneRemoved, warnings } = prepared;
  const share = call.options.flag('share');
  const running = await startRun(ready, { share, incoming, pruneRemoved });
  const isImported = running.ok || running.failure[0]?.kind === 'nothing-to-do';
  if (isImported) warn(warnings);
  return { ready, running };
}

/** Everything that is needed to start the run. The stored tasks are not part of it: the run loads its own copy. */
interface Prepared {
  readonly ready: Preflight;
  readonly incoming: Incoming;
  readonly pruneRemoved: boolean;
  readonly warnings: readonly string[];
}

async function prepare(call: Call): Promise<Prepared | number> {
  const request = await requestOf(call);
  if (!request.ok) return complain(request.failure);
  const { ready, incoming, known, plan } = request.value;
  const pruneRemoved = call.options.flag('prune-removed');
  if (!call.options.flag('dry-run')) {
    return { ready, incoming, pruneRemoved, warnings: importWarnings(plan, { pruneRemoved }) };
  }
  await ready.project.git.close();
  const { commands, lines } = dryRun(ready.settings, known, incoming.tasks, ready.check);
  warn(importWarnings({ landed: [], removed: plan.removed }, { dryRun: true, pruneRemoved }));
  print(call, { commands }, () => lines);
  return 0;
}

/** What was asked for and found, before anything is stored. */
interface Request extends Known {
  readonly incoming: Incoming;
  readonly ready: Preflight;
}

async function requestOf(call: Call): Promise<Result<Request, Failures>> {
  const opened = await openProject(folderOf(call));
  if (!opened.ok) return fail([opened.failure]);
  const project = opened.value;
  const config = await configOfRun(call, project, runFlags(call));
  if (!config.ok) return config;
  const incoming = await sourcesOf(call, project.root);
  if (!incoming.ok) return incoming;
  const stored = await readKnown(project, incoming.value);
  if (!stored.ok) return stored;
  const { known } = stored.value;
  const added = incoming.value.tasks;
  const tasks = [...known.map((record) => record.task), ...added];
  const scope = await scopeOf(call, tasks, added);
  if (!scope.ok) return fail([scope.failure]);
  const replaced = new Set(added.map(({ id }) => id));
  const left = known.filter((record) => mayStart(record) && !replaced.has(record.task.id));
  const mine = [...left.map((record) => record.task), ...added].filter(
    inScope(scope.value, (id) => tasks.find((task) => task.id === id)),
  );
  const ready = await preflight(project, config.value, scope.value, mine);
  if (!ready.ok) return ready;
  warn(
    ignoredReasoning(ready.value.settings, mine).map(
      ({ agent, reasoning }) =>
        `${agent} has no setting for the reasoning effort; "${reasoning}" is not passed to it.`,
    ),
  );
  return ok({ ...stored.value, incoming: incoming.value, ready: ready.value });
}

/** The stored tasks, and the effect of importing the new ones. */
interface Known {
  readonly known: readonly TaskRecord[];
  readonly plan: Import;
}

async function readKnown(project: Project, incoming: Incoming): Promise<Result<Known, Failures>> {
  const store = await project.openStore('read');
  if (!store.ok) return fail([store.failure]);
  const known = await store.value.tasks();
  await store.value.close();
  if (!known.ok) return fail([known.failure]);
  const plan = importPlan(known.value, incoming);
  return plan.ok ? ok({ known: known.value, plan: plan.value }) : plan;
}

/** Tasks that are done or wait for a person need no agent in this run. */
function mayStart({ status }: TaskRecord): boolean {
  return status.id === 'open' || status.id === 'failed';
}
