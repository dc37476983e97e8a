import type { AttemptState } from '../../model/attempt.ts';
import { isLive, withoutCall } from '../../model/attempt-state.ts';
import type { Failure } from '../../model/failure.ts';
import type { Message } from '../../model/task.ts';
import { lastWaits, type TaskRecord } from '../../model/task-record.ts';
import { waitsText } from '../../model/wait.ts';
import { inline } from '../explain/explanation.ts';
import { cut, wrap } from '../format/layout.ts';
import type { Style } from '../format/style.ts';
import { dayTime } from '../format/time.ts';

/** Time at which the agent reads a message sent now, or the reason why it never will. */
type Reading =
  | { readonly id: 'read'; readonly when: string }
  | { readonly id: 'never'; readonly because: string; readonly remedy: string };

/** `isDriven`: an active run can continue the task. */
export function readingOf(record: TaskRecord, isDriven: boolean): Reading {
  const { id } = record.task;
  const { status } = record;
  const read = (when: string): Reading => ({ id: 'read', when });
  const never = (because: string, remedy: string): Reading => ({ id: 'never', because, remedy });
  switch (status.id) {
    case 'landed':
      return never(`${id} has landed`, 'Add a new task with `ym add`.');
    case 'delivered':
      return never(
        `${id} was already delivered as ${status.url ?? status.branch}`,
        'Add a new task with `ym add`.',
      );
    case 'canceled':
      return never(`${id} is canceled`, `Type \`ym retry ${id}\` first.`);
    case 'done':
      return never(`${id} is an epic, and its tasks are done`, 'Add a new task with `ym add`.');
    case 'skipped':
      return never(`${id} is skipped`, `Type \`ym retry ${id}\` first.`);
    case 'quarantined':
      return read(`${firstTurn}, which starts after \`ym retry ${id}\``);
    case 'blocked':
      return read(`with its next turn, which starts after \`ym ${unblocking(status)} ${id}\``);
    case 'failed':
      return read(`${firstTurn}: the next \`ym run\` starts one, or \`ym retry ${id}\` in a run`);
    case 'open': {
      if (record.coClaimedBy !== undefined) {
        const other = record.coClaimedBy.id;
        return never(
          `${id} was claimed by the agent of ${other}`,
          `Type \`ym tell ${other} TEXT\` instead.`,
        );
      }
      const when = openReading(record);
      const goesOn =
        '. No run is active: `ym resume` or the next `ym run` on the same target continues it';
      return read(isDriven ? when : `${when}${goesOn}`);
    }
  }
}

function unblocking({ failure }: { readonly failure: Failure }): 'unblock' | 'retry' {
  return failure.kind === 'blocked-by-person' ? 'unblock' : 'retry';
}

const firstTurn = 'with the first turn of its next attempt';

function openReading(record: TaskRecord): string {
  const { task, attempt, blockers, handedIn } = record;
  if (attempt !== undefined && isLive(attempt.state)) return liveReading(task.id, attempt.state);
  if (handedIn !== undefined) return judged('handed in by a person');
  const waits = lastWaits(record);
  if (waits.length > 0) return `${firstTurn}, which waits for ${waitsText(waits)}`;
  if (blockers > 0) return `${firstTurn}, which waits for the tasks that it depends on`;
  return `${firstTurn}, as soon as a run starts it`;
}

function liveReading(id: string, state: AttemptState): string {
  switch (withoutCall(state).id) {
    case 'preparing':
    case 'prepared':
      return 'with its first turn, which is about to start';
    case 'working':
      return 'with its next turn, right after the current one';
    case 'returned':
    case 'between-turns':
      return 'with its next turn, which starts as soon as it has a slot';
    case 'asking':
      return `with its next turn, which starts when its question is answered: \`ym answer ${id} TEXT\``;
    case 'held':
      return 'with its next turn, which starts when you leave `ym attach`';
    case 'awaiting':
      return `only if you reject its work (\`ym reject ${id} WHY\`) or it is sent back; not once it has landed`;
    case 'capturing':
    case 'gating':
      return judged('being tested');
    case 'unreviewed':
      return judged('in review');
    case 'finished':
      return judged('finished and waits for the choice between variants');
    case 'queued':
    case 'landing':
      return judged('in the merge queue');
    case 'giving-up':
    case 'landed':
    case 'planned':
    case 'failed':
      return `${firstTurn}, if it gets one`;
  }
}

function judged(where: string): string {
  return `only if its work is sent back: it is ${where}, and no agent reads it after it has landed`;
}

/** Room for one message, in lines; `--json` has all of it. */
const linesMax = 4;

/** Messages to the agent of a task, and the turn that read each. */
export function messageLines(
  messages: readonly Message[],
  style: Style,
  width: number,
  offsetMin: number,
): string[] {
  if (messages.length === 0) return [];
  const lines = messages.flatMap(({ at, text, question, readIn }) => {
    const time = dayTime(at, offsetMin);
    const how =
      readIn === undefined
        ? 'not read yet'
        : `read in attempt ${readIn.attempt}, turn ${readIn.turn}`;
    const room = Math.max(8, width - time.length - 4);
    const indent = ' '.repeat(time.length + 4);
    const answer = question === undefined ? '' : `, your answer to "${inline(question)}"`;
    const shown = wrap(cut(`${how}${answer}: ${text}`, room * linesMax), room);
    return shown.map((line, at) => (at === 0 ? `  ${style.dim(time)}  ${line}` : indent + line));
  });
  return ['', style.bold('Messages to its agent'), ...lines];
}
