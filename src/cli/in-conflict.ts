import { fail, ok, type Result } from '../model/failure.ts';
import type { TaskRecord } from '../plan/record.ts';
import { conflictCauseOf } from '../plan/returned-work.ts';

/** What came to a conflict and was given up, with the ref that keeps it; or why there is nothing to resolve. */
export function workInConflict(record: TaskRecord): Result<{ readonly kept: string }> {
  const { task, status, attempt } = record;
  const refuse = (problem: string, remedy: string): Result<never> =>
    fail({ kind: 'usage', problem, remedy });
  const why = `\`ym why ${task.id}\` says where it stands.`;
  if (record.handedIn !== undefined) {
    const remedy = `\`ym run --only ${task.id}\` lets it be judged.`;
    return refuse(`the resolved work of ${task.id} was handed in already`, remedy);
  }
  if (attempt === undefined) return refuse(`nobody has worked on ${task.id} yet`, why);
  if (attempt.state.id !== 'failed' || !isGivenUp(status.id)) {
    return refuse(`task ${task.id} was not given up, so there is nothing to resolve`, why);
  }
  const { failure, kept, left } = attempt.state;
  if (conflictCauseOf(failure, attempt) === undefined) {
    return refuse(`task ${task.id} did not end in a conflict`, why);
  }
  if (kept !== undefined) return ok({ kept });
  const problem = `no branch keeps the work of ${task.id}`;
  return refuse(
    problem,
    left === undefined ? `\`ym retry ${task.id}\` begins again.` : `It is still in ${left}.`,
  );
}

function isGivenUp(status: TaskRecord['status']['id']): boolean {
  return status === 'failed' || status === 'blocked' || status === 'quarantined';
}
