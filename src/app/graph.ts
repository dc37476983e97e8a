import { ok, type Result } from '../model/failure.ts';
import type { Drawing } from '../report/graph/drawing.ts';
import { runDrawing } from '../report/graph/run.ts';
import { taskDrawing } from '../report/graph/tasks.ts';
import { tasksSeen } from './explain.ts';
import { existingRun } from './lookup.ts';
import type { Liveness, Opened } from './ports.ts';

/** The tasks of the project as a graph; those that are done only with `all`. */
export async function taskGraph(
  ports: Liveness & Pick<Opened, 'store' | 'git'>,
  options: { readonly all: boolean },
): Promise<Result<Drawing>> {
  const seen = await tasksSeen(ports);
  if (!seen.ok) return seen;
  const { records, viewOf } = seen.value;
  return ok(taskDrawing(records, records.map(viewOf), options.all));
}

export async function runGraph(
  { store }: Pick<Opened, 'store'>,
  name: string,
  options: { readonly offsetMin: number },
): Promise<Result<Drawing>> {
  const run = await existingRun(store, name);
  if (!run.ok) return run;
  const attempts = await store.attempts({ run: run.value.id });
  return attempts.ok ? ok(runDrawing(attempts.value, run.value, options.offsetMin)) : attempts;
}
