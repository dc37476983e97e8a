import type { Attempt, AttemptState } from '../../model/attempt.ts';
import { waitsForGate, withoutCall } from '../../model/attempt-state.ts';
import type { Choice, Variants } from '../../model/best-of.ts';
import { type Failure, unreachable } from '../../model/failure.ts';
import type { RunId } from '../../model/run.ts';
import type { RunRecord } from '../../model/run-record.ts';
import type { TaskId } from '../../model/task.ts';
import { lastWaits, stateOf, type TaskRecord } from '../../model/task-record.ts';
import { conflictCauseOf } from '../../plan/returned-work.ts';
import { rootFailure } from '../../task/red-work.ts';
import { withdrawnText } from '../event/choice.ts';
import { declinedSentences } from '../explain/work.ts';
import { type FailureView, failureView } from './failure.ts';
import { heldBackBy, landingTrouble } from './landing-trouble.ts';
import { type TurnPauseView, turnPauseView } from './standstill.ts';
import { stateText } from './state-text.ts';
import { type WaitView, waitViews } from './wait.ts';

/** `after-check`: its run checks the target before agents start. */
type AgentStart = 'soon' | 'after-check';

interface Work {
  readonly commit: string;
}

/** Reason why its last work was returned, its attempt is given up or its landing waits. */
interface MayFail {
  readonly failure?: FailureView;
}

/** `command` is what a person types to let it continue. */
interface Stuck {
  readonly failure: FailureView;
  readonly command: string;
}

/** Time at which a person was asked, and the run that continues after the answer. */
interface Asked {
  readonly since: number;
  readonly run: RunId;
}

/** State of a task, with the fields that only this state has. */
export type StateView =
  /** `pause` is set while its attempt is between turns, `waits` if it only waits for something outside. */
  | (MayFail & {
      readonly state: 'open' | 'ready';
      readonly pause?: TurnPauseView;
      readonly waits?: readonly WaitView[];
    })
  /** `agentStarts` is set until the attempt has started an agent. */
  | (MayFail & { readonly state: 'working'; readonly agentStarts?: AgentStart })
  /** `coClaimedBy` is the attempt of another task that it lands with. */
  | { readonly state: 'claimed'; readonly coClaimedBy: CoClaimView }
  /** `variants` are at work, or compared by an agent. */
  | { readonly state: 'comparing'; readonly variants: readonly TaskId[] }
  /** A variant that waits for the choice. */
  | (Work & { readonly state: 'finished' })
  | { readonly state: 'held' }
  | (Work & { readonly state: 'gating'; readonly waitsForGate: boolean })
  | (Work & { readonly state: 'unreviewed' | 'reviewing' | 'landed' })
  /** `behind` is the candidate that it conflicts with. */
  | (Work & MayFail & { readonly state: 'queued'; readonly behind?: string })
  | (Work & MayFail & { readonly state: 'landing'; readonly candidate: string })
  | (Work & { readonly state: 'delivered'; readonly delivery: DeliveryView })
  /** `filed` are the tasks that a plan task filed instead of changing anything. */
  | { readonly state: 'skipped'; readonly filed: readonly string[]; readonly reason: string }
  /** An epic; `tasks` is how many it has. */
  | { readonly state: 'done'; readonly tasks: number }
  | (Stuck & { readonly state: 'failed' | 'quarantined' | 'canceled' })
  | (Stuck & { readonly state: 'blocked' } & BlockedBy);

type BlockedBy =
  | (Asked & { readonly cause: 'answer'; readonly question: string })
  /** `reject` is the command that sends it back to its agent. */
  | (Asked & Work & { readonly cause: 'approval'; readonly reject: string })
  /** `finished` are the variants to choose from. */
  | (Asked & { readonly cause: 'choice'; readonly finished: readonly TaskId[] })
  | { readonly cause: 'failure' | 'person' }
  /** Its agent gave up, and another one proposes to change the plan. */
  | { readonly cause: 'revision'; readonly reject: string }
  /** `parent` is the stuck task that it waits behind. */
  | { readonly cause: 'parent'; readonly parent: string };

export interface CoClaimView {
  readonly task: string;
  readonly attempt: number;
}

export interface DeliveryView {
  readonly how: 'branch' | 'pr' | 'stack';
  readonly branch: string;
  readonly url?: string;
}

export interface WithdrawnView extends Choice {
  readonly failure: FailureView;
}

export type BlockedCause = BlockedBy['cause'];

/** Reason why a task does not proceed, or why its last work was returned. */
export function failureIn(view: StateView): FailureView | undefined {
  return 'failure' in view ? view.failure : undefined;
}

