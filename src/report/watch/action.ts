import { unreachable } from '../../model/failure.ts';
import type { Decision } from '../../model/task.ts';
import { commandText } from '../format/command.ts';

/** Decisions that a person makes about a task by its id. */
type TaskDecision = Exclude<Decision, { kind: 'hold' | 'release' | 'hand-in' | 'choose' }>;

/** One slot more or less, or one slot that takes no work or takes it again. */
export type SlotWish =
  | { readonly id: 'by'; readonly count: 1 | -1 }
  | { readonly id: 'pause' | 'resume'; readonly slot: number };

/** Action of a key beyond a change of the screen. */
export type Action =
  /** Changes of the project; each is also a command. */
  | { readonly id: 'decide'; readonly task: string; readonly decision: TaskDecision }
  | { readonly id: 'tell'; readonly task: string; readonly text: string }
  /** `which` is the number of a variant or its id. */
  | {
      readonly id: 'choose';
      readonly task: string;
      readonly which: string;
      readonly reason?: string;
    }
  | { readonly id: 'stop'; readonly how: 'finish' | 'now' }
  | { readonly id: 'slots'; readonly wish: SlotWish }
  /** Programs that take the whole terminal until they end. */
  | { readonly id: 'attach'; readonly task: string }
  | { readonly id: 'editor'; readonly dir: string }
  | { readonly id: 'pager' }
  | { readonly id: 'command'; readonly line: string }
  | { readonly id: 'travel' }
  | { readonly id: 'part'; readonly by: 1 | -1 }
  | { readonly id: 'copy' }
  | { readonly id: 'leave' }
  | { readonly id: 'lines' }
  | { readonly id: 'interrupt' }
  | { readonly id: 'suspend' }
  | { readonly id: 'redraw' };

/** Actions that change something, and so have a command of their own. */
export type Change = Extract<Action, { id: 'decide' | 'tell' | 'choose' | 'stop' | 'slots' }>;

/** The command that does the same in a shell: `ym reject auth 'no tests'`. */
export function commandOf(action: Change): string {
  return commandText(['ym', ...wordsOf(action)]);
}

function wordsOf(action: Change): readonly string[] {
  switch (action.id) {
    case 'decide':
      return [action.decision.kind, action.task, ...argumentsOf(action.decision)];
    case 'tell':
      return ['tell', action.task, action.text];
    case 'choose':
      return ['choose', action.task, action.which, ...reasonWords(action.reason)];
    case 'stop':
      return action.how === 'now' ? ['stop', '--now'] : ['stop'];
    case 'slots': {
      const { wish } = action;
      if (wish.id !== 'by') return ['slots', `--${wish.id}`, String(wish.slot)];
      return ['slots', wish.count > 0 ? '+1' : '-1'];
    }
    default:
      return unreachable(action);
  }
}

function argumentsOf(decision: TaskDecision): readonly string[] {
  switch (decision.kind) {
    case 'answer':
      return [decision.text];
    case 'reject':
      return [decision.reason];
    case 'approve':
    case 'retry':
    case 'unblock':
    case 'cancel':
    case 'skip':
    case 'block':
      return reasonWords(decision.reason);
    default:
      return unreachable(decision);
  }
}

function reasonWords(reason: string | undefined): readonly string[] {
  return reason === undefined ? [] : ['--reason', reason];
}
