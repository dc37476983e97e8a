import { Attempt, TurnReason } from './attempt.ts';
import { BatchPlan } from './batch.ts';
import { choice, choiceTerms } from './best-of.ts';
import { Call, callKey } from './call.ts';
import { Failure, TargetCheckReason } from './failure.ts';
import { LandingFacts } from './queue-entry.ts';
import { AgentRole, Owner, Stop, TrainStyle } from './run.ts';
import {
  bool,
  count,
  list,
  names,
  type Of,
  object,
  optional,
  ordinal,
  text,
  union,
} from './shape.ts';
import { SourceChange } from './source-change.ts';
import { PromptMessage, Task, type TaskId } from './task.ts';
import { Candidate, RunningGate, TargetCheck } from './train-record.ts';
import { ConfirmedRed, RedVerdict, VerifyPolicy } from './verdict.ts';

/** An attempt and its task, as they were when the command was decided. */
export const Work = object({ task: Task, attempt: Attempt });
export type Work = Of<typeof Work>;

/** Fate of a judged candidate: the target moves to it, or its one branch is handed over. */
const delivered = { work: Work, parents: names };
export const Landing = union('id', {
  /** `spent` are refs without a purpose once it has landed. */
  land: { spent: names },
  branch: delivered,
  pr: delivered,
  /** `parents` are branches of unmerged parents, which it is built on. */
  stack: delivered,
});
export type Landing = Of<typeof Landing>;

/** A delivered branch, and its pull request if there is one. */
export const DeliveredBranch = object({ branch: text, commit: text, url: optional(text) });
export type DeliveredBranch = Of<typeof DeliveredBranch>;

/** The target as the run knows it: its commit as last seen. */
export const SeenTarget = object({ tip: optional(text) });
export type SeenTarget = Of<typeof SeenTarget>;

const ReadyTask = object({ id: text, title: text, priority: count, type: text });
export type ReadyTask = Of<typeof ReadyTask>;

const ofAttempt = { id: text, attempt: ordinal };
const ofWork = { work: Work };
const how = { model: optional(text), reasoning: optional(text) };
/**
 * `checks` are additional gate commands of the tasks, `reds` the red verdicts on the tree that this process knows. Failures
 * in `confirmed` tests need no rerun to count: an earlier gate run on this work confirmed them.
 */
const judging = { checks: names, reds: list(RedVerdict), confirmed: list(ConfirmedRed) };

/**
 * A command that `decide` gives to `perform`. A command follows from the state, so it is decided again until an event
 * changes the state. Performing one twice, even after a crash halfway, has the same result as performing it once.
 *
 * A command is plain data with all that the decision knew, so any process with the same ports can perform it. What may
 * change while it is performed is asked from the store.
 */
