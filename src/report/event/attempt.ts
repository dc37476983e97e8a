import type { MergedTarget } from '../../model/attempt.ts';
import type { Event } from '../../model/event.ts';
import { type Failure, unreachable } from '../../model/failure.ts';
import type { Changes } from '../../model/violation.ts';
import { isUserChange, userChanges } from '../../plan/user-change.ts';
import { shortCommit } from '../format/time.ts';
import { critiqueSays, critiqueStarts, reviewSays, reviewStarts } from './review.ts';
import { callSays, resultSays, takenBy } from './turn.ts';

type Of<Type extends Event['type']> = Extract<Event, { type: Type }>;
export type AttemptEvent = Extract<Event, { readonly attempt: number }>;

/** What an event of an attempt says about it, and the failure it tells of. */
export interface Telling {
  readonly says: string;
  readonly failure?: Failure;
}

export function attemptTells(event: AttemptEvent): Telling {
  switch (event.type) {
    case 'attempt-started':
      return { says: `attempt ${event.attempt} in slot ${event.slot} by ${event.agent}` };
    case 'attempt-adopted':
      return { says: `attempt ${event.attempt} taken over from run ${event.from}` };
    case 'worktree-ready':
      return { says: `worktree at ${event.base}` };
    case 'turn-started':
      return { says: `turn ${event.turn} started${takenBy(event)}${messageCount(event)}` };
    case 'agent-reported':
      return { says: callSays(event.call) };
    case 'turn-ended':
      return withFailure(`turn ${event.turn} ${resultSays(event.result)}`, event.result);
    case 'work-captured':
      return captureTells(event);
    case 'work-planned':
      return { says: `nothing to land; filed ${event.filed.join(', ') || 'no task'}` };
    case 'branch-judged':
      return gateTells('branch', event);
    case 'attempt-given-up':
      return { says: 'given up', failure: event.failure };
    case 'attempt-failed': {
      const left =
        event.left === undefined ? 'nothing to keep' : `its work is left in ${event.left}`;
      const kept = event.kept === undefined ? left : `work kept as ${event.kept}`;
      return { says: `attempt ${event.attempt} ended, ${kept}`, failure: event.failure };
    }
    case 'merge-refused':
      return { says: 'sent back by the merge queue', failure: event.failure };
    default:
      return judgementTells(event);
  }
}

function messageCount({ messages = [] }: Of<'turn-started'>): string {
  if (messages.length === 0) return '';
  return `, with ${messages.length === 1 ? 'a message' : `${messages.length} messages`} from a person`;
}

/** The user does this as a rule; an agent at work could as well. */
export const userChangeText = 'changed in your checkout, not part of any task';

/** What is said of the work between the agent and the train. */
function judgementTells(
  event: Of<
    | 'tampering-seen'
    | 'target-merged'
    | 'branch-gate-started'
    | 'gate-skipped'
    | 'review-started'
    | 'review-ended'
    | 'critique-started'
    | 'critique-ended'
    | 'approval-asked'
    | 'conflict-predicted'
    | 'merge-deferred'
  >,
): Telling {
  switch (event.type) {
    case 'tampering-seen': {
      const found = event.found.filter((one) => !isUserChange(one));
      const names = userChanges(event.found).join(', ');
      if (found.length === 0) return { says: `${userChangeText}, in turn ${event.turn}: ${names}` };
      const failure = { kind: 'tampered', found: event.found } as const;
      return { says: `something outside the worktree changed in turn ${event.turn}`, failure };
    }
    case 'target-merged':
      return { says: mergeSays(event.merged) };
    case 'branch-gate-started':
      return { says: `branch gate started, in gate slot ${event.gateSlot + 1}` };
    case 'gate-skipped':
      return { says: `branch gate skipped: ${event.reason}` };
    case 'review-started':
      return { says: reviewStarts(event) };
    case 'review-ended':
      return withFailure(reviewSays(event), event.result);
    case 'critique-started':
      return { says: critiqueStarts(event) };
    case 'critique-ended':
      return withFailure(critiqueSays(event), event.result);
    case 'approval-asked':
      return { says: 'waits for your approval', failure: event.failure };
    case 'conflict-predicted':
      return { says: `does not merge with ${event.with} in ${event.files.join(', ')}` };
    case 'merge-deferred':
      return { says: `does not merge with ${event.behind}, waits until it is done` };
    default:
      return unreachable(event);
  }
}

function withFailure(
  says: string,
  result: { readonly ok: true } | { readonly ok: false; readonly failure: Failure },
): Telling {
  return result.ok ? { says } : { says, failure: result.failure };
}

/** `where` names what was judged. */
export function gateTells(
  where: string,
  { gate, verdict, cached }: Of<'candidate-judged'> | Of<'branch-judged'>,
): Telling {
  if (isNoGate(gate)) return { says: `no gate for the ${where}` };
  const says = `gate on the ${where}: ${verdict.id}${cached ? ' (cached)' : ''}`;
  if (verdict.id !== 'passed') return { says, failure: verdict.failure };
  const { flaked = [], quarantined = [] } = verdict;
  const again = flaked.length === 0 ? '' : `, ${flaked.join(', ')} passed only when rerun`;
  const uncounted = quarantined.length === 0 ? '' : `, ${quarantined.join(', ')} in quarantine`;
  return { says: `${says}${again}${uncounted}` };
}

function captureTells(event: Of<'work-captured'>): Telling {
  const { commit, by, changes, resolves, violations = [] } = event;
  const who = by === 'person' ? 'handed in by a person' : `committed by the ${by}`;
  const size = changes === undefined ? '' : `: ${sizeOf(changes)}`;
  const merged = resolves === undefined ? '' : `, with the work of ${resolves}`;
  const says = `work is ${commit}, ${who}${size}${merged}`;
  return violations.length === 0
    ? { says }
    : { says, failure: { kind: 'rules-broken', violations } };
}

function sizeOf({ count, added, removed }: Changes): string {
  return `${count} ${count === 1 ? 'file' : 'files'}, +${added} -${removed}`;
}

/** How the target got into work that came back. */
export function mergeSays(merged: MergedTarget): string {
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

/** True for the identity of a gate without commands. Its verdict says nothing about the work, so it never counts as passed. */
export function isNoGate(gate: string): boolean {
  return gate === 'none' || gate === 'branch: none';
}
