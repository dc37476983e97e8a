import { resolve } from 'node:path';
import { nearest } from '../graph/nearest.ts';
import { type Failure, fail, ok, type Result, usage } from '../model/failure.ts';
import { given } from '../model/given.ts';
import { limits } from '../model/limits.ts';
import type { RunRecord } from '../model/run-record.ts';
import type { TaskId } from '../model/task.ts';
import type { TaskRecord } from '../model/task-record.ts';
import type { Store } from '../port/store.ts';
import { readStatus } from '../record/quick.ts';
import { byPerson } from '../wire/caller.ts';
import { isUnderWay } from '../wire/driven.ts';
import { openProject, openStore, type Project } from '../wire/project.ts';
import type { Call } from './parse.ts';
import { complain } from './screen.ts';

/** The folder a command works in. */
export function folderOf(call: Pick<Call, 'global'>): string {
  return resolve(call.global.cwd ?? '.');
}

export interface Opened {
  readonly project: Project;
  readonly store: Store;
}

/** The exit status of a command, or why it could not be carried out. */
export type Outcome = Result<number, Failure | readonly Failure[]>;

/** Runs a command on the project it was called in. Prints its failures, and closes everything again. */
export async function withStore(
  call: Call,
  mode: 'read' | 'write',
  work: (opened: Opened) => Promise<Outcome>,
): Promise<number> {
  const project = await openProject(folderOf(call));
  if (!project.ok) return complain([project.failure]);
  const store = await openStore(project.value, mode);
  if (!store.ok) return complain([store.failure]);
  try {
    const done = await work({ project: project.value, store: store.value });
    if (done.ok) return done.value;
    return complain('kind' in done.failure ? [done.failure] : done.failure);
  } finally {
    await store.value.close();
    await project.value.git.close();
  }
}

/** Like `withStore`, for commands that change what a run does and that only a person may use. */
export function asPerson(call: Call, work: (opened: Opened) => Promise<Outcome>): Promise<number> {
  return withStore(call, 'write', async (opened) => {
    const person = await byPerson(opened.store, call.command);
    return person.ok ? work(opened) : person;
  });
}

/** The task with this id, or a failure that suggests a similar one. */
export async function taskNamed(store: Store, id: TaskId): Promise<Result<TaskRecord>> {
  const found = await store.task(id);
  if (!found.ok) return found;
  if (found.value !== undefined) return ok(found.value);
  const known = await store.taskIds();
  return fail(unknownTask(id, known.ok ? known.value : []));
}

export function unknownTask(task: TaskId, known: readonly TaskId[]): Failure {
  return { kind: 'unknown-task', task, ...given({ nearest: nearest(task, known) }) };
}

/** A run by its id, or by a unique beginning or end of it; the newest without a name. Undefined if there is no run. */
export async function runNamed(
  store: Store,
  name: string | undefined,
): Promise<Result<RunRecord | undefined>> {
  const runs = await store.runs(limits.runsNamed);
  if (!runs.ok) return runs;
  if (name === undefined || name === 'last') return ok(runs.value[0]);
  const exact = runs.value.find(({ id }) => id === name);
  if (exact !== undefined) return ok(exact);
  const found = runs.value.filter(({ id }) => id.startsWith(name) || id.endsWith(name));
  if (found.length === 1) return ok(found[0]);
  if (found.length > 1) {
    const ids = found.map(({ id }) => id);
    return usage(
      `"${name}" matches ${ids.length} runs: ${firstOf(ids)}`,
      'Type more of the id; `ym runs` lists all runs.',
    );
  }
  const ids = runs.value.map(({ id }) => id);
  return fail({ kind: 'unknown-run', run: name, ...given({ nearest: nearest(name, ids) }) });
}

/** `a, b, c and 4 more` */
export function firstOf(ids: readonly string[]): string {
  const more = ids.length - limits.namesShown;
  return `${ids.slice(0, limits.namesShown).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}

/**
 * The run to resume: the named one, else the newest that still holds tasks, else the newest that was cut short or
 * stopped, else the newest, which cannot be resumed and gives the reason. Undefined if there is no run.
 */
export async function resumableRun(
  { project, store }: Opened,
  name: string | undefined,
): Promise<Result<RunRecord | undefined>> {
  if (name !== undefined) return runNamed(store, name);
  const runs = await store.runs(limits.runsListed);
  if (!runs.ok) return runs;
  const status = readStatus(project.storeFile);
  if (!status.ok) return status;
  const holders = new Set(status.value.active.map(({ attempt }) => attempt?.run));
  const left = runs.value.filter((run) => !isUnderWay(run));
  const found = left.find(({ id }) => holders.has(id)) ?? left.find(isUnfinished);
  return ok(found ?? runs.value[0]);
}

/** A drained run has no tasks left to work on. */
function isUnfinished({ endedAt, stop }: RunRecord): boolean {
  return endedAt === undefined || stop?.reason !== 'drained';
}

/** The run under way in this project, if any. */
export async function activeRun(store: Store): Promise<Result<RunRecord | undefined>> {
  const runs = await store.runs(limits.runsListed);
  return runs.ok ? ok(runs.value.find(isUnderWay)) : runs;
}

/** End of a sentence: whether the active run or the next one acts on a person's decision. */
export async function nextStep(store: Store): Promise<string> {
  const run = await activeRun(store);
  const isActive = run.ok && run.value !== undefined;
  return isActive ? 'the run continues with it' : 'continue with `ym resume` or `ym run`';
}
