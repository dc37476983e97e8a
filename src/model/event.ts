import { Actor } from './actor.ts';
import { attemptSteps, mergeSteps } from './attempt-event.ts';
import { BatchPlan } from './batch.ts';
import { choiceTerms } from './best-of.ts';
import { Failure, TargetCheckReason } from './failure.ts';
import { noteEvents } from './note.ts';
import { CandidatePrefix, QueueEntry } from './queue-entry.ts';
import { RevisionOutcome } from './revision.ts';
import { budget, DeliveredAs, Owner, type RunId, RunSettings, Stop } from './run.ts';
import { ofWorker, Pull, SlotChange, WaitNote } from './run-record.ts';
import {
  bool,
  count,
  list,
  names,
  number,
  type ObjectOf,
  type Of,
  object,
  optional,
  ordinal,
  text,
  time,
  type UnionOf,
  union,
  withFields,
  words,
} from './shape.ts';
import { SourceState } from './source-change.ts';
import { Decision, Task, type TaskId } from './task.ts';
import { DropReason } from './train-record.ts';
import { Usage } from './turn.ts';
import { Verdict, VerifyOutcome } from './verdict.ts';

/** The process that drives a run from here on. */
const ofProcess = {
  run: text,
  owner: Owner,
  /** Target commit that must pass `run.before` and the gate before the first agent starts; absent without a preflight. */
  preflight: optional(text),
  /** True if the preflight runs commands of `run.before`: then nothing else makes up for it. */
  before: optional(words(true)),
  /** A person watches it on a terminal, so it waits for their decisions without an end. */
  attended: optional(words(true)),
};

const runEvents = {
  /** `base` is the target commit when the run started. */
  'run-started': { ...ofProcess, settings: RunSettings, base: text },
  /** A process took over a run whose own process had died or stopped. */
  'run-resumed': {
    ...ofProcess,
    budget: optional(object(budget)),
    /** Overrides the end-of-run verify policy for the resumed run. */
    verify: optional(words('report', 'fix', 'bisect', 'none')),
    /** Last sign of life of a process that died without ending the run. */
    heardAt: optional(time),
  },
  /** A person stopped the run: `finish` lets running turns end, `now` interrupts them. */
  'stop-asked': { run: text, how: words('finish', 'now'), by: text },
  /** A person or the daemon changed slots or pace; or asked the run to read limits and programs of agents again. */
  'slots-changed': { run: text, change: SlotChange },
  'run-reloaded': { run: text },
  /** A worker joined with `slots`, drains, ended or is lost; `versions` if the run refuses it because they differ. */
  'worker-changed': {
    run: text,
    worker: text,
    slots: count,
    ...ofWorker,
    versions: optional(object({ worker: text, run: text })),
  },
  /** A step failed because of the machine; it is tried again later. */
  'step-paused': { run: text, step: text, failure: Failure },
  'step-resumed': { run: text, step: text },
  /** The target was verified after the last landing. */
  'run-verified': {
    run: text,
    outcome: VerifyOutcome,
    since: optional(number),
  },
  /** The forge was asked about pull requests. `states` is absent if it could not be reached. */
  'pulls-seen': { run: text, branches: names, states: optional(list(Pull)) },
  /** Waits of tasks were checked: `over` are those that are over now. */
  'waits-checked': { run: text, waits: names, over: names, notes: list(WaitNote) },
  'source-synced': { run: text, id: text, state: SourceState },
  /** The state of a task could not be written to its source. It is tried again. */
  'source-sync-failed': { run: text, id: text, note: text },
  /** The planner is about to be asked for the next tasks. Stored before its process starts. */
  'planner-started': {
    run: text,
    call: ordinal,
    agent: text,
    model: optional(text),
    reasoning: optional(text),
  },
  /** The planner answered, or was not asked; then `call` is absent. */
  'batch-planned': {
    run: text,
    call: optional(ordinal),
    plan: BatchPlan,
    usage: optional(Usage),
    /** Model that answered, if the agent reports it. */
    model: optional(text),
  },
  /** None of the tasks of a batch was ready when a slot was free, so other tasks may start as well. */
  /** An agent is about to be asked to revise the plan, because the agent of a task gave up. */
  'revision-started': {
    run: text,
    id: text,
    call: ordinal,
    agent: text,
    model: optional(text),
    reasoning: optional(text),
  },
  /** A check failed and then passed on the same tree. */
  'check-flaked': {
    run: text,
    command: text,
    tree: text,
    /** Output of the failed run. */
    log: text,
  },
  'run-ended': {
    run: text,
    stop: Stop,
    /** Last sign of life of a process that died: the run ended then. */
    heardAt: optional(time),
    /** Worktrees that could not be removed; `ym prune` finds them. */
    left: optional(list(object({ dir: text, failure: Failure }))),
  },
};
export type RunEvent = UnionOf<'type', typeof runEvents>;

