import type { Attempt } from '../model/attempt.ts';
import { holderOf } from '../model/attempt-state.ts';
import type { Call } from '../model/call.ts';
import type { Command } from '../model/command.ts';
import { checksOf, deliveredBranch, judgeTarget } from '../model/command-facts.ts';
import { type Failure, unreachable } from '../model/failure.ts';
import { gateTroubleIn, type RunRecord } from '../model/run-record.ts';
import type { TaskRecord } from '../model/task-record.ts';
import { conflictOf, conflictTask, conflictTaskId } from '../task/conflict.ts';
import { isRedByGate, returnedWith } from '../task/red-work.ts';
import { type AgentPool, type Assignment, memberOf } from './agent-pool.ts';
import { nextCall } from './fold-call.ts';
import { branchGateSkipReason } from './gates.ts';
import { messagesFor, unreadMessages } from './messages.ts';
import { agentStep, stepPause } from './paused-steps.ts';
import { awaitsPreflight } from './preflight.ts';
import { afterQuestion } from './questions.ts';
import {
  conflictCauseOf,
  mayReturnToAgent,
  mayStartAgain,
  needsMerge,
  waitsForLanding,
} from './returned-work.ts';
import type { State } from './state.ts';
import type { Halt } from './stop.ts';
import { lostWith } from './workers.ts';

/** Inputs of a decision about an attempt, apart from its own record. */
interface Situation {
  readonly state: State;
  readonly run: RunRecord;
  readonly halt: Halt | undefined;
  readonly agentPool: AgentPool;
  readonly now: number;
}

/** Commands for one live attempt. `slots.ts` starts its further turns, and the train takes it from the queue. */
export function attemptCommands(
  situation: Situation,
  record: TaskRecord,
  attempt: Attempt,
): readonly Command[] {
  const { state } = attempt;
  const { run, halt } = situation;
  const of = { id: record.task.id, attempt: attempt.number };
  const unwanted = unwantedBecause(record);
  const lost = lostWith(run, record.task.id, attempt);
  if (lost !== undefined) return [{ type: 'give-up', ...of, failure: lost }];
  switch (state.id) {
    case 'preparing':
    case 'prepared':
      return getReady(situation, record, attempt);
    case 'calling':
      return followCall(situation, record, attempt, state);
    case 'working':
      return followTurn(situation, record, attempt, state);
    case 'capturing':
      return halt?.hard ? [] : [{ type: 'capture', work: { task: record.task, attempt } }];
    case 'gating':
      // If the gate cannot run, the branch waits until a person fixes that and resumes the run.
      if (halt?.hard || gateTroubleIn(run) !== undefined) return [];
      return gateBranch(situation, record, attempt, state);
    case 'unreviewed':
      if (unwanted) return [{ type: 'give-up', ...of, failure: unwanted }];
      return halt !== undefined && isBudget(halt)
        ? [{ type: 'ask-approval', ...of, failure: outOfBudget }]
        : [];
    // A person works in its worktree. A run that is stopping does not wait for them.
    case 'held':
      return halt === undefined ? holderCheck(record, attempt) : [];
    case 'finished':
    case 'queued':
    case 'between-turns':
    case 'awaiting':
      return unwanted ? [{ type: 'give-up', ...of, failure: unwanted }] : [];
    case 'asking':
      if (unwanted) return [{ type: 'give-up', ...of, failure: unwanted }];
      return halt === undefined ? afterQuestion(run, of, state, situation.now) : [];
    case 'returned':
      if (unwanted) return [{ type: 'give-up', ...of, failure: unwanted }];
      return onReturn(record, attempt, run, halt);
    case 'giving-up':
      return [saveWork(situation, record, attempt, state.failure)];
    case 'landing':
    case 'landed':
    case 'planned':
    case 'failed':
      return [];
    default:
      unreachable(state);
  }
}

type InState<Id extends Attempt['state']['id']> = Extract<Attempt['state'], { id: Id }>;

/** Follows a one-shot call, and interrupts it if its answer is no longer needed. */
function followCall(
  { halt }: Situation,
  record: TaskRecord,
  attempt: Attempt,
  { call }: InState<'calling'>,
): readonly Command[] {
  const { task } = record;
  const follow: Command = { type: 'run-call', work: { task, attempt }, call };
  const isUnneeded = unwantedBecause(record) !== undefined || halt?.endsAgents === true;
  if (!isUnneeded) return [follow];
  const { number, branch } = attempt;
  return [follow, { type: 'interrupt-call', id: task.id, attempt: number, branch, call }];
}

