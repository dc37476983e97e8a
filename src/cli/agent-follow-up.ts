import type { FollowUp } from '../model/attempt.ts';
import type { AgentCall, EventBody } from '../model/event.ts';
import { type Failure, fail, ok, type Result } from '../model/failure.ts';
import type { Task, TaskId } from '../model/task.ts';
import { limits } from '../plan/limits.ts';
import type { Store } from '../record/store.ts';
import { isSame } from '../source/merge.ts';
import { followUpLabel, followUpTask, refused } from '../wire/caller.ts';
import { fitting } from './bring-in.ts';

/** How often another id is tried when somebody else takes one at the same moment. */
const idTries = 5;

type Outcome = Result<
  { readonly task: Task; readonly isNew: boolean },
  Failure | readonly Failure[]
>;

/** Files a task for what an agent found, at once. The same title a second time is the same task. */
export async function file(
  store: Store,
  { found, after }: { readonly found: FollowUp; readonly after: readonly TaskId[] },
  of: Task,
  note: (call: AgentCall) => EventBody,
): Promise<Outcome> {
  for (let tries = 0; tries < idTries; tries += 1) {
    const known = await store.tasks();
    if (!known.ok) return known;
    const before = known.value.filter(({ task }) => task.labels.includes(followUpLabel(of)));
    const twin = before.find(({ task }) => task.title === found.title);
    if (twin !== undefined) return ok({ task: twin.task, isNew: false });
    if (before.length >= limits.followUpsPerTask) {
      return refused(`task ${of.id} has filed ${before.length} tasks, and more may not come of it`);
    }
    const taken = new Set(known.value.map(({ task }) => task.id.toLowerCase()));
    const made = followUpTask(found, of, taken);
    const task = { ...made, after: [...new Set([...made.after, ...after])] };
    const fits = fitting(known.value, { tasks: [task], sources: [] });
    if (!fits.ok) return fits;
    const text = `${task.id}: ${task.title}`;
    const stored = await store.append(Date.now(), [
      { type: 'task-added', task },
      note({ id: 'report', about: 'follow-up', text }),
    ]);
    if (!stored.ok) return stored;
    const kept = await store.task(task.id);
    if (!kept.ok) return kept;
    // Of two tasks under one id the first is kept.
    if (kept.value !== undefined && isSame(kept.value.task, task)) return ok({ task, isNew: true });
  }
  return fail({ kind: 'store-busy', file: 'yard.db', waitedMs: 0 });
}