/** Like `stateText`, from the record alone: a task behind a stuck parent is not recognized. */
export function recordStateText(record: TaskRecord): string {
  return stateText(stateViewOf(record, { heldUp: new Map(), texts: new Map() }));
}

/** The run that is shown, if any, and the runs under way. */
export interface RunsSeen {
  readonly run: RunRecord | undefined;
  readonly underWay: readonly RunId[];
  readonly now: number;
}

export interface Around {
  /** For a task behind a stuck one, the stuck task. */
  readonly heldUp: ReadonlyMap<TaskId, TaskId>;
  readonly texts: ReadonlyMap<TaskId, string>;
  readonly seen?: RunsSeen;
}

export function stateViewOf(record: TaskRecord, around: Around): StateView {
  const { status, attempt } = record;
  const { id } = record.task;
  switch (status.id) {
    case 'open':
      return openState(record, around);
    case 'landed':
      return { state: 'landed', commit: status.commit };
    case 'delivered': {
      const { how, branch, url, commit } = status;
      return { state: 'delivered', commit, delivery: { how, branch, url } };
    }
    case 'skipped':
      return {
        state: 'skipped',
        filed: attempt?.state.id === 'planned' ? attempt.state.filed : [],
        reason: status.reason,
      };
    case 'done':
      return { state: 'done', tasks: record.task.after.length };
    case 'failed': {
      const view = failureView(status.failure, id);
      const again = `The next \`ym run\` tries it again, and so does a run under way after \`ym retry ${id}\`.`;
      const failure = { ...view, do: `${view.do} ${again}` };
      return { state: 'failed', failure, command: `ym retry ${id}` };
    }
    case 'quarantined':
    case 'canceled':
      return {
        state: status.id,
        failure: failureView(status.failure, id),
        command: `ym retry ${id}`,
      };
    case 'blocked':
      return blockedState(record, status.failure);
    default:
      unreachable(status);
  }
}

function blockedState({ task: { id }, attempt }: TaskRecord, failure: Failure): StateView {
  const view = failureView(failure, id);
  if (failure.kind === 'blocked-by-person') {
    return { state: 'blocked', cause: 'person', failure: view, command: `ym unblock ${id}` };
  }
  if (failure.kind === 'revision-proposed') {
    const reject = `ym reject ${id} "…"`;
    const command = `ym approve ${id}`;
    return { state: 'blocked', cause: 'revision', failure: view, command, reject };
  }
  const declined = failure.kind === 'delivery-failed' ? declinedSentences(failure, id) : {};
  const inConflict = attempt !== undefined && conflictCauseOf(failure, attempt) !== undefined;
  return {
    state: 'blocked',
    cause: 'failure',
    failure: { ...view, ...declined },
    command: `ym ${inConflict ? 'resolve' : 'retry'} ${id}`,
  };
}

function openState(record: TaskRecord, around: Around): StateView {
  const { task, attempt, coClaimedBy, handedIn } = record;
  if (coClaimedBy !== undefined) {
    const { id, attempt } = coClaimedBy;
    return { state: 'claimed', coClaimedBy: { task: id, attempt } };
  }
  if (record.variants !== undefined) return comparingState(record, record.variants);
  if (attempt === undefined) return idleState(record, around);
  const word = stateOf(record);
  const state = withoutCall(attempt.state);
  switch (state.id) {
    case 'giving-up':
      return handedIn === undefined
        ? { state: 'working', failure: failureView(state.failure, task.id) }
        : { state: 'working' };
    case 'gating':
      return { state: 'gating', commit: state.commit, waitsForGate: waitsForGate(state) };
    case 'unreviewed':
      return { state: word === 'reviewing' ? word : state.id, commit: state.commit };
    case 'asking':
    case 'awaiting':
      return waitingState(task.id, attempt.run, state);
    case 'finished':
      return { state: 'finished', commit: state.commit };
    case 'queued':
      return queuedState(task.id, attempt, state, around.seen?.run);
    case 'landing': {
      const { commit, candidate } = state;
      const failure = landingFailure(record, state, around.seen?.run);
      return word === 'queued'
        ? { state: word, commit, failure }
        : { state: 'landing', commit, candidate, failure };
    }
    default:
      if (word === 'held') return { state: word };
      if (word !== 'working') return idleState(record, around);
      return { state: word, agentStarts: agentStart(attempt, around.seen?.run) };
  }
}