/** Follows the turn, and interrupts it for a person or an exhausted budget. */
function followTurn(
  { state, run, halt }: Situation,
  record: TaskRecord,
  attempt: Attempt,
  { turn, turnReason }: InState<'working'>,
): readonly Command[] {
  const { task } = record;
  const { number, branch, agent, conversation } = attempt;
  const follow: Command = {
    type: 'run-turn',
    work: { task, attempt },
    turn,
    messages: messagesFor(
      record,
      { attempt: number, turn, turnReason },
      conversation.session !== undefined,
    ),
    // A chosen variant lands with its task, which says the same.
    coClaims: attempt.coClaims.flatMap((id) =>
      id === task.variantOf ? [] : (state.task(id)?.task ?? []),
    ),
    turnReason,
    role: memberOf(run.settings, agent)?.role,
  };
  const check = holderCheck(record, attempt);
  const person = unwantedBecause(record) !== undefined || check.length > 0;
  const by = person ? 'a person' : halt?.endsAgents ? 'the budget' : '';
  if (by === '') return [follow];
  return [follow, ...check, { type: 'interrupt', id: task.id, attempt: number, branch, turn, by }];
}

/** Checks that the process that holds the attempt, or wants to, is alive. */
function holderCheck({ task }: TaskRecord, { number, state }: Attempt): readonly Command[] {
  const by = holderOf(state);
  if (by === undefined || (state.id === 'working' && state.hold?.withdrawn)) return [];
  return [{ type: 'check-holder', id: task.id, attempt: number, by }];
}

const outOfBudget: Failure = { kind: 'approval-needed', because: 'review-budget' };

/** True if the run's remaining budget does not cover another review. */
function isBudget({ hard, stop }: Halt): boolean {
  if (hard) return false;
  const { reason } = stop;
  return reason === 'budget-tokens' || reason === 'budget-cost' || reason === 'max-attempts';
}

/** Runs the branch gate in its slot, or skips it if the policy says so. `gates.ts` gives it the slot. */
function gateBranch(
  { state, run }: Situation,
  record: TaskRecord,
  attempt: Attempt,
  { gate, tree }: InState<'gating'>,
): readonly Command[] {
  const { task } = record;
  if (gate !== undefined) {
    const checks = checksOf(state, [task.id, ...attempt.coClaims]);
    const known = { reds: state.reds(tree), confirmed: returnedWith(attempt) };
    return [{ type: 'judge-branch', work: { task, attempt }, checks, ...known }];
  }
  const reason = branchGateSkipReason(record, run);
  if (reason === undefined) return [];
  return [{ type: 'skip-gate', id: task.id, attempt: attempt.number, tree, reason }];
}

/** Prepares the worktree, then waits for the preflight before the agent starts. */
function getReady(situation: Situation, record: TaskRecord, attempt: Attempt): readonly Command[] {
  const { state } = attempt;
  const { run, halt } = situation;
  const of = { id: record.task.id, attempt: attempt.number };
  if (state.id === 'preparing') return halt?.hard ? [] : [prepare(situation, record, attempt)];
  const failure = unwantedBecause(record);
  if (failure !== undefined) return [{ type: 'give-up', ...of, failure }];
  if (state.id !== 'prepared' || halt !== undefined || awaitsPreflight(run)) return [];
  return begin(situation, record, attempt, state.slot);
}

function prepare({ state }: Situation, record: TaskRecord, attempt: Attempt): Command {
  const { task, handedIn } = record;
  const parents = task.after.flatMap((id) => deliveredBranch(state.task(id)?.status));
  // Variants are compared, so their first attempts start from the same commit.
  const group = attempt.number === 1 ? state.task(task.variantOf ?? '')?.variants : undefined;
  const base = { base: group?.base };
  const of = { type: 'prepare', work: { task, attempt }, parents, ...base } as const;
  return handedIn === undefined ? of : { ...of, handedIn: handedIn.commit };
}

/** Starts the critique of the task's text, or the first turn. The attempt keeps its slot for both. */
function begin(
  { run, agentPool, now }: Situation,
  record: TaskRecord,
  attempt: Attempt,
  slot: number,
): Command[] {
  const step = agentStep(record.task.id, attempt.number);
  if (stepPause(run, step, now) !== undefined) return [];
  const call = nextCall(record, attempt, run);
  if (call === undefined) {
    // The agent may differ from the one that was chosen when the slot was given.
    const assignment = agentPool.assignTurn(record, attempt, true);
    return assignment === undefined ? [] : [beginTurn(run, record, attempt, slot, assignment)];
  }
  const assignment = agentPool.assignCall(call.agent, attempt.agent);
  if (assignment === undefined) return [];
  return [beginCall(record, attempt, call, slot, assignment)];
}