export const Command = union('type', {
  claim: { ...ofAttempt, slot: count, agent: text, branch: text },
  /** Create the variants of a ready task, all from the target's tip of this moment. */
  expand: { original: text, variants: list(Task), ...choiceTerms },
  /** Let a finished variant go on to the merge queue. */
  choose: { original: text, choice: object(choice) },
  /** Let a person choose between finished variants. */
  'ask-choice': { original: text, finished: names },
  /** Take over a live attempt of a run that has ended. */
  adopt: { ...ofAttempt, from: text, slot: optional(count) },
  /** Create a clean worktree at the target's tip. */
  prepare: {
    ...ofWork,
    handedIn: optional(text),
    /** Parents that are delivered but not merged. */
    parents: list(DeliveredBranch),
    /** Commit to start from instead of the target's tip, as long as the target contains it. */
    base: optional(text),
  },
  /** Record that an agent process is about to start. */
  'begin-turn': {
    ...ofAttempt,
    turn: count,
    slot: count,
    agent: text,
    ...how,
    role: optional(AgentRole),
    /** See `turn-started`. */
    messages: optional(list(ordinal)),
  },
  /** Run the agent of a turn, or follow the process that an earlier engine started. */
  'run-turn': {
    ...ofWork,
    turn: count,
    turnReason: optional(TurnReason),
    role: optional(AgentRole),
    messages: list(PromptMessage),
    /** Tasks that the attempt has claimed in addition to its own. */
    coClaims: list(Task),
  },
  interrupt: { ...ofAttempt, branch: text, turn: count, by: text },
  /** Release the attempt if the process of the person who holds it is gone. */
  'check-holder': { ...ofAttempt, by: Owner },
  /** Commit what the agent left in the worktree. */
  capture: ofWork,
  /** Record that the gate of a branch is about to start in this gate slot. */
  'begin-branch-gate': { ...ofAttempt, tree: text, gateSlot: count },
  'judge-branch': { ...ofWork, ...judging },
  /** Merge the target into returned work, so that its agent sees what failed. */
  'merge-target': ofWork,
  /** End the attempt; `save` follows. */
  'give-up': { ...ofAttempt, failure: Failure },
  save: {
    ...ofWork,
    failure: Failure,
    /** Filed if there is work to save: it resolves the conflict that ended the attempt. */
    conflictTask: optional(Task),
  },
  /** Skip the gate of the branch; the candidate gate still runs. */
  'skip-gate': { ...ofAttempt, tree: text, reason: text },
  /** Record that a one-shot call is about to start. */
  'begin-call': { ...ofAttempt, call: Call, slot: count, ...how },
  /** Run the agent of a one-shot call, or follow the process that an earlier engine started. */
  'run-call': { ...ofWork, call: Call },
  'interrupt-call': { ...ofAttempt, branch: text, call: Call },
  /** Let a person decide whether the work may land. */
  'ask-approval': { ...ofAttempt, failure: Failure },
  /** Answer the agent's question in place of a person. */
  'answer-question': { ...ofAttempt, text },
  /** Build a candidate: the commit the target would become, on the target's tip or on the candidate `on`. */
  'build-candidate': {
    candidate: text,
    landings: list(LandingFacts),
    on: optional(object({ id: text, head: text })),
    urgent: optional(bool),
    style: TrainStyle,
    seen: SeenTarget,
    /** Refs of candidates that have left the queue; deleted. */
    spent: names,
  },
  /** Record that a gate is about to start. */
  'begin-gate': { candidate: text, count, slot: count, commit: text, tree: text, tasks: names },
  /** Run the gate on the first branches of a candidate, or follow a gate that an earlier engine started. */
  'judge-candidate': {
    ...judging,
    gate: RunningGate,
    /** Labels that a worker must have to run it, because the tasks need them. */
    labels: names,
    /** True if a tree that the gate changes counts as failed. */
    gateChangedTree: bool,
  },
  /** Stop a gate whose verdict is no longer needed. */
  'interrupt-gate': { candidate: text, count },
  /**
   * Run the gate on the target itself, in gate slot `slot`. `fresh` ignores a stored verdict. `check` is the gate run in
   * progress, which is followed whatever the command asks for, or ended if it is `outdated`.
   */
  'judge-target': {
    commit: text,
    reason: TargetCheckReason,
    fresh: bool,
    slot: count,
    check: optional(TargetCheck),
    outdated: bool,
  },
  /** Stop the gate on the target; its verdict is no longer needed. */
  'interrupt-target': { check: TargetCheck },
  /** Move the target to the first `count` branches of the candidate, or deliver it. */
  land: { candidate: Candidate, count, checks: names, how: Landing },
  /** Record that no planner is asked for the next tasks, and why. */
  'skip-batch': { plan: BatchPlan },
  /** Let other tasks start than those of the batch. */
  /** Record that the planner is about to be asked. */
  'begin-batch': { call: ordinal, agent: text, ...how },
  /** Ask the planner for the next tasks, or follow the process that an earlier engine started. */
  'plan-batch': {
    call: ordinal,
    agent: text,
    ...how,
    budgetTokens: count,
    ready: list(ReadyTask),
    /** False if its answer cannot matter any more; a process that has not begun is not started. */
    wanted: bool,
  },
  'interrupt-batch': { call: ordinal },
  /** Record that an agent is about to be asked to revise the plan. */
  'begin-revision': { call: ordinal, task: text, agent: text, ...how },
  /** Ask the agent to revise the plan, or follow the process that an earlier engine started. */
  'revise-plan': {
    call: ordinal,
    /** The task whose agent gave up, and its message. */
    task: text,
    message: text,
    agent: text,
    ...how,
    /** True if its changes are stored without a person's consent. */
    apply: bool,
    /** False if the run is ending; a process that has not begun is not started. */
    wanted: bool,
  },
  'interrupt-revision': { call: ordinal },
  /** Ask the forge for the state of pull requests. */
  'watch-pulls': { pulls: list(DeliveredBranch) },
  /** Find out which waits are over. */
  'check-waits': { waits: list(object({ id: text, wait: text })) },
  /** Write the states of tasks to the places that they were imported from. */
  'sync-sources': { changes: list(SourceChange) },
  /**
   * Run the end-of-run verification on the target, in gate slot `slot`. `again` is the prefix of its file names, so that a
   * later verification does not reuse an earlier result.
   */
  verify: { policy: VerifyPolicy, slot: count, again: text },
  /** Stop all child processes; a resumed run continues their work. */
  halt: { by: text },
  'end-run': { stop: Stop, seen: SeenTarget },
});
export type Command = Of<typeof Command>;

export type CommandOf<Type extends Command['type']> = Extract<Command, { readonly type: Type }>;

interface AttemptName {
  readonly id: TaskId;
  readonly attempt: number;
}

export function attemptOf(command: Command): AttemptName | undefined {
  if ('work' in command) return { id: command.work.task.id, attempt: command.work.attempt.number };
  return 'id' in command ? { id: command.id, attempt: command.attempt } : undefined;
}

/** Identity of the work a command asks for. The loop never performs the same key twice at the same time. */
export function keyOf(command: Command): string {
  return [command.type, ...idsOf(command)].join(' ');
}

function idsOf(command: Command): readonly (string | number)[] {
  const { id, attempt } = attemptOf(command) ?? { id: '', attempt: 0 };
  switch (command.type) {
    case 'build-candidate':
    case 'judge-target':
    case 'interrupt-target':
    case 'halt':
    case 'verify':
    case 'watch-pulls':
    case 'check-waits':
    case 'sync-sources':
    case 'skip-batch':
    // One planner at a time.
    case 'begin-batch':
    case 'plan-batch':
    case 'interrupt-batch':
    // One revision at a time.
    case 'begin-revision':
    case 'revise-plan':
    case 'interrupt-revision':
    case 'end-run':
      return [];
    case 'expand':
    case 'choose':
    case 'ask-choice':
      return [command.original];
    case 'begin-gate':
    case 'interrupt-gate':
      return [command.candidate, command.count];
    case 'judge-candidate':
      return [command.gate.candidate, command.gate.count];
    // One landing in the checkout at a time; one delivery per candidate.
    case 'land':
      return command.how.id === 'land' ? [] : [command.candidate.id];
    case 'begin-call':
    case 'run-call':
    case 'interrupt-call':
      return [callKey({ id, attempt, call: command.call })];
    case 'begin-turn':
    case 'run-turn':
    case 'interrupt':
      return [id, attempt, command.turn];
    default:
      return [id, attempt];
  }
}