const ofAttempt = { run: text, id: text, attempt: ordinal };

const attemptEvents = withFields(ofAttempt, attemptSteps);
export type AttemptEvent = UnionOf<'type', typeof attemptEvents>;

const ofCandidate = { run: text, candidate: text };

const trainEvents = {
  /** A commit that the target would become; it exists in git and is on no branch yet. */
  'candidate-built': {
    ...ofCandidate,
    parent: text,
    commit: text,
    tree: text,
    entries: list(QueueEntry),
    /** One per branch, in order; the last is the candidate itself. Absent for a single branch. */
    prefixes: optional(list(CandidatePrefix)),
    /** The candidate it was built on; absent if built on the target. */
    on: optional(text),
    /** It overtakes the other candidates. */
    urgent: optional(bool),
  },
  ...withFields(ofAttempt, mergeSteps),
  /** The gate is about to run on the first `count` branches of a candidate, in this gate slot. */
  'gate-started': {
    ...ofCandidate,
    count,
    commit: text,
    tree: text,
    slot: count,
    tasks: names,
  },
  /** The verdict of this gate is no longer needed. */
  'gate-abandoned': { ...ofCandidate, count },
  'candidate-judged': {
    ...ofCandidate,
    /** Number of branches, from the first, that were judged; all if absent. */
    count: optional(count),
    tree: text,
    gate: text,
    verdict: Verdict,
    cached: bool,
    /** The worker on which the gate ran; absent if it ran with the engine, or not at all. */
    worker: optional(text),
  },
  /** The gate is about to run on the target itself. */
  'target-check-started': {
    run: text,
    commit: text,
    reason: TargetCheckReason,
    /** Commands of `run.before` that run before the gate, if any. */
    before: optional(names),
  },
  /** The gate on the target was stopped before its verdict. It will run again. */
  'target-check-ended': { run: text },
  /** The gate ran on the target itself, to tell its faults from those of new work. */
  'target-judged': {
    run: text,
    commit: text,
    tree: text,
    gate: text,
    verdict: Verdict,
    cached: optional(bool),
  },
  /** The target was moved, but not by this run. `by` is the attempt whose agent must have done it, if known. */
  'target-moved': {
    run: text,
    from: text,
    to: text,
    /** True if the new target no longer contains work that has landed. */
    rewound: optional(bool),
    /** True if the two have no history in common. */
    unrelated: optional(bool),
    by: optional(object({ id: text, attempt: ordinal })),
  },
  /** The candidate can no longer land; its branches queue again. */
  'candidate-dropped': {
    ...ofCandidate,
    reason: DropReason,
    /** True if other green candidates stay; absent if all candidates are dropped. */
    alone: optional(words(true)),
  },
  /** The gate passed, but the target cannot be moved right now. */
  'landing-waits': {
    ...ofCandidate,
    failure: Failure,
    until: time,
    /** Files and folders of the user in its way: branches that do not change them go on. Absent if all wait. */
    inTheWay: optional(names),
  },
  /** The target is the judged commit. The tasks of its branches are done. */
  landed: {
    ...ofCandidate,
    commit: text,
    from: text,
    entries: list(QueueEntry),
    /** The commit of each branch, in order; absent for a single branch. */
    commits: optional(names),
  },
  /** The candidate passed and was delivered as a branch or pull request instead of landing. */
  delivered: {
    ...ofCandidate,
    how: DeliveredAs,
    entries: list(QueueEntry),
    branch: text,
    url: optional(text),
  },
};
type NoteEvent = UnionOf<'type', typeof noteEvents>;
export type TrainEvent = UnionOf<'type', typeof trainEvents>;