/**
 * Returned work is given up if the target is to blame or its conversation has no return left. Otherwise the target is
 * merged into it, and it waits for a slot.
 */
function onReturn(
  record: TaskRecord,
  attempt: Attempt,
  run: RunRecord,
  halt: Halt | undefined,
): readonly Command[] {
  const { state } = attempt;
  if (state.id !== 'returned') return [];
  const of = { id: record.task.id, attempt: attempt.number };
  const trouble = gateTroubleIn(run);
  if (trouble?.kind === 'target-red' && state.on !== undefined) {
    return [{ type: 'give-up', ...of, failure: trouble }];
  }
  if (trouble !== undefined && attempt.captured !== undefined && blameUnproven(attempt, run)) {
    const reason = 'the target cannot be judged, so nobody is to blame; the merge queue judges it';
    return [{ type: 'skip-gate', ...of, tree: attempt.captured.tree, reason }];
  }
  if (mustJudgeTarget(attempt, run)) {
    if (halt?.hard || state.on === undefined) return [];
    const { commit, at } = state.on;
    return [judgeTarget(run, { commit, reason: 'blame', fresh: isStale(run, at) })];
  }
  if (!mayReturnToAgent(record, attempt, run)) {
    return [{ type: 'give-up', ...of, failure: state.failure }];
  }
  if (!needsMerge(attempt) || halt?.hard || waitsForLanding(attempt, run)) return [];
  return [{ type: 'merge-target', work: { task: record.task, attempt } }];
}

/** Ends an attempt. If a conflict ended it and its agent gets no other try, a task is filed for the conflict, once. */
function saveWork(
  { state, run }: Situation,
  record: TaskRecord,
  attempt: Attempt,
  failure: Failure,
): Command {
  const { task } = record;
  const save = { type: 'save', work: { task, attempt }, failure } as const;
  const conflict = conflictCauseOf(failure, attempt);
  if (conflict === undefined || conflictOf(task) !== undefined || mayStartAgain(record, run))
    return save;
  // Another variant may land instead.
  if (task.variantOf !== undefined) return save;
  const name = conflictTaskId(task.id, (other) => state.task(other)?.task);
  if (state.task(name) !== undefined) return save;
  const { target } = run.settings;
  return { ...save, conflictTask: conflictTask(name, task, attempt.branch, conflict, target) };
}

/** True if the target must be judged before the work can be blamed. */
export function mustJudgeTarget(attempt: Attempt, run: RunRecord): boolean {
  return gateTroubleIn(run) === undefined && blameUnproven(attempt, run);
}

/**
 * True if the target itself may be red: the gate never passed on it, or passed so long ago that the environment may have
 * changed.
 */
function blameUnproven({ state }: Attempt, run: RunRecord): boolean {
  if (state.id !== 'returned' || state.on === undefined) return false;
  if (!isRedByGate(state.failure)) return false;
  return !run.target.cleared.includes(state.on.commit) || isStale(run, state.on.at);
}

/** True if no gate passed recently enough to prove that the environment was sound at that time. */
function isStale({ train, settings }: RunRecord, at: number): boolean {
  const { gatePassedAt: provenAt } = train;
  if (settings.recheckMs === undefined) return false;
  return provenAt === undefined || provenAt < at - settings.recheckMs;
}

/** Failure with which a person ended the task, if one did. */
function unwantedBecause(record: TaskRecord): Failure | undefined {
  switch (record.status.id) {
    case 'canceled':
    case 'blocked':
      return record.status.failure;
    case 'skipped':
      return { kind: 'canceled-by-person', reason: record.status.reason };
    default:
      return undefined;
  }
}

/** Starts the next turn, with all messages that arrived since the last one. */
export function beginTurn(
  { settings }: RunRecord,
  record: TaskRecord,
  { number, conversation }: Attempt,
  slot: number,
  assignment: Assignment,
): Command {
  const role = memberOf(settings, assignment.agent)?.role;
  const of = { id: record.task.id, attempt: number, turn: conversation.turns + 1, slot };
  const turn = { type: 'begin-turn', ...of, ...assignment, role } as const;
  const messages = unreadMessages(record).map(({ seq }) => seq);
  return messages.length === 0 ? turn : { ...turn, messages };
}

export function beginCall(
  { task }: TaskRecord,
  { number }: Attempt,
  call: Call,
  slot: number,
  { agent: _agent, ...how }: Assignment,
): Command {
  return { type: 'begin-call', id: task.id, attempt: number, call, slot, ...how };
}
