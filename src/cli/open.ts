import { resolve } from 'node:path';
import { nearest } from '../graph/nearest.ts';
import { type Failure, fail, ok, type Result } from '../model/failure.ts';
import type { TaskId } from '../model/task.ts';
import { limits } from '../plan/limits.ts';
import type { RunRecord, TaskRecord } from '../plan/record.ts';
import { readStatus } from '../record/quick.ts';
import type { Store } from '../record/store.ts';
import { isUnderWay } from '../wire/driven.ts';
import { openProject, openStore, type Project } from '../wire/project.ts';
import type { Call } from './parse.ts';
import { complain } from './trouble.ts';

/** The folder a command works in. */
export function folderOf(call: Pick<Call, 'global'>): string {
  return resolve(call.global.cwd ?? '.');
}

export interface Opened {
  readonly project: Project;
  readonly store: Store;
}

/** Runs a command on the project it was called in; whatever goes wrong is said, and everything is closed again. */
export async function withStore(
  call: Call,
  mode: 'read' | 'write',
  work: (opened: Opened) => Promise<Result<number, Failure | readonly Failure[]>>,
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

/** A task by its name, or which one may have been meant. */
export async function taskNamed(store: Store, id: TaskId): Promise<Result<TaskRecord>> {
  const found = await store.task(id);
  if (!found.ok) return found;
  if (found.value !== undefined) return ok(found.value);
  const known = await store.taskIds();
  const near = known.ok ? nearest(id, known.value) : undefined;
  const failure: Failure = { kind: 'unknown-task', task: id };
  return fail(near === undefined ? failure : { ...failure, nearest: near });
}

/** A run by its id, or by a beginning or an end of it; the newest if no name is given. Undefined: there is no run. */
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
  const ids = found.map(({ id }) => id);
  if (found.length === 1) return ok(found[0]);
  if (found.length > 1) return fail(ambiguousRun(name, ids));
  const near = nearest(
    name,
    runs.value.map((run) => run.id),
  );
  const failure: Failure = { kind: 'unknown-run', run: name };
  return fail(near === undefined ? failure : { ...failure, nearest: near });
}

function ambiguousRun(name: string, ids: readonly string[]): Failure {
  const shown = ids.slice(0, limits.namesShown).join(', ');
  const more = ids.length > limits.namesShown ? ` and ${ids.length - limits.namesShown} more` : '';
  return {
    kind: 'usage',
    problem: `"${name}" fits ${ids.length} runs: ${shown}${more}`,
    remedy: 'Type more of the id; `ym runs` lists all runs.',
  };
}

/**
 * The run to go on with: the one that is named, else the newest that still holds tasks, else the newest that was cut
 * short or stopped. Where there is none of these it is the newest, which can say why not. Undefined: there is no run.
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

/** A run that came to its own end has no tasks left that it could do. */
function isUnfinished({ endedAt, stop }: RunRecord): boolean {
  return endedAt === undefined || stop?.reason !== 'drained';
}

/** End of a sentence: whether the live run or the next one goes on with what a person has just decided. */
export async function goesOnBy(store: Store): Promise<string> {
  const runs = await store.runs(limits.runsListed);
  const goesOn = runs.ok && runs.value.some(isUnderWay);
  return goesOn ? 'it goes on' : '`ym resume` or the next `ym run` goes on with it';
}
