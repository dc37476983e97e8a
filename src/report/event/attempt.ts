import type { MergedTarget } from '../../model/attempt.ts';
import type { Event } from '../../model/event.ts';
import { type Failure, unreachable } from '../../model/failure.ts';
import { isNoGate } from '../../model/verdict.ts';
import type { Changes } from '../../model/violation.ts';
import { isUserChange, userChanges } from '../../plan/user-change.ts';
import { counted } from '../format/amount.ts';
import { shortCommit } from '../format/time.ts';
import { callEndText, callStartText } from './call.ts';
import { byAgentText, callText, turnResultText } from './turn.ts';

type Of<Type extends Event['type']> = Extract<Event, { type: Type }>;
export type AttemptEvent = Extract<Event, { readonly attempt: number }>;

/** Text of an attempt's event, and the failure it reports. */
export interface StepText {
  readonly text: string;
  readonly failure?: Failure;
}

export function attemptStep(event: AttemptEvent): StepText {
  switch (event.type) {
    case 'attempt-started':
      return { text: `attempt ${event.attempt} in slot ${event.slot} by ${event.agent}` };
    case 'attempt-adopted':
      return { text: `attempt ${event.attempt} taken over from run ${event.from}` };
    case 'worktree-ready':
      return { text: `worktree at ${event.base}` };
    case 'turn-started':
      return { text: `turn ${event.turn} started${byAgentText(event)}${messageCount(event)}` };
    case 'agent-reported':
      return { text: callText(event.call) };
    case 'turn-ended':
      return withFailure(`turn ${event.turn} ${turnResultText(event.result)}`, event.result);
    case 'work-captured':
      return captureStep(event);
    case 'work-planned':
      return { text: `nothing to land; filed ${event.filed.join(', ') || 'no task'}` };
    case 'branch-judged':
      return gateStep('branch', event);
    case 'attempt-given-up':
      return { text: 'given up', failure: event.failure };
    case 'attempt-failed': {
      const left =
        event.left === undefined ? 'nothing to keep' : `its work is left in ${event.left}`;
      const kept = event.kept === undefined ? left : `work kept as ${event.kept}`;
      return { text: `attempt ${event.attempt} ended, ${kept}`, failure: event.failure };
    }
    case 'merge-refused':
      return { text: 'sent back by the merge queue', failure: event.failure };
    default:
      return judgmentStep(event);
  }
}

function messageCount({ messages = [] }: Of<'turn-started'>): string {
  if (messages.length === 0) return '';
  return `, with ${messages.length === 1 ? 'a message' : `${messages.length} messages`} from a person`;
}

/** Usually the user's own edit; a running agent could have made it too. */
export const userChangeText = 'changed in your checkout, not part of any task';

/** Steps between the end of a turn and the merge queue. */
function judgmentStep(
  event: Of<
    | 'tampering-seen'
    | 'target-merged'
    | 'branch-gate-started'
    | 'gate-skipped'
    | 'call-started'
    | 'call-ended'
    | 'approval-asked'
    | 'conflict-predicted'
    | 'merge-deferred'
  >,
): StepText {
  switch (event.type) {
    case 'tampering-seen': {
      const found = event.found.filter((one) => !isUserChange(one));
      const names = userChanges(event.found).join(', ');
      if (found.length === 0) return { text: `${userChangeText}, in turn ${event.turn}: ${names}` };
      const failure = { kind: 'tampered', found: event.found } as const;
      return { text: `something outside the worktree changed in turn ${event.turn}`, failure };
    }
    case 'target-merged':
      return { text: mergeText(event.merged) };
    case 'branch-gate-started':
      return { text: `branch gate started, in gate slot ${event.gateSlot + 1}` };
    case 'gate-skipped':
      return { text: `branch gate skipped: ${event.reason}` };
    case 'call-started':
      return { text: callStartText(event) };
    case 'call-ended':
      return withFailure(callEndText(event), event.result);
    case 'approval-asked':
      return { text: 'waits for your approval', failure: event.failure };
    case 'conflict-predicted':
      return { text: `does not merge with ${event.with} in ${event.files.join(', ')}` };
    case 'merge-deferred':
      return { text: `does not merge with ${event.behind}, waits until it is done` };
    default:
      return unreachable(event);
  }
}

function withFailure(
  text: string,
  result: { readonly ok: true } | { readonly ok: false; readonly failure: Failure },
): StepText {
  return result.ok ? { text } : { text, failure: result.failure };
}

/** `where` names what was judged. */
export function gateStep(
  where: string,
  { gate, verdict, cached }: Of<'candidate-judged'> | Of<'branch-judged'>,
): StepText {
  if (isNoGate(gate)) return { text: `no gate for the ${where}` };
  const text = `gate on the ${where}: ${verdict.id}${cached ? ' (cached)' : ''}`;
  if (verdict.id !== 'passed') return { text, failure: verdict.failure };
  const { flaked = [], quarantined = [] } = verdict;
  const again = flaked.length === 0 ? '' : `, ${flaked.join(', ')} passed only when rerun`;
  const uncounted = quarantined.length === 0 ? '' : `, ${quarantined.join(', ')} in quarantine`;
  return { text: `${text}${again}${uncounted}` };
}

function captureStep(event: Of<'work-captured'>): StepText {
  const { commit, by, changes, resolves, violations = [] } = event;
  const author = by === 'person' ? 'handed in by a person' : `committed by the ${by}`;
  const size = changes === undefined ? '' : `: ${sizeOf(changes)}`;
  const merged = resolves === undefined ? '' : `, with the work of ${resolves}`;
  const text = `work is ${commit}, ${author}${size}${merged}`;
  return violations.length === 0
    ? { text }
    : { text, failure: { kind: 'rules-broken', violations } };
}

function sizeOf({ count, added, removed }: Changes): string {
  return `${counted(count, 'file')}, +${added} -${removed}`;
}

/** Result of merging the target into work that was sent back. */
export function mergeText(merged: MergedTarget): string {
  const onto = shortCommit(merged.onto);
  switch (merged.id) {
    case 'clean':
      return `branch brought up to date with target ${onto} for the next turn`;
    case 'conflicts':
      return `merge of target ${onto} started, with conflicts in ${merged.files.join(', ')}`;
    case 'none':
      return `target not merged into the branch: ${merged.cause}`;
    default:
      return unreachable(merged);
  }
}
