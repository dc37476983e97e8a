import { ok, type Result } from '../model/failure.ts';
import { limits } from '../model/limits.ts';
import type { StoredRecords } from '../port/store.ts';
import { type FrequentFailure, frequentFailures } from '../report/failures/frequent-failures.ts';

/** Failures of the newest attempts of all runs, most frequent first, and how many attempts were read. */
export async function topFailures({
  store,
}: {
  readonly store: StoredRecords;
}): Promise<Result<{ readonly attempts: number; readonly failures: readonly FrequentFailure[] }>> {
  const attempts = await store.attempts({ newest: limits.failuresAttempts });
  if (!attempts.ok) return attempts;
  const tasks = await store.tasks();
  if (!tasks.ok) return tasks;
  const byId = new Map(tasks.value.map((record) => [record.task.id, record]));
  const failures = frequentFailures(attempts.value, (task) => byId.get(task));
  return ok({ attempts: attempts.value.length, failures });
}
