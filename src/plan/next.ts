import type { Attempt } from '../model/attempt.ts';
import type { Command } from '../model/command.ts';
import { type Failure, unreachable } from '../model/failure.ts';
import type { RunRecord } from '../model/run-record.ts';
import type { TaskRecord } from '../model/task-record.ts';
import { isRedByGate } from '../task/red-work.ts';
import type { AgentPool, Assignment } from './agent-pool.ts';
import { nextCritique } from './fold-critique.ts';
import { branchGateSkipReason } from './gates.ts';
import { unreadMessages } from './messages.ts';
import { mayReturnToAgent, needsMerge, waitsForLanding } from './returned-work.ts';
import type { Halt } from './stop.ts';

/** Commands for one live attempt. `slots.ts` starts its further turns, and the train takes it from the queue. */
export function attemptCommands(
  record: TaskRecord,
  attempt: Attempt,
  run: RunRecord,
  halt: Halt | undefined,
  agentPool: AgentPool,
): readonly Command[] {
  const { state } = attempt;
  const of = { id: record.task.id, attempt: attempt.number };
  const unwanted = unwantedBecause(record);
  switch (state.id) {
    case 'preparing':
    case 'prepared':
      return getReady(record, attempt, run, halt, agentPool);
    case 'critiquing': {
      const { round, step, again } = state;
      const oneShot = { ...of, round, step, again };
      const follow: Command = { type: 'run-critique', ...oneShot };
      const unneeded = unwanted !== undefined || halt?.endsAgents === true;
      return unneeded ? [follow, { type: 'interrupt-critique', ...oneShot }] : [follow];
    }
    case 'working':
      return followTurn(record, attempt, state, halt);
    case 'capturing':
      return halt?.hard ? [] : [{ type: 'capture', ...of }];
    case 'gating':
      // If the gate cannot run, the branch waits until a person fixes that and resumes the run.
      if (halt?.hard || run.trouble !== undefined) return [];
      if (state.gate !== undefined) return [{ type: 'judge-branch', ...of, tree: state.tree }];
      return skipGate(record, attempt, run, state.tree);
    case 'reviewing': {
      const { round, reviewer, again } = state;
      const oneShot = { ...of, round, reviewer, again };
      const follow: Command = { type: 'run-review', ...oneShot };
      const unneeded = unwanted !== undefined || halt?.endsAgents === true;
      return unneeded ? [follow, { type: 'interrupt-review', ...oneShot }] : [follow];
    }
    case 'unreviewed':
      if (unwanted) return [{ type: 'give-up', ...of, failure: unwanted }];
      return halt !== undefined && isBudget(halt)
        ? [{ type: 'ask-approval', ...of, failure: outOfBudget }]
        : [];
    // A person works in its worktree. A run that is stopping does not wait for them.
    case 'held':
      return halt === undefined ? holderCheck(record, attempt) : [];
    case 'queued':
    case 'between-turns':
    case 'asking':
    case 'awaiting':
      return unwanted ? [{ type: 'give-up', ...of, failure: unwanted }] : [];
    case 'returned':
      if (unwanted) return [{ type: 'give-up', ...of, failure: unwanted }];
      return onReturn(record, attempt, run, halt);
    case 'giving-up':
      return [{ type: 'save', ...of, failure: state.failure }];
    case 'landing':
    case 'landed':
    case 'planned':
    case 'failed':
      return [];
    default:
      unreachable(state);
  }
}

/** Follows the turn, and interrupts it for a person or an exhausted budget. */
function followTurn(
  record: TaskRecord,
  attempt: Attempt,
  { turn, turnReason }: Extract<Attempt['state'], { id: 'working' }>,
  halt: Halt | undefined,
): readonly Command[] {
  const of = { id: record.task.id, attempt: attempt.number };
  const runTurn: Command = { type: 'run-turn', ...of, turn };
  const follow = turnReason === undefined ? runTurn : { ...runTurn, turnReason };
  const check = holderCheck(record, attempt);
  const person = unwantedBecause(record) !== undefined || check.length > 0;
  const by = person ? 'a person' : halt?.endsAgents ? 'the budget' : '';
  return by === '' ? [follow] : [follow, ...check, { type: 'interrupt', ...of, turn, by }];
}

/** Checks that the process that holds the attempt, or wants to, is alive. */
function holderCheck({ task }: TaskRecord, { number, hold }: Attempt): readonly Command[] {
  if (hold === undefined || hold.withdrawn === true) return [];
  return [{ type: 'check-holder', id: task.id, attempt: number }];
}

const outOfBudget: Failure = { kind: 'approval-needed', because: 'review-budget' };

/** True if the run's remaining budget does not cover another review. */
function isBudget({ hard, stop }: Halt): boolean {
  if (hard) return false;
  const { reason } = stop;
  return reason === 'budget-tokens' || reason === 'budget-cost' || reason === 'max-attempts';
}

