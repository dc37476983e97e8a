import type { ClaimResult } from '../model/attempt.ts';
import { ok, type Result } from '../model/failure.ts';
import type { Records } from '../model/records.ts';
import type { RunRecord } from '../model/run-record.ts';
import type { TaskId } from '../model/task.ts';
import type { TaskRecord } from '../model/task-record.ts';
import type { Store } from '../port/store.ts';
import { claimTasks } from '../task/co-claims.ts';

/** Answer to one claimed id, with the text of the task if the agent has it now. */
export interface ClaimAnswer extends ClaimResult {
  readonly title?: string;
  readonly body?: string;
}

/** Reads back what became of claims that were stored: only the records say which attempt has a task. */
export async function claimAnswers(
  store: Store,
  leader: TaskId,
  ids: readonly TaskId[],
): Promise<Result<readonly ClaimAnswer[]>> {
  const known = await recordsAround(store, leader, ids);
  if (!known.ok) return known;
  const { tasks, run } = known.value;
  const record = tasks.get(leader);
  const attempt = record?.attempt;
  if (record === undefined || attempt === undefined) return ok([]);
  const { results } = claimTasks(asRecords(tasks, run), record, attempt, ids);
  return ok(
    results.map(({ id, reason }) => {
      const task = tasks.get(id)?.task;
      if (attempt.coClaims.includes(id) && task !== undefined) {
        return { id, claimed: true, title: task.title, body: task.body };
      }
      return { id, claimed: false, reason: reason ?? 'it was not free when you asked' };
    }),
  );
}

interface Around {
  readonly tasks: ReadonlyMap<TaskId, TaskRecord>;
  readonly run: RunRecord | undefined;
}

/** The tasks in question and those they wait for. */
async function recordsAround(
  store: Store,
  leader: TaskId,
  ids: readonly TaskId[],
): Promise<Result<Around>> {
  const tasks = new Map<TaskId, TaskRecord>();
  const open: [id: TaskId, parents: boolean][] = [leader, ...ids].map((id) => [id, true]);
  for (const [id, parents] of open) {
    const found = tasks.has(id) ? undefined : await store.task(id);
    if (found?.ok === false) return found;
    if (found?.value === undefined) continue;
    tasks.set(id, found.value);
    if (parents) for (const parent of found.value.task.after) open.push([parent, false]);
  }
  const attempt = tasks.get(leader)?.attempt;
  const run = attempt === undefined ? undefined : await store.run(attempt.run);
  if (run?.ok === false) return run;
  return ok({ tasks, run: run?.value });
}

/** The records as the fold asks for them; what it would write is only looked at. */
function asRecords(tasks: Around['tasks'], run: RunRecord | undefined): Records {
  return {
    task: (id) => tasks.get(id),
    putTask() {},
    children: () => [],
    run: () => run,
    putRun() {},
    putVerdict() {},
    attempt: () => undefined,
    putAttempt() {},
    runHistory: () => undefined,
    putRunHistory() {},
    addStep() {},
  };
}
