import { accessSync, constants, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { fail, ok, type Result } from '../model/failure.ts';
import type { RunId } from '../model/run.ts';
import type { TaskId } from '../model/task.ts';
import * as layout from '../record/run-file.ts';
import type { Place } from './ports.ts';

export function runsDir(place: Pick<Place, 'dir'>): string {
  return join(place.dir, 'runs');
}

/** Folder of an attempt's files: prompt, output, gate. */
export function attemptFolder(
  place: Pick<Place, 'dir'>,
  run: RunId,
  task: TaskId,
  attempt: number,
): string {
  return join(runsDir(place), run, layout.attemptFolder(task, attempt));
}

/** Creates a folder if needed, and checks that it is writable. */
export function checkWritable(dir: string): Result<void> {
  try {
    mkdirSync(dir, { recursive: true, mode: 0o700 });
    accessSync(dir, constants.W_OK | constants.X_OK);
    return ok(undefined);
  } catch (error) {
    const cause = error instanceof Error ? error.message : String(error);
    return fail({ kind: 'state-unwritable', dir, cause });
  }
}
