import { HeldCommit, MergedTarget, Worktree } from './attempt.ts';
import { Call } from './call.ts';
import { Failure } from './failure.ts';
import { CallResult } from './review.ts';
import { bool, count, list, names, object, optional, text, words } from './shape.ts';
import { AgentCall, TurnResult } from './turn.ts';
import { TestsOutcome, Verdict } from './verdict.ts';
import { Changes, Tampering, Violation } from './violation.ts';

/** Events of an attempt without the fields that name it. Steps of its history hold the same fields. */
export const attemptSteps = {
  /** The task is claimed and holds a slot. Stored before any work for it starts. */
  'attempt-started': {
    slot: count,
    fence: count,
    agent: text,
    branch: text,
    /** The worker of the slot; absent if the process of the run has it. */
    worker: optional(text),
  },
  /** Another run took over the attempt of a run that had ended or died. Worktree, branch and conversation stay. */
  'attempt-adopted': { from: text, fence: count, slot: optional(count) },
  'worktree-ready': {
    worktree: Worktree,
    base: text,
    /** True if the base contains delivered work that is not merged yet. */
    stacked: optional(bool),
    /** Files that the set-up created and git does not ignore; reported once per run. */
    unignored: optional(names),
  },
  /** An agent process is about to start. Stored first, so that a killed process is recognized as unfinished. */
  'turn-started': {
    turn: count,
    slot: count,
    /** Agent profile for this turn; absent if unchanged since the last turn. */
    agent: optional(text),
    model: optional(text),
    reasoning: optional(text),
    /** Hash of the part of the prompt that is the same for every task. */
    prefix: optional(text),
    /** Messages that this prompt contains for the first time, by the numbers of their events. */
    messages: optional(list(count)),
    /** Fingerprint of the project's key that made the token of the agent's calls. */
    key: optional(text),
  },
  /** The agent called `ym agent …` during its turn. */
  'agent-reported': { turn: count, call: AgentCall },
  'turn-ended': { turn: count, result: TurnResult },
  /** The agent's files in the worktree are now a commit, made by the agent or by the engine. */
  'work-captured': {
    commit: text,
    tree: text,
    by: words('agent', 'engine', 'person'),
    /** Target commit that the work contains; absent if it is the attempt's first base. */
    base: optional(text),
    changes: optional(Changes),
    violations: optional(list(Violation)),
    /** Failure of the commands of `worktree.finish`. */
    failure: optional(Failure),
    /** The task whose conflicting work is contained in this commit. */
    resolves: optional(text),
    /** Files and folders that the agent made and that git ignores: the first names, and how many there are. */
    ignored: optional(object({ names, count })),
  },
  /** Something outside the worktree changed while a turn ran. */
  'tampering-seen': { turn: count, found: list(Tampering) },
  /** The engine merged the target into the branch of returned work. */
  'target-merged': { merged: MergedTarget },
  /** The task is done without a commit: it filed other tasks. */
  'work-planned': { filed: names },
  /** The gate of a branch is about to start in this gate slot. Stored before its first command. */
  'branch-gate-started': { tree: text, gateSlot: count },
  /** The gate ran on the branch, in the attempt's worktree. */
  'branch-judged': {
    tree: text,
    gate: text,
    verdict: Verdict,
    /** True if a stored verdict on the same tree was reused. */
    cached: bool,
    /** Meaning of the verdict in the stage `tests`; absent in others. */
    tests: optional(TestsOutcome),
  },
  /** The branch gate was skipped; the candidate gate still runs. */
  'gate-skipped': { tree: text, reason: text },
  /** A one-shot call is about to start. Stored before its process starts. */
  'call-started': {
    call: Call,
    slot: count,
    model: optional(text),
    reasoning: optional(text),
  },
  'call-ended': { call: Call, result: CallResult },
  /** A person must approve the work before it may land. */
  'approval-asked': { failure: Failure },
  /** The work conflicts with queued work of another task. */
  'conflict-predicted': { with: text, files: names },
  /** The attempt is given up; its work is about to be saved. */
  'attempt-given-up': { failure: Failure },
  /** The agent left files that cannot be committed: ignored ones only, or a repository of its own. It is told once. */
  'work-left-out': { files: names, because: optional(words('nested')) },
  /** The attempt ended. `kept` is the branch that holds its work, if there is any. */
  'attempt-failed': {
    failure: Failure,
    kept: optional(text),
    /** Folder that still holds work which could not be saved. */
    left: optional(text),
    /** Commit on the branch `kept`. */
    commit: optional(text),
    /** Commits that the agent left on other branches or in its stash. */
    strays: optional(list(HeldCommit)),
  },
  /**
   * A worker pushed work that only it had to the shared repository, where these refs hold it. Stored by the worker, also
   * long after the attempt has ended; only the history folds it.
   */
  'work-shared': { worker: text, refs: list(HeldCommit) },
};

/** Events about merging a branch, without the fields that name its attempt. */
export const mergeSteps = {
  /** The branch cannot be merged with the target. */
  'merge-refused': { failure: Failure },
  /** The branch merges with the target, but conflicts with candidate `behind`. */
  'merge-deferred': { behind: text },
};
