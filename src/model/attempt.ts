import { Call } from './call.ts';
import { Failure } from './failure.ts';
import { ReviewRound } from './review.ts';
import { Owner } from './run.ts';
import {
  bool,
  closedUnion,
  count,
  later,
  list,
  names,
  type Of,
  object,
  optional,
  ordinal,
  type Shape,
  text,
  time,
  type UnionOf,
  union,
  words,
} from './shape.ts';
import { EndSignal, Usage } from './turn.ts';
import { Changes, Tampering } from './violation.ts';

/** A conflicted file that git cannot mark up (binary, or deleted on one side): the worktree holds one whole side. */
export const Unmarked = object({
  path: text,
  /** `us` is the attempt's work, `them` the target. If both changed it, the worktree holds the attempt's side. */
  how: words('deleted-by-us', 'deleted-by-them', 'changed-by-both'),
});
export type Unmarked = Of<typeof Unmarked>;

const ofMerge = { onto: text, log: text, stat: text };

/**
 * Result of merging the target into the branch of returned work, so that the worktree shows what failed. `onto` is
 * the target commit; `log` and `stat` describe what changed on the target since the work branched off.
 */
export const MergedTarget = union('id', {
  clean: { ...ofMerge, commit: text },
  /** The merge is in progress in the worktree. `files` are in conflict; those in `unmarked` have no conflict markers. */
  conflicts: { ...ofMerge, files: names, unmarked: optional(list(Unmarked)) },
  /** Git could not merge at all, for example because the histories are unrelated. */
  none: { ...ofMerge, cause: text },
});
export type MergedTarget = Of<typeof MergedTarget>;

/** A red candidate that contained the work and was taken apart, because its failures point to some of the branches. */
export const SharedRed = object({
  command: text,
  /** Confirmed failures; see `ConfirmedRed`. */
  tests: names,
  candidate: text,
  /** True if they point to this branch. It gets a candidate of its own, after the others. */
  isSuspect: bool,
});
export type SharedRed = Of<typeof SharedRed>;

/**
 * Files of the user were in the way of landing since `since`. The branch is built again at `until` or later, alone and
 * after others, which land without it.
 */
export const HeldBack = object({ failure: Failure, since: time, until: time });
export type HeldBack = Of<typeof HeldBack>;

/** Facts about the given-up attempt before, for the prompt of a fresh attempt. */
export const PreviousAttempt = object({
  number: ordinal,
  agent: text,
  failure: Failure,
  branch: optional(text),
});
export type PreviousAttempt = Of<typeof PreviousAttempt>;

/** Progress of the review of the task text. */
export const Critique = object({
  rounds: list(ReviewRound),
  /** Rewritten task text, if an agent rewrote it. */
  body: optional(text),
  /** True if no open findings are left. */
  settled: bool,
  /** Consecutive calls without a usable answer, and calls in total. */
  failed: count,
  tries: count,
});
export type Critique = Of<typeof Critique>;

/** Progress of the stage `tests`. `agent` is the task's own agent, which makes the tests pass. */
export const TestsFirst = closedUnion('id', {
  writing: { agent: text },
  /** The gate fails because of `tests`, as it should. The test `files` of `commit` must stay as they are. */
  red: { agent: text, commit: text, files: names, tests: names },
});
export type TestsFirst = Of<typeof TestsFirst>;

const worktree = { id: text, dir: text };
/** A checkout from the worktree pool. `id` is unique across runs and projects on one machine. */
export const Worktree = object(worktree);
export type Worktree = Of<typeof Worktree>;

export const HeldCommit = object({ ref: text, commit: text });
export type HeldCommit = Of<typeof HeldCommit>;

/** Answer to an agent's request to claim one more task. */
export const ClaimResult = object({
  id: text,
  claimed: bool,
  /** Reason why the claim was refused. */
  reason: optional(text),
});
export type ClaimResult = Of<typeof ClaimResult>;

/** The reason before a reason. Its type is a property of a type literal, which the compiler resolves last. */
const reasonBefore: Shape & { readonly type?: TurnReason } = later(() => TurnReason);

/** Reason why a further turn of a conversation starts; the prompt of the turn is written from it. */
export const TurnReason = closedUnion('id', {
  /** The gate, the inspection or the merge rejected the work. */
  returned: { failure: Failure },
  /** The last turns (`times` in a row) ended without an end signal. `nudge`: the agent is asked for one a last time. */
  silent: { times: count, nudge: bool },
  claims: { results: list(ClaimResult) },
  /** `run`: nobody answered in time; `text` says so. */
  answer: { question: text, text, by: optional(words('person', 'run')) },
  /** Reviewers want changes. Holds all rounds so far, newest last. */
  review: { rounds: list(ReviewRound) },
  rejected: { reason: text },
  /** The tests that were written first fail as they should: now the agent makes them pass. */
  'tests-red': { tests: names, files: names },
  /** The agent is done, but messages from people arrived that no prompt has contained yet. */
  messages: {},
  /** A person worked in the worktree. `before` is the reason of the interrupted turn. */
  attached: { before: optional(reasonBefore) },
  /** The provider refused or failed the last turn. `before` is the reason that turn had. */
  paused: { failure: Failure, before: optional(reasonBefore) },
});
export type TurnReason = Of<typeof TurnReason>;

