import type { Actor } from '../../model/actor.ts';
import type { MergedTarget } from '../../model/attempt.ts';
import { formatDuration } from '../../model/duration.ts';
import { type Failure, unreachable } from '../../model/failure.ts';
import type { Step, StepBody } from '../../model/history.ts';
import type { SlotChange } from '../../model/run-record.ts';
import type { Decision } from '../../model/task.ts';
import { isNoGate } from '../../model/verdict.ts';
import type { Changes } from '../../model/violation.ts';
import { waitText } from '../../model/wait.ts';
import { isUserChange, userChanges } from '../../plan/user-change.ts';
import { redTestsText } from '../explain/findings.ts';
import { counted } from '../format/amount.ts';
import { shortCommit } from '../format/time.ts';
import { actorText } from './actor.ts';
import { choiceAskedText, choiceText, variantsText } from './choice.ts';
import { droppedLandingText, dropReasonText } from './dropped.ts';
import { byAgentText, callEndText, callStartText, callText, turnResultText } from './turn.ts';

type Of<Type extends StepBody['type']> = Extract<StepBody, { type: Type }>;

/**
 * Text of a step, the failure it reports, and a note that is shown in full. The text is empty for a step that is not
 * worth a line.
 */
interface StepText {
  readonly text: string;
  readonly note?: string;
  readonly failure?: Failure;
}

export function stepText({ what, attempt = 0, actor }: Step): StepText {
  switch (what.type) {
    case 'added':
      return { text: actor === undefined ? 'added' : `added by ${actorText(actor)}` };
    case 'changed':
      return { text: actor === undefined ? 'changed' : `changed by ${actorText(actor)}` };
    case 'message':
      return { text: `message from ${actorText(actor)}: ${what.text}` };
    case 'decided':
      return { text: decisionText(what.decision, actor) };
    case 'attempt-started':
      return { text: `attempt ${attempt} in slot ${what.slot}${onWorker(what)} by ${what.agent}` };
    case 'attempt-adopted':
      return { text: `attempt ${attempt} taken over from run ${what.from}` };
    case 'worktree-ready':
      return { text: `worktree at ${what.base}` };
    case 'turn-started':
      return { text: `turn ${what.turn} started${byAgentText(what)}${messageCount(what)}` };
    case 'agent-reported':
      return { text: callText(what.call) };
    case 'turn-ended':
      return withFailure(`turn ${what.turn} ${turnResultText(what.result)}`, what.result);
    case 'work-captured':
      return captureText(what);
    case 'work-left-out':
      return { text: leftOutText(what) };
    case 'work-planned':
      return { text: `nothing to land; filed ${what.filed.join(', ') || 'no task'}` };
    case 'branch-judged':
      return gateText('branch', what);
    case 'attempt-given-up':
      return { text: 'given up', failure: what.failure };
    case 'attempt-failed':
      return { text: `attempt ${attempt} ended, ${keptText(what)}`, failure: what.failure };
    case 'work-shared':
      return { text: sharedText(what) };
    case 'merge-refused':
      return { text: 'sent back by the merge queue', failure: what.failure };
    case 'candidate-built':
      return { text: `candidate built on ${what.on ?? 'the target'}${companyText(what)}` };
    case 'landed':
      return { text: `landed as ${what.commit}${companyText(what)}` };
    case 'delivered':
      return { text: `delivered as ${what.as}${companyText(what)}` };
    case 'candidate-judged': {
      const beside = what.others < 1 ? '' : ` with ${counted(what.others, 'other')}`;
      const place = what.worker === undefined ? '' : `, on ${what.worker}`;
      return gateText(`candidate${beside}${place}`, what);
    }
    case 'candidate-dropped':
      return { text: `queued again: ${dropReasonText(what.reason)}` };
    case 'landing-waits':
      return { text: 'passed, but landing waits', failure: what.failure };
    case 'blamed':
      return { text: blameText(what) };
    case 'taken-apart': {
      const [are, alone] = what.suspects.length === 1 ? ['it is', ''] : ['they are', ' each'];
      return {
        text: `queued again: the failures point to ${what.suspects.join(', ')}; ${are} judged alone${alone}, after the others`,
      };
    }
    case 'requeued':
      return { text: `queued again: ${what.by} caused the failure` };
    case 'pull-seen':
      return { text: pullText(what) };
    default:
      return judgmentText(what);
  }
}

/** ` on w1` for what happens on a worker. */
export function onWorker({ worker }: { readonly worker?: string }): string {
  return worker === undefined ? '' : ` on ${worker}`;
}

