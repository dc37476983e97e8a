import type { AttemptState } from '../../model/attempt.ts';
import { isLive, withoutCall } from '../../model/attempt-state.ts';
import type { TaskRecord } from '../../model/task-record.ts';
import { recordStateText } from '../view/state.ts';

/** Says if a person can attach to a task's worktree; if not, why and what to do. */
type Attachable =
  | { readonly id: 'yes' }
  | { readonly id: 'no'; readonly because: string; readonly remedy: string };

const no = (because: string, remedy: string): Attachable => ({ id: 'no', because, remedy });
const yes: Attachable = { id: 'yes' };
const soon = 'Try again in a moment.';

/** `isDriven`: the attempt's run is active. `isHolderThere`: the process that holds the attempt is alive. */
export function attachable(
  record: TaskRecord,
  isDriven: boolean,
  isHolderThere: boolean,
): Attachable {
  const { task, status, attempt, coClaimedBy } = record;
  const { id } = task;
  switch (status.id) {
    case 'open':
      break;
    case 'landed':
    case 'delivered':
      return no(`${id} is ${status.id} and no longer has a worktree`, `See \`ym diff ${id}\`.`);
    case 'blocked':
      return no(
        `${id} is ${recordStateText(record)}`,
        `See \`ym why ${id}\`; \`ym resolve ${id}\` opens a shell for a conflict, \`ym unblock ${id}\` lets it continue.`,
      );
    case 'done':
      return no(`${id} is an epic, and its tasks are done`, 'Add a new task with `ym add`.');
    case 'failed':
    case 'quarantined':
    case 'canceled':
    case 'skipped':
      return no(`${id} is ${status.id}`, `Type \`ym retry ${id}\` to let an agent start again.`);
  }
  if (coClaimedBy !== undefined) {
    const because = `${id} was claimed by the agent of ${coClaimedBy.id}`;
    return no(because, `Type \`ym attach ${coClaimedBy.id}\` instead.`);
  }
  if (attempt === undefined || !isLive(attempt.state)) {
    return no(`no agent works on ${id}`, `Start one with \`ym run --only ${id}\`.`);
  }
  return liveAttachable(id, attempt.state, isDriven, isHolderThere);
}

function liveAttachable(
  id: string,
  state: AttemptState,
  isDriven: boolean,
  isHolderThere: boolean,
): Attachable {
  const resume = 'Type `ym resume` first: its run is not active.';
  switch (withoutCall(state).id) {
    case 'working':
      return isDriven ? yes : no(`${id} has no run that could pause its agent`, resume);
    case 'between-turns':
    case 'asking':
      return yes;
    case 'held':
      if (!isHolderThere) return yes;
      return no(`${id} is held by another \`ym attach\``, 'Leave that session first.');
    case 'preparing':
    case 'prepared':
      return no(`the agent of ${id} has not started yet`, isDriven ? soon : resume);
    case 'returned':
      return no(
        `the work of ${id} was sent back and its next turn is about to start`,
        isDriven ? soon : resume,
      );
    case 'awaiting':
      return no(
        `the work of ${id} waits for your approval`,
        `Decide with \`ym approve ${id}\` or \`ym reject ${id} WHY\`; \`ym review\` opens a shell on a copy.`,
      );
    case 'capturing':
    case 'gating':
    case 'unreviewed':
    case 'finished':
    case 'queued':
    case 'landing':
      return no(
        `the agent of ${id} is done`,
        `\`ym diff ${id}\` shows its work. If that is sent back, try again.`,
      );
    case 'giving-up':
    case 'landed':
    case 'planned':
    case 'failed':
      return no(`the attempt of ${id} is over and its work is being saved`, soon);
  }
}
