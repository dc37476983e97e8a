import { join } from 'node:path';
import type { RunId } from '../model/run.ts';
import type { TaskId } from '../model/task.ts';

/** Parent of all run folders; `dir` is Yardmaster's folder. */
export function runsDir({ dir }: { readonly dir: string }): string {
  return join(dir, 'runs');
}

/** Folder of an attempt's files, below the run folder. */
export function attemptFolder(task: TaskId, attempt: number): string {
  return `attempts/${task}-${attempt}`;
}

/** Folder of an attempt's files: prompt, output, gate. */
export function attemptDir(
  place: { readonly dir: string },
  run: RunId,
  task: TaskId,
  attempt: number,
): string {
  return join(runsDir(place), run, attemptFolder(task, attempt));
}

export function batchFileName(number: number): string {
  return `batch-${String(number).padStart(3, '0')}.json`;
}

/** True for the name of a file of a batch. */
export function isBatchFile(name: string): boolean {
  return /^batch-\d{3,}\.json$/.test(name);
}
