import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { attemptDir, runsDir } from '../files/layout.ts';
import { ok, type Result, usage } from '../model/failure.ts';
import type { TaskId } from '../model/task.ts';
import { runFolder } from '../worktree/owner.ts';
import { runNamed } from './lookup.ts';
import { type Opened, storeName } from './ports.ts';

type Ports = Pick<Opened, 'dir' | 'storeFile' | 'storeSetting' | 'stateDir' | 'id' | 'store'>;

/** Paths on this machine, by what they hold. */
export type Paths = Readonly<Record<string, string>>;

/** Paths of the project; with the name of a task or a run, those of its newest attempt or of the run that exist. */
export async function whereIs(ports: Ports, name: string | undefined): Promise<Result<Paths>> {
  if (name === undefined) {
    const worktrees = join(ports.stateDir, ports.id);
    return ok({ store: storeName(ports), runs: runsDir(ports), worktrees });
  }
  const task = await taskPaths(ports, name);
  if (!task.ok) return task;
  const found = task.value === undefined ? await runPaths(ports, name) : ok(task.value);
  if (!found.ok) return found;
  const paths = Object.entries(found.value).filter(([, path]) => existsSync(path));
  if (paths.length > 0) return ok(Object.fromEntries(paths));
  return usage(
    `${name} has no files: no agent has worked on it, or they were removed`,
    'Files of old runs are removed by age and size; `ym log` and `ym why` show what is known.',
  );
}

/** Undefined if there is no such task. */
async function taskPaths(ports: Ports, id: TaskId): Promise<Result<Paths | undefined>> {
  const task = await ports.store.task(id);
  if (!task.ok) return task;
  if (task.value === undefined) return ok(undefined);
  const attempts = await ports.store.attempts({ task: id });
  if (!attempts.ok) return attempts;
  const newest = attempts.value.at(-1);
  if (newest === undefined) return ok({});
  // The files of an attempt that another run adopted are in the folders of both.
  const files = newest.runs.map((run) => attemptDir(ports, run, id, newest.number));
  const { attempt } = task.value;
  return ok({
    files: files.findLast(existsSync) ?? '',
    worktree: (attempt?.number === newest.number ? attempt.worktree?.dir : undefined) ?? '',
  });
}

async function runPaths(ports: Ports, name: string): Promise<Result<Paths>> {
  const run = await runNamed(ports.store, name);
  if (!run.ok && run.failure.kind !== 'unknown-run') return run;
  const id = run.ok ? run.value?.id : undefined;
  if (id === undefined) {
    const remedy = '`ym tasks --all` lists tasks, and `ym runs` lists runs.';
    return usage(`there is no task or run "${name}"`, remedy);
  }
  const worktrees = runFolder(ports.stateDir, ports.id, id);
  return ok({ files: join(runsDir(ports), id), worktrees });
}
