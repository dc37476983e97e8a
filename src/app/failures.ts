import { ok, type Result } from '../model/failure.ts';
import { limits } from '../model/limits.ts';
import { type FrequentFailure, frequentFailures } from '../report/failures/frequent-failures.ts';
import type { Opened } from './ports.ts';

/** Failures of the newest attempts of all runs, most frequent first, and how many attempts were read. */
export async function topFailures({
  store,
}: Pick<Opened, 'store'>): Promise<
  Result<{ readonly attempts: number; readonly failures: readonly FrequentFailure[] }>
> {
  const attempts = await store.attempts({ newest: limits.failuresAttempts });
  if (!attempts.ok) return attempts;
  const tasks = await store.tasks();
  if (!tasks.ok) return tasks;
  const types = new Map(tasks.value.map(({ task }) => [task.id, task.type]));
  const failures = frequentFailures(attempts.value, (task) => types.get(task));
  return ok({ attempts: attempts.value.length, failures });
}