const ofWork = { commit: text, tree: text };

const callableStates = {
  prepared: { slot: count },
  /** `tries` counts calls of the next reviewer in this round, `failed` those without a usable answer. */
  unreviewed: { ...ofWork, tries: count, failed: count },
  /** A variant that has passed everything before the merge queue, and waits for the choice. */
  finished: { ...ofWork, since: time },
};
/** States in which a one-shot call can start: before the first turn, and when the work waits for review or choice. */
const CallableState = closedUnion('id', callableStates);

const plainStates = {
  ...callableStates,
  preparing: { slot: count },
  working: {
    slot: count,
    turn: count,
    since: time,
    /** Absent for the first turn. */
    turnReason: optional(TurnReason),
    /** End signal that the agent sent with `ym agent …` so far. */
    signal: optional(EndSignal),
    /** A person waits for the end of the turn to work in the worktree (`ym attach`), or has withdrawn that. */
    hold: optional(object({ by: Owner, withdrawn: bool })),
  },
  capturing: { slot: count, tail: text, failed: optional(names) },
  /**
   * The branch waits for its own gate, or is in it: `gate` is present while it holds a gate slot. `again` counts gate
   * runs that could not be carried out; each try has its own output files.
   */
  gating: {
    /** Absent if a person approved the work before. */
    slot: optional(count),
    ...ofWork,
    since: time,
    gate: optional(object({ slot: count, since: time })),
    again: count,
  },
  /** Waits for a person's approval; `failure` says why approval is needed. */
  awaiting: { ...ofWork, since: time, failure: Failure },
  queued: {
    ...ofWork,
    since: time,
    /** Id of a candidate it conflicts with; it stays queued until that candidate lands or is dropped. */
    behind: optional(text),
    shared: optional(SharedRed),
    heldBack: optional(HeldBack),
  },
  landing: {
    ...ofWork,
    since: time,
    candidate: text,
    shared: optional(SharedRed),
    heldBack: optional(HeldBack),
    /** Its run has ended: the green candidate lands once the run is resumed. */
    stopped: optional(words(true)),
  },
  /**
   * The work failed the gate or conflicts. `on` is the target commit below the failed tree, and the time of that
   * verdict; it is absent if no such tree was judged.
   */
  returned: { failure: Failure, on: optional(object({ commit: text, at: time })) },
  /** The conversation continues when a slot is free, not before `until`. */
  'between-turns': { turnReason: TurnReason, until: optional(time) },
  asking: { question: text, since: time },
  /**
   * A person works in the worktree; `by` is their process. `before` is the reason of the turn that was interrupted for
   * it.
   */
  held: { slot: optional(count), since: time, by: Owner, before: optional(TurnReason) },
  'giving-up': { slot: optional(count), failure: Failure },
  /** `commit` is the target's new commit, `work` the agent's own commit. */
  landed: { commit: text, work: optional(text) },
  /** The attempt of a `plan` task: it changed no files and filed these tasks. */
  planned: { filed: names },
  failed: { failure: Failure, at: optional(time), kept: optional(text), left: optional(text) },
};

/** State without a running one-shot call. */
export type PlainState = UnionOf<'id', typeof plainStates>;

const callingState = {
  slot: count,
  since: time,
  call: Call,
  from: CallableState,
  model: optional(text),
  reasoning: optional(text),
};
/** A one-shot call runs. `from` is the state in which it started; the answer decides which state follows. */
export type CallingState = UnionOf<'id', { readonly calling: typeof callingState }>;

/**
 * State of an attempt: one try at one task, with one worktree, one branch and one agent conversation.
 *
 *   preparing → prepared → working → capturing → gating → queued → landing → landed
 *
 * Other transitions:
 *
 *   prepared   ⇄ calling                          an agent reviews or rewrites the task text first
 *   working    → between-turns → working          the conversation continues with another turn
 *   working    → asking → working                 the agent asked a question, a person answered
 *   working    → held → between-turns             a person works in the worktree (`ym attach`)
 *   capturing  → planned                          a task of type `plan` filed tasks and changed nothing
 *   gating     → unreviewed ⇄ calling → queued    reviewers are configured and approve
 *   gating, calling → finished ⇄ calling          a variant waits for the choice, which an agent may make
 *   finished   → queued                           the variant was chosen
 *   calling    → between-turns                    reviewers want changes
 *   calling    → awaiting → queued                a person has to approve, and does
 *   awaiting   → between-turns                    a person rejects the work
 *   landing    → queued                           the candidate was dropped, the branch queues again
 *   gating     → between-turns                    tests that were written first fail as they should
 *   awaiting   → gating                           a person approved such tests before the gate ran
 *   capturing, gating, queued, landing → returned → working
 *                                                 broken rule, failed gate or conflict: back to the agent
 *   any live state → giving-up → failed           the work is saved; a retry is a new attempt
 *
 * States with a `slot` hold one of the run's job slots; in all others the slot is free for other tasks.
 */