/** How the first agent of an attempt starts; undefined once one has started. */
function agentStart(
  { run: owner, state, conversation, critique }: Attempt,
  run: RunRecord | undefined,
): AgentStart | undefined {
  const isBefore = state.id === 'preparing' || state.id === 'prepared';
  if (!isBefore || conversation.turns + critique.tries > 0) return undefined;
  const isChecking = run?.id === owner && run.target.check?.reason === 'preflight';
  return isChecking ? 'after-check' : 'soon';
}

/** The choice of a variant that was given up since; undefined once the task has ended. */
export function withdrawnView({ status, variants }: TaskRecord): WithdrawnView | undefined {
  if (variants?.withdrawn === undefined || status.id !== 'open') return undefined;
  const { because, at: _at, ...choice } = variants.withdrawn;
  return { ...choice, failure: failureView(rootFailure(because), choice.variant) };
}

/** Its variants are at work, or a person has to choose one of them. */
function comparingState(record: TaskRecord, { ids: variants, asked }: Variants): StateView {
  if (asked === undefined) return { state: 'comparing', variants };
  const { id } = record.task;
  const { at: since, run, finished } = asked;
  const needed = failureView({ kind: 'choice-needed', variants: finished }, id);
  const withdrawn = withdrawnView(record);
  const failure =
    withdrawn === undefined
      ? needed
      : {
          ...needed,
          what: withdrawnText(withdrawn),
          why: `${needed.what} ${needed.why}`,
          do: `${needed.do} \`ym why ${withdrawn.variant}\` says more about ${withdrawn.variant}.`,
        };
  const command = `ym choose ${id} N`;
  return { state: 'blocked', cause: 'choice', finished, since, run, failure, command };
}

/** Waits for a person's answer or approval. */
function waitingState(
  id: TaskId,
  run: RunId,
  state: Extract<AttemptState, { id: 'asking' | 'awaiting' }>,
): StateView {
  const { since } = state;
  if (state.id === 'asking') {
    const { question } = state;
    const failure = failureView({ kind: 'question-open', question }, id);
    const command = `ym answer ${id} "…"`;
    return { state: 'blocked', cause: 'answer', question, since, run, failure, command };
  }
  return {
    state: 'blocked',
    cause: 'approval',
    commit: state.commit,
    since,
    run,
    failure: failureView(state.failure, id),
    command: `ym approve ${id}`,
    reject: `ym reject ${id} "…"`,
  };
}

function queuedState(
  id: TaskId,
  attempt: Attempt,
  { commit, behind }: Extract<AttemptState, { id: 'queued' }>,
  run: RunRecord | undefined,
): StateView {
  const failure = heldBackBy(attempt, run);
  return {
    state: 'queued',
    commit,
    behind,
    failure: failure && failureView(failure, id),
  };
}

/** Reason why its candidate does not land; the last known one if its run has ended or is not shown. */
function landingFailure(
  { task, attempt }: TaskRecord,
  { candidate, heldBack, stopped }: Extract<AttemptState, { id: 'landing' }>,
  run: RunRecord | undefined,
): FailureView | undefined {
  const isShown = run !== undefined && attempt?.run === run.id;
  const found = isShown ? run.train.candidates.find(({ id }) => id === candidate) : undefined;
  const last = isShown && stopped !== true ? undefined : heldBack?.failure;
  const failure = (found && run && landingTrouble(found, run)) ?? last;
  return failure && failureView(failure, task.id);
}

/** No attempt is under way, or it is between two turns. */
function idleState(record: TaskRecord, { heldUp, texts, seen }: Around): StateView {
  const { task, attempt, blockers, handedIn } = record;
  const parent = heldUp.get(task.id);
  if (blockers > 0 && parent !== undefined) {
    const state = texts.get(parent) ?? 'stuck';
    const failure = failureView({ kind: 'parent-stuck', parent, state }, task.id);
    const command = `ym why ${parent}`;
    return { state: 'blocked', cause: 'parent', parent, failure, command };
  }
  const state = blockers > 0 ? 'open' : 'ready';
  const pause =
    attempt?.state.id === 'between-turns' ? turnPauseView(attempt, attempt.state, seen) : undefined;
  // Work that a person handed in replaces the work that failed.
  const cause =
    handedIn === undefined && attempt !== undefined ? causeOf(attempt.state) : undefined;
  const failure = cause === undefined ? undefined : failureView(cause, task.id);
  const isUnderWay = seen?.run !== undefined && seen.underWay.includes(seen.run.id);
  const waits = waitViews(lastWaits(record), seen?.run, isUnderWay);
  return { state, pause, failure, waits: waits.length === 0 ? undefined : waits };
}

function causeOf(state: AttemptState): Failure | undefined {
  const reason = state.id === 'between-turns' ? state.turnReason : state;
  return 'failure' in reason ? reason.failure : undefined;
}
