import { agentMs, learnTimes, type PastTask } from '../graph/learned-times.ts';
import { ok, type Result } from '../model/failure.ts';
import type { LearnedTimes } from '../model/forecast.ts';
import { limits } from '../model/limits.ts';
import type { TaskRecord } from '../model/task-record.ts';
import type { Store } from '../port/store.ts';

/** Learns agent times from the newest attempts. */
export async function learnedTimes(
  store: Pick<Store, 'attempts'>,
  known: readonly TaskRecord[],
): Promise<Result<LearnedTimes | undefined>> {
  const attempts = await store.attempts({ newest: limits.forecastAttempts });
  if (!attempts.ok) return attempts;
  const byId = new Map(known.map(({ task }) => [task.id, task]));
  const past = attempts.value.flatMap((attempt): PastTask[] => {
    const task = byId.get(attempt.task);
    const { id } = attempt.end;
    if (task === undefined || (id !== 'landed' && id !== 'delivered')) return [];
    return [{ task, agent: attempt.agent, ms: agentMs(attempt) }];
  });
  return ok(learnTimes(past));
}