function messageCount({ messages = [] }: Of<'turn-started'>): string {
  if (messages.length === 0) return '';
  return `, with ${messages.length === 1 ? 'a message' : `${messages.length} messages`} from a person`;
}

/** The tasks that share a candidate, a landing or a delivery with this one. */
function companyText(what: Of<'candidate-built' | 'landed' | 'delivered'>): string {
  if (what.by !== undefined) return `, claimed by ${what.by}`;
  const beside = what.with.length === 0 ? '' : ` together with ${what.with.join(', ')}`;
  return what.coClaims.length === 0 ? beside : `${beside}, with ${what.coClaims.join(', ')}`;
}

function blameText({ green, behind }: Of<'blamed'>): string {
  const [passes, fails] = green.length === 1 ? ['passes', 'fails'] : ['pass', 'fail'];
  if (green.length > 0) {
    return `caused the failure: ${green.join(', ')} ${passes} without it, ${fails} with it`;
  }
  return behind === 0 ? '' : 'caused the failure: also fails without the rest of its candidate';
}

function pullText({ state, url, checks, mergeCommit }: Of<'pull-seen'>): string {
  if (state === 'closed') return `pull request closed: ${url}`;
  if (state === 'merged') {
    return `pull request merged: ${url}${mergeCommit === undefined ? '' : ` as ${mergeCommit}`}`;
  }
  return checks === 'failed' || checks === 'passed' ? `checks of ${url} ${checks}` : '';
}

const decisionVerbs = {
  answer: 'answered',
  retry: 'retried',
  cancel: 'canceled',
  skip: 'skipped',
  block: 'blocked',
  unblock: 'unblocked',
  approve: 'approved',
  reject: 'rejected',
  hold: 'hold requested',
  release: 'released',
  choose: 'chosen',
  'hand-in': 'handed in',
} as const satisfies Readonly<Record<Decision['kind'], string>>;

export function slotChangeText(change: SlotChange): string {
  switch (change.id) {
    case 'number':
      return counted(change.jobs, 'slot');
    case 'pause':
      return `slot ${change.slot} paused`;
    case 'resume':
      return `slot ${change.slot} resumed`;
    case 'pace':
      return `at most ${counted(change.starts, 'agent start')} in ${formatDuration(change.windowMs)}`;
  }
}

/** `rejected by Ada: too slow` */
function decisionText(decision: Decision, actor: Actor | undefined): string {
  if (decision.kind === 'choose') return choiceText({ ...decision, actor });
  const reason = decisionReason(decision);
  const why = reason === undefined || reason === '' ? '' : `: ${reason}`;
  const by = isByRun(decision) ? 'the run' : actorText(actor);
  return `${decisionVerbs[decision.kind] ?? decision.kind} by ${by}${why}`;
}

/** True if the config decided, nobody answered in time, or a new run retries the task. */
export function isByRun(decision: Decision): boolean {
  return 'by' in decision && decision.by === 'run';
}

/** Reason or answer the person gave, or the commit they handed in. */
export function decisionReason(decision: Decision): string | undefined {
  switch (decision.kind) {
    case 'answer':
      return decision.text;
    case 'hand-in':
      return decision.commit;
    case 'hold':
      return undefined;
    default:
      return decision.reason;
  }
}

/** Usually the user's own edit; a running agent could have made it too. */
export const userChangeText = 'changed in your checkout, not part of any task';

/** Steps between the end of a turn and the merge queue. */
function judgmentText(
  what: Of<
    | 'variants-added'
    | 'choice-asked'
    | 'landing-dropped'
    | 'landing-restored'
    | 'wait-over'
    | 'revision-started'
    | 'plan-proposed'
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
  switch (what.type) {
    case 'variants-added':
      return { text: variantsText(what.variants, what.base) };
    case 'choice-asked':
      return { text: choiceAskedText(what.finished) };
    case 'landing-dropped':
      return { text: `landing dropped: ${droppedLandingText(what)}` };
    case 'landing-restored':
      return { text: `${what.target} contains ${what.commit} again` };
    case 'wait-over':
      return { text: `no longer waits for ${waitText(what.wait)}` };
    case 'revision-started':
      return { text: `${what.agent} is asked to revise the plan` };
    case 'plan-proposed':
      return proposalText(what);
    case 'tampering-seen': {
      const found = what.found.filter((one) => !isUserChange(one));
      const names = userChanges(what.found).join(', ');
      if (found.length === 0) return { text: `${userChangeText}, in turn ${what.turn}: ${names}` };
      const failure = { kind: 'tampered', found: what.found } as const;
      return { text: `something outside the worktree changed in turn ${what.turn}`, failure };
    }
    case 'target-merged':
      return { text: mergeText(what.merged) };
    case 'branch-gate-started':
      return { text: `branch gate started, in gate slot ${what.gateSlot + 1}` };
    case 'gate-skipped':
      return { text: `branch gate skipped: ${what.reason}` };
    case 'call-started':
      return { text: callStartText(what) };
    case 'call-ended':
      return withFailure(callEndText(what), what.result);
    case 'approval-asked':
      return { text: 'waits for your approval', failure: what.failure };
    case 'conflict-predicted':
      return { text: `does not merge with ${what.with} in ${what.files.join(', ')}` };
    case 'merge-deferred':
      return { text: `does not merge with ${what.behind}, waits until it is done` };
    default:
      return unreachable(what);
  }
}