/**
 * Everything that can happen in a project. All state, output, files and reports derive from stored events alone.
 * Members and optional fields may be added.
 */
export const EventBody = union('type', {
  'task-added': { task: Task },
  /** A task source changed the text of a task; never while an attempt of it is live. */
  'task-changed': { task: Task },
  /** A person wrote to the agent of a task. The agent reads it in its next turn. */
  'message-sent': { id: text, text },
  'task-decided': { id: text, decision: Decision },
  /** Several variants of a task exist from here on. They start from `base`; one of them lands. */
  'variants-added': { run: text, id: text, base: text, variants: list(Task), ...choiceTerms },
  /** All variants of the task are finished or have failed, and a person has to choose between the finished ones. */
  'choice-asked': { run: text, id: text, finished: names },
  /** The target no longer contains the commit with which the task landed: someone moved the branch. */
  'landing-dropped': {
    id: text,
    commit: text,
    target: text,
    tip: text,
    /** The target of this clone never contained it: another clone has landed it. */
    behind: optional(words(true)),
  },
  /** The target contains a dropped landing again. */
  'landing-restored': { id: text, commit: text, target: text, tip: text },
  ...noteEvents,
  /** The agent that was asked to revise the plan answered. A person decides about changes that it proposes. */
  'plan-proposed': {
    run: text,
    id: text,
    call: ordinal,
    agent: text,
    outcome: RevisionOutcome,
    usage: optional(Usage),
    /** Model that answered, if the agent reports it. */
    model: optional(text),
  },
  /** A condition outside of the project that the task waited for holds, or has held. */
  'wait-over': { id: text, wait: text },
  ...runEvents,
  ...attemptEvents,
  ...trainEvents,
});
export type EventBody = Of<typeof EventBody>;

export const envelope = {
  /** Numbers the events of a project in order. */
  seq: ordinal,
  at: time,
  version: words(1),
  /** The person who caused it; absent for events of runs and agents, and in logs of older versions. */
  actor: optional(Actor),
};
export type Envelope = ObjectOf<typeof envelope>;

export type Event = Envelope & EventBody;
export type EventType = EventBody['type'];

export function isRunEvent<E extends EventBody>(event: E): event is E & RunEvent {
  return Object.hasOwn(runEvents, event.type);
}

export function isNoteEvent<E extends EventBody>(event: E): event is E & NoteEvent {
  return Object.hasOwn(noteEvents, event.type);
}

export function isAttemptEvent<E extends EventBody>(event: E): event is E & AttemptEvent {
  return Object.hasOwn(attemptEvents, event.type);
}

export function isTrainEvent<E extends EventBody>(event: E): event is E & TrainEvent {
  return Object.hasOwn(trainEvents, event.type);
}

export function tasksOf(event: EventBody): readonly TaskId[] {
  if (event.type === 'variants-added') return [event.id, ...event.variants.map(({ id }) => id)];
  if ('id' in event) return [event.id];
  if ('entries' in event) return event.entries.flatMap((one) => [one.id, ...(one.coClaims ?? [])]);
  if ('task' in event) return [event.task.id];
  return [];
}

export function runOf(event: EventBody): RunId | undefined {
  return 'run' in event ? event.run : undefined;
}