/** Skips the branch gate if the policy says so. Otherwise `assign-gates.ts` gives it a gate slot. */
function skipGate(
  record: TaskRecord,
  { number: attempt }: Attempt,
  run: RunRecord,
  tree: string,
): readonly Command[] {
  const reason = branchGateSkipReason(record, run);
  if (reason === undefined) return [];
  return [{ type: 'skip-gate', id: record.task.id, attempt, tree, reason }];
}

/** Prepares the worktree, then waits for the preflight before the agent starts. */
function getReady(
  record: TaskRecord,
  attempt: Attempt,
  run: RunRecord,
  halt: Halt | undefined,
  agentPool: AgentPool,
): readonly Command[] {
  const { state } = attempt;
  const of = { id: record.task.id, attempt: attempt.number };
  if (state.id === 'preparing') return halt?.hard ? [] : [{ type: 'prepare', ...of }];
  const failure = unwantedBecause(record);
  if (failure !== undefined) return [{ type: 'give-up', ...of, failure }];
  if (state.id !== 'prepared' || halt !== undefined || run.preflight !== undefined) return [];
  return begin(record, attempt, run, agentPool, state.slot);
}

/** Starts the critique of the task's text, or the first turn. The attempt keeps its slot for both. */
function begin(
  record: TaskRecord,
  attempt: Attempt,
  run: RunRecord,
  agentPool: AgentPool,
  slot: number,
): Command[] {
  const oneShot = nextCritique(record, attempt, run);
  if (oneShot === undefined) return beginFirst(record, attempt, agentPool, slot);
  const assignment = agentPool.assignReview(oneShot.agent, attempt.agent);
  if (assignment === undefined) return [];
  const of = { id: record.task.id, attempt: attempt.number };
  return [{ type: 'begin-critique', ...of, slot, ...oneShot, ...assignment }];
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
  const { trouble } = run;
  if (trouble?.kind === 'target-red' && state.on !== undefined) {
    return [{ type: 'give-up', ...of, failure: trouble }];
  }
  if (trouble !== undefined && attempt.captured !== undefined && blameUnproven(attempt, run)) {
    const reason = 'the target cannot be judged, so nobody is to blame; the merge queue judges it';
    return [{ type: 'skip-gate', ...of, tree: attempt.captured.tree, reason }];
  }
  if (mustJudgeTarget(attempt, run)) {
    if (halt?.hard || state.on === undefined) return [];
    const fresh = isStale(run, state.at);
    return [{ type: 'judge-target', commit: state.on, reason: 'blame', fresh }];
  }
  if (!mayReturnToAgent(record, attempt, run)) {
    return [{ type: 'give-up', ...of, failure: state.failure }];
  }
  if (!needsMerge(attempt) || halt?.hard || waitsForLanding(attempt, run)) return [];
  return [{ type: 'merge-target', ...of }];
}

/** The agent may differ from the one that was chosen when the slot was given. */
function beginFirst(
  record: TaskRecord,
  attempt: Attempt,
  agentPool: AgentPool,
  slot: number,
): Command[] {
  const assignment = agentPool.assignTurn(record, attempt.agent, true);
  return assignment === undefined ? [] : [beginTurn(record, attempt, slot, assignment)];
}

/** True if the target must be judged before the work can be blamed. */
export function mustJudgeTarget(attempt: Attempt, run: RunRecord): boolean {
  return run.trouble === undefined && blameUnproven(attempt, run);
}

/** True if the target itself may be red: the gate never passed on it, or passed so long ago that the environment may have changed. */
function blameUnproven({ state }: Attempt, run: RunRecord): boolean {
  if (state.id !== 'returned' || state.on === undefined) return false;
  if (!isRedByGate(state.failure)) return false;
  return !run.clearedCommits.includes(state.on) || isStale(run, state.at);
}

/** True if no gate passed recently enough to prove that the environment was sound at that time. */
function isStale({ gatePassedAt: provenAt, settings }: RunRecord, at = 0): boolean {
  if (settings.recheckMs === undefined) return false;
  return provenAt === undefined || provenAt < at - settings.recheckMs;
}

/** Failure with which a person ended the task, if one did. */
function unwantedBecause(record: TaskRecord): Failure | undefined {
  switch (record.status.id) {
    case 'cancelled':
    case 'blocked':
      return record.status.failure;
    case 'skipped':
      return { kind: 'cancelled-by-person', reason: record.status.reason };
    default:
      return undefined;
  }
}

/** Starts the next turn, with all messages that arrived since the last one. */
export function beginTurn(
  record: TaskRecord,
  { number, turns }: Attempt,
  slot: number,
  assignment: Assignment,
): Command {
  const of = { id: record.task.id, attempt: number };
  const turn = { type: 'begin-turn', ...of, turn: turns + 1, slot, ...assignment } as const;
  const messages = unreadMessages(record).map(({ seq }) => seq);
  return messages.length === 0 ? turn : { ...turn, messages };
}
