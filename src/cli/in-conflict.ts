import { ok, type Result, usage } from '../model/failure.ts';
import type { TaskRecord } from '../model/task-record.ts';
import { conflictCauseOf } from '../plan/returned-work.ts';

/** The branch that keeps the conflicting work of a given-up task, or why there is nothing to resolve. */
export function workInConflict(record: TaskRecord): Result<{ readonly kept: string }> {
  const { task, status, attempt } = record;
  const why = `\`ym why ${task.id}\` shows its state.`;
  if (record.handedIn !== undefined) {
    const remedy = `\`ym run --only ${task.id}\` lets it be judged.`;
    return usage(`the resolved work of ${task.id} was handed in already`, remedy);
  }
  if (attempt === undefined) return usage(`no agent has worked on ${task.id} yet`, why);
  if (attempt.state.id !== 'failed' || !isGivenUp(status.id)) {
    return usage(`task ${task.id} was not given up, so there is nothing to resolve`, why);
  }
  const { failure, kept, left } = attempt.state;
  if (conflictCauseOf(failure, attempt) === undefined) {
    return usage(`task ${task.id} did not end in a conflict`, why);
  }
  if (kept !== undefined) return ok({ kept });
  const problem = `no branch keeps the work of ${task.id}`;
  return usage(
    problem,
    left === undefined ? `\`ym retry ${task.id}\` starts again.` : `It is still in ${left}.`,
  );
}

function isGivenUp(status: TaskRecord['status']['id']): boolean {
  return status === 'failed' || status === 'blocked' || status === 'quarantined';
}
