import type { TaskId } from '../../model/task.ts';
import { isDone } from '../format/glyph.ts';
import { stateText } from '../view/state-text.ts';
import type { TaskView } from '../view/task.ts';

/** The task that was filed for the conflict of task `id`: its state, and what happens next. */
export function conflictTaskText(id: TaskId, view: TaskView): string {
  const filed = `${view.id} was filed for this conflict`;
  if (view.state === 'landed') {
    return `${filed}. It has landed without ${id}, and no other conflict task is filed.`;
  }
  // `ym why` names what an open task waits for.
  const state = view.state === 'open' ? view.state : stateText(view);
  return [`${filed} and is ${state}.`, nextOf(id, view)].join(' ').trim();
}

function nextOf(id: TaskId, view: TaskView): string {
  const more = `\`ym why ${view.id}\` says`;
  if ('command' in view) return `${more} why.`;
  if (view.state === 'ready' || view.state === 'open' || view.leftBehind) {
    return `${more} when it starts.`;
  }
  return isDone(view.state) ? '' : `If its work contains the branch of ${id}, both land together.`;
}
