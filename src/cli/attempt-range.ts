import type { Event } from '../model/event.ts';
import type { TaskId } from '../model/task.ts';

/** Commits to diff for an attempt: from the target's commit it is based on to its newest commit, by the log. */
export function attemptRange(
  events: readonly Event[],
  id: TaskId,
  attempt: number,
): { readonly from: string; readonly to: string } | undefined {
  let base: string | undefined;
  let from: string | undefined;
  let to: string | undefined;
  for (const event of events) {
    if (!('id' in event) || event.id !== id || !('attempt' in event)) continue;
    if (event.attempt !== attempt) continue;
    if (event.type === 'worktree-ready') base = event.base;
    if (event.type === 'work-captured') {
      to = event.commit;
      from = event.base ?? base;
    }
    if (event.type === 'attempt-failed' && event.kept !== undefined)
      to ??= `refs/heads/${event.kept}`;
  }
  from ??= base;
  return from === undefined || to === undefined ? undefined : { from, to };
}
