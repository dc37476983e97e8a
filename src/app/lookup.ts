import { nearest } from '../graph/nearest.ts';
import { isLive } from '../model/attempt-state.ts';
import { type Failure, fail, ok, type Result, usage } from '../model/failure.ts';
import { limits } from '../model/limits.ts';
import type { LeasedRun } from '../model/run-record.ts';
import type { TaskId } from '../model/task.ts';
import type { TaskRecord } from '../model/task-record.ts';
import type { Store } from '../port/store.ts';
import { idsInScope, isWhole } from '../task/scope.ts';
import { isUnderWay } from './liveness.ts';
import type { Liveness, Project } from './ports.ts';

/** Caller of a command: its project, and folders that it and the processes above it work in. */
export interface Caller {
  readonly project: string;
  /** True if other clones of the project, on this machine too, may use its store. */
  readonly isShared: boolean;
  readonly places: readonly string[];
}

/**
 * Refuses a decision to processes that a run of this project started: agents, reviewers, set-up commands and gates work
 * in a folder of the run. The run of another project does not count: agents of one project may work on another. With a
 * shared store every run counts, because it may be one of another clone.
 */
export function byPerson({ project, isShared, places }: Caller, command: string): Result<void> {
  const worktrees = new RegExp(`/${isShared ? '[^/]+' : project}/([^/]+)/ym-\\1-\\d+(?:[./]|$)`);
  const run = places
    .map((place) => worktrees.exec(place)?.[1])
    .find((found) => found !== undefined);
  if (run === undefined) return ok(undefined);
  return usage(
    `only a person may use \`ym ${command}\`, and this was called from within run ${run}`,
    'An agent states what it needs in its last message, or with `ym agent`. A person calls it from their own checkout.',
  );
}

/** Opens the store of a project for `read`, and closes it afterwards. */
export async function reading<T>(
  project: Pick<Project, 'openStore'>,
  read: (store: Store) => Promise<Result<T>>,
): Promise<Result<T>> {
  const store = await project.openStore('read');
  if (!store.ok) return store;
  try {
    return await read(store.value);
  } finally {
    await store.value.close();
  }
}

/** The task with this id, or a failure that suggests a similar one. */
export async function taskNamed(
  store: Pick<Store, 'task' | 'ids'>,
  id: TaskId,
): Promise<Result<TaskRecord>> {
  const found = await store.task(id);
  if (!found.ok) return found;
  if (found.value !== undefined) return ok(found.value);
  const known = await store.ids('tasks');
  return fail(unknownTask(id, known.ok ? known.value : []));
}

export function unknownTask(task: TaskId, known: readonly TaskId[]): Failure {
  return { kind: 'unknown-task', task, nearest: nearest(task, known) };
}

/** A run by its id, or by a unique beginning or end of it; the newest without a name. Undefined if there is no run. */
export async function runNamed(
  store: Pick<Store, 'runs'>,
  name: string | undefined,
): Promise<Result<LeasedRun | undefined>> {
  const runs = await store.runs(limits.runsNamed);
  if (!runs.ok) return runs;
  return runIn(runs.value, name);
}

/** The run with this id, or with this unique beginning or end of it; the first without a name. */
function runIn<Run extends { readonly id: string }>(
  runs: readonly Run[],
  name: string | undefined,
): Result<Run | undefined> {
  if (name === undefined || name === 'last') return ok(runs[0]);
  const exact = runs.find(({ id }) => id === name);
  if (exact !== undefined) return ok(exact);
  const found = runs.filter(({ id }) => id.startsWith(name) || id.endsWith(name));
  if (found.length === 1) return ok(found[0]);
  if (found.length > 1) {
    const ids = found.map(({ id }) => id);
    return usage(
      `"${name}" matches ${ids.length} runs: ${firstOf(ids)}`,
      `Type more of the id; \`ym runs\` lists all runs.`,
    );
  }
  const ids = runs.map(({ id }) => id);
  return fail({ kind: 'unknown-run', run: name, nearest: nearest(name, ids) });
}

/** Like `runNamed`, but fails if the project has no run yet. */
export async function existingRun(
  store: Pick<Store, 'runs'>,
  name: string | undefined,
): Promise<Result<LeasedRun>> {
  const run = await runNamed(store, name);
  if (!run.ok) return run;
  if (run.value === undefined) return usage('there is no run yet', 'Start one with `ym run`.');
  return ok(run.value);
}

/** `a, b, c and 4 more` */
export function firstOf(ids: readonly string[]): string {
  const more = ids.length - limits.namesShown;
  return `${ids.slice(0, limits.namesShown).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}

/** The run under way in this project, if any. */
export async function activeRun(
  ports: Liveness & { readonly store: Pick<Store, 'runs'> },
): Promise<Result<LeasedRun | undefined>> {
  const runs = await ports.store.runs(limits.runsListed);
  return runs.ok ? ok(runs.value.find((run) => isUnderWay(ports, run))) : runs;
}

/**
 * The run under way that acts on a decision made now about these tasks: each is in its scope, or has a live attempt, which it
 * adopts. A run that is stopping starts nothing more.
 */
export async function continuingRun(
  ports: Liveness & { readonly store: Pick<Store, 'runs' | 'tasks'> },
  ids: readonly TaskId[],
): Promise<LeasedRun | undefined> {
  const active = await activeRun(ports);
  const run = active.ok ? active.value : undefined;
  if (run?.phase.id !== 'running' || run.phase.stopAsked !== undefined) return undefined;
  if (isWhole(run.settings.scope)) return run;
  const records = await ports.store.tasks();
  if (!records.ok) return undefined;
  const tasks = records.value.map(({ task }) => task);
  const taken = new Set(idsInScope(run.settings.scope, tasks));
  for (const { task, attempt } of records.value) {
    if (attempt !== undefined && isLive(attempt.state)) taken.add(task.id);
  }
  return ids.every((id) => taken.has(id)) ? run : undefined;
}

/** True if a run under way acts on a decision made now about these tasks. */
export async function willContinue(
  ports: Parameters<typeof continuingRun>[0],
  ids: readonly TaskId[],
): Promise<boolean> {
  return (await continuingRun(ports, ids)) !== undefined;
}
