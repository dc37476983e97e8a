import { join } from 'node:path';
import type { Observer } from '../engine/journal.ts';
import type { Event } from '../model/event.ts';
import type { Result } from '../model/failure.ts';
import type { RunId } from '../model/run.ts';
import type { TaskId } from '../model/task.ts';
import { runFiles } from '../record/files.ts';
import * as layout from '../record/run-file.ts';
import type { Place } from './place.ts';

export function runsDir(place: Place): string {
  return join(place.dir, 'runs');
}

/** Folder of an attempt's files: prompt, output, gate. */
export function attemptFolder(place: Place, run: RunId, task: TaskId, attempt: number): string {
  return join(runsDir(place), run, layout.attemptFolder(task, attempt));
}

/** Keeps the plain files of a run up to date. `past` holds its events from before this process. */
export function watchRun(
  place: Place,
  past: readonly Event[],
): { readonly on: Observer; flush(): Promise<Result<void>> } {
  return runFiles({ dir: runsDir(place), now: Date.now, past });
}
