import type { Opened } from '../app/ports.ts';
import type { Run } from '../app/run.ts';
import type { RunId } from '../model/run.ts';
import type { View } from '../report/view/view.ts';
import { type DrawingOptions, recordPages } from '../report/watch/records.ts';
import type { RecordPages } from '../report/watch/scene.ts';

/** The records of a project, and the run that is shown. */
export interface ShownRecords {
  readonly state: Pick<Run['state'], 'tasks' | 'attempts' | 'run'>;
  readonly run: RunId | undefined;
}

/** Draws pages that are made of records, as of `how.now`. `ms` is the time that this took. */
export async function drawnPages(
  store: Opened['store'] | undefined,
  { state, run: id }: ShownRecords,
  { tasks: views, run: seen }: Pick<View, 'tasks' | 'run'>,
  how: DrawingOptions,
): Promise<{ readonly pages: RecordPages; readonly ms: number }> {
  const run = id === undefined ? undefined : state.run(id);
  const steps = run && (await store?.queueSteps(run.id));
  const queue = steps?.ok ? steps.value.filter(({ at }) => at <= how.now) : [];
  const begin = performance.now();
  const attempts = [...state.attempts.values()].filter(({ runs }) => runs.includes(id ?? ''));
  const tasks = [...state.tasks.values()];
  const now = ('diedAt' in seen ? seen.diedAt : undefined) ?? how.now;
  const pages = recordPages({ tasks, views, run, attempts, queue }, { ...how, now });
  return { pages, ms: performance.now() - begin };
}