export const AttemptState = closedUnion('id', { ...plainStates, calling: callingState });
export type AttemptState = Of<typeof AttemptState>;

/** The newest work of an attempt, in a commit. */
export const Captured = object({
  ...ofWork,
  /** Absent if a person handed the work in. */
  changes: optional(Changes),
  /** Target commit that it contains; absent if it is the first base. */
  base: optional(text),
  /** The task whose conflicting work is contained in it. */
  resolves: optional(text),
  /** True once its own gate has judged it. */
  judged: bool,
  /** Queued work of these tasks conflicts with it. */
  clashes: names,
});

/** The agent's conversation, over all turns. */
export const Conversation = object({
  turns: count,
  /** Model and reasoning effort of the newest turn, if they are not the agent's own. */
  model: optional(text),
  reasoning: optional(text),
  /** Reported by the agent, with the usage so far. Absent until it is known and after the agent lost it. */
  session: optional(object({ id: text, usage: optional(Usage) })),
  /** End of the newest turn that has ended. */
  endedAt: optional(time),
  /** Consecutive turns that ended without an end signal. */
  silent: count,
  /** Consecutive turns that a provider error cut short. */
  providerErrors: count,
  /** Turns that ended with claims and were answered. */
  claimRounds: count,
  /** True if the agent was told that its work is in files that are never committed. */
  leftOutTold: optional(bool),
});
export type Conversation = Of<typeof Conversation>;

/** Results about the work of an attempt after it was captured. */
export const Returns = object({
  /** Turns that started because the work was returned. */
  count,
  /** Failed gates of the work, on the branch and in candidates. */
  reds: count,
  /** True after the work broke a rule once: the agent gets one chance to fix it, then a person decides. */
  brokeRules: bool,
  /** Reason why the work was last returned; absent once reviewers or a person have seen it since. */
  because: optional(Failure),
  /** Result of the last merge of the target into returned work. */
  merged: optional(MergedTarget),
});
export type Returns = Of<typeof Returns>;

export const Attempt = object({
  run: text,
  /** Counts the attempts of the task over all runs, from 1. Never reused. */
  number: ordinal,
  /** Grows with every claim of the task; a write with an older fence is refused. */
  fence: count,
  /** Agent profile of the newest turn. */
  agent: text,
  branch: text,
  /** The worker that holds its worktree; absent if the process that drives the run does. */
  worker: optional(text),
  /** Worker that had an internal error in an earlier attempt of the run at the task. */
  brokeWorker: optional(text),
  startedAt: time,
  /**
   * Present once it is set up. `base` is the target commit that it was created at; `stacked`: with delivered work that
   * is not merged yet.
   */
  worktree: optional(
    object({ ...worktree, base: text, stacked: optional(bool), readyAt: optional(time) }),
  ),
  conversation: Conversation,
  captured: optional(Captured),
  returns: Returns,
  reviews: list(ReviewRound),
  critique: Critique,
  /** Absent if its task does not pass the stage `tests`. */
  testsFirst: optional(TestsFirst),
  approved: optional(text),
  /** Changes outside its worktree while its agent worked. */
  tampering: list(Tampering),
  /** The given-up attempt that this one starts over from. */
  previous: optional(PreviousAttempt),
  /** Commit that a person handed in; such an attempt needs no agent. */
  handedIn: optional(text),
  /** Further tasks claimed by the agent: they land with this attempt, or are open again if it is given up. */
  coClaims: names,
  state: AttemptState,
});
export type Attempt = Of<typeof Attempt>;

const nothingHappened = {
  conversation: { turns: 0, silent: 0, providerErrors: 0, claimRounds: 0 },
  returns: { count: 0, reds: 0, brokeRules: false },
  reviews: [],
  critique: { rounds: [], settled: false, failed: 0, tries: 0 },
  tampering: [],
  coClaims: [],
};

type Begun = 'run' | 'number' | 'fence' | 'agent' | 'branch' | 'startedAt' | 'state';

/** An attempt in which nothing has happened yet. */
export function newAttempt(of: Pick<Attempt, Begun>): Attempt {
  return { ...nothingHappened, ...of };
}