function proposalText({ agent, changes, failure }: Of<'plan-proposed'>): StepText {
  if (failure !== undefined) return { text: `${agent} did not revise the plan`, failure };
  const text =
    changes.length === 0 ? 'no change of the plan' : `to change the plan: ${changes.join(', ')}`;
  return { text: `${agent} proposes ${text}` };
}

function withFailure(
  text: string,
  result: { readonly ok: true } | { readonly ok: false; readonly failure: Failure },
): StepText {
  return result.ok ? { text } : { text, failure: result.failure };
}

/** `where` names what was judged. */
function gateText(
  where: string,
  {
    gate,
    verdict,
    cached,
    tests,
  }: Pick<Of<'branch-judged'>, 'gate' | 'verdict' | 'cached' | 'tests'>,
): StepText {
  if (isNoGate(gate)) return { text: `no gate for the ${where}` };
  const text = `gate on the ${where}: ${verdict.id}${cached ? ' (cached)' : ''}`;
  if (tests?.id === 'red') return { text: `${text}; ${redTestsText(tests.tests)}` };
  if (tests?.id === 'refused') return { text, failure: tests.failure };
  if (verdict.id !== 'passed') return { text, failure: verdict.failure };
  const { flaked = [], quarantined = [] } = verdict;
  const again = flaked.length === 0 ? '' : `, ${flaked.join(', ')} passed only when rerun`;
  const uncounted = quarantined.length === 0 ? '' : `, ${quarantined.join(', ')} in quarantine`;
  return { text: `${text}${again}${uncounted}` };
}

function captureText(what: Of<'work-captured'>): StepText {
  const { commit, by, changes, resolves, violations = [], ignored, failure } = what;
  const author = by === 'person' ? 'handed in by a person' : `committed by the ${by}`;
  const size = changes === undefined ? '' : `: ${sizeOf(changes)}`;
  const merged = resolves === undefined ? '' : `, with the work of ${resolves}`;
  const text = `work is ${commit}, ${author}${size}${merged}`;
  const noted = { text, note: ignoredText(ignored) };
  if (failure !== undefined) return { ...noted, failure };
  return violations.length === 0
    ? noted
    : { ...noted, failure: { kind: 'rules-broken', violations } };
}

function ignoredText(ignored: Of<'work-captured'>['ignored']): string | undefined {
  if (ignored === undefined) return undefined;
  const more = ignored.count - ignored.names.length;
  return `Ignored by git and not committed: ${ignored.names.join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}

function sizeOf({ count, added, removed }: Changes): string {
  return `${counted(count, 'file')}, +${added} -${removed}`;
}

/** Result of merging the target into work that was sent back. */
function mergeText(merged: MergedTarget): string {
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

const shownFiles = 5;

function leftOutText({ files, because }: Of<'work-left-out'>): string {
  return because === 'nested'
    ? `not committed; told about the nested repository ${filesText(files)}`
    : `nothing to commit; told about ${filesText(files)}`;
}

function filesText(files: readonly string[]): string {
  const more = files.length - shownFiles;
  return `${files.slice(0, shownFiles).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}

function sharedText({ refs, worker }: Of<'work-shared'>): string {
  const all = refs.map(({ ref }) => ref).join(', ');
  return `kept as ${all} in the shared repository, because only worker ${worker} had it`;
}

/** Says what became of the work of a failed attempt. */
function keptText({
  kept,
  left,
  strays = [],
  failure,
}: Extract<StepBody, { type: 'attempt-failed' }>): string {
  const archive = failure.kind === 'no-changes' ? failure.archive : undefined;
  const all = [
    ...(kept === undefined ? [] : [kept]),
    ...strays.map(({ ref }) => ref),
    ...(archive === undefined ? [] : [archive]),
  ];
  if (left !== undefined) return `its work is left in ${left}`;
  return all.length === 0 ? 'nothing to keep' : `work kept as ${all.join(', ')}`;
}
