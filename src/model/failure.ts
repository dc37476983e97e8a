import { BehindCause } from './behind-cause.ts';
import { CycleEdge } from './cycle-edge.ts';
import { Evidence } from './evidence.ts';
import { Finding } from './finding.ts';
import {
  bool,
  count,
  int,
  later,
  list,
  map,
  names,
  number,
  type Of,
  object,
  optional,
  read,
  repaired,
  type Shape,
  text,
  time,
  type UnionOf,
  union,
  words,
} from './shape.ts';
import { Tampering, Violation } from './violation.ts';

const ofProvider = {
  agent: text,
  /** Error text of the agent or its provider, shortened, without secrets. */
  message: text,
  status: optional(int),
};

/**
 * The provider of an agent, or the agent program, ended a turn. Classified by the agent's structured output; free
 * text counts only if there is none.
 */
const providerFailures = {
  /** Not signed in, invalid key, or account not allowed. */
  'provider-auth': { ...ofProvider, variable: optional(text) },
  'provider-billing': ofProvider,
  /** Too many requests. */
  'provider-rate-limit': { ...ofProvider, retryAfterMs: optional(number) },
  /** The account's quota is used up, until `resetAt` if known (milliseconds since 1970). */
  'quota-exhausted': { ...ofProvider, resetAt: optional(number) },
  'provider-server': ofProvider,
  'provider-unreachable': ofProvider,
  'model-unknown': { ...ofProvider, model: optional(text) },
  'provider-refused': ofProvider,
  'context-overflow': ofProvider,
  /** The agent needed tools that it may not use. */
  'permission-denied': { ...ofProvider, tools: names },
  /** A limit of the agent program, such as its number of steps. */
  'agent-limit': { ...ofProvider, limit: text },
  'session-lost': { ...ofProvider, session: text },
  /** The output stream ended without a valid result. */
  'stream-broken': ofProvider,
  /** The agent reported an error of unknown class. */
  'agent-error': ofProvider,
};

/** Work on another machine fails, or is out of reach. */
const workerFailures = {
  /** The worker that holds the worktree was lost, has ended, takes nothing new, or gets nothing more from the run. */
  'worker-gone': { worker: text, host: text, how: words('draining', 'ended', 'lost', 'refused') },
  /**
   * The machine that drove the run before has the work, and this one has not: its commit, or, without `commit`, its
   * worktree.
   */
  'work-missing': { branch: text, commit: optional(text) },
  /** Work that is about to land could not be pushed to the shared repository. `detail` is what git printed. */
  'share-failed': { detail: text },
  /** The shared repository has not taken such work for so long; the push goes on. */
  'share-slow': { ms: time },
  /**
   * A worker judges by another gate than the run, answered something that the run did not ask for, lacks something
   * that the run needs, or had an internal error, whose stack trace is in `detail`. After a `gate-error` the run keeps it
   * until another machine has judged the same candidate.
   */
  'worker-unfit': {
    worker: text,
    problem: words('gate', 'answer', 'set-up', 'error', 'gate-error'),
    detail: text,
  },
  /** Two workers had an internal error with the same task. `detail` is the stack trace of the second one. */
  'workers-failed': { workers: names, detail: text },
};

/** The store is in the way. `file` is its file, or its address without secrets. */
const storeFailures = {
  'store-corrupt': { file: text, detail: text },
  /** The file is gone, but copies of it exist. */
  'store-missing': { file: text },
  'store-newer': { file: text, found: count, known: count },
  'store-busy': { file: text, waitedMs: number },
  'store-failed': { file: text, detail: text },
  /** The server of a store does not do its part. `unfit` is a server that cannot hold a store, `foreign` the store of another repository. */
  'store-unavailable': {
    store: text,
    problem: words('unreachable', 'login', 'no-database', 'no-permission', 'unfit', 'foreign'),
    detail: text,
  },
  /** The records were moved; what is left here is a copy. */
  'store-moved': { file: text, to: text },
  /** This clone lacks a commit of an attempt: the records are shared, and the last of its runs was elsewhere. */
  'commit-elsewhere': { task: text, attempt: count, commit: text, run: text },
};

/** A failure within a failure. Its type is a property of a type literal, which the compiler resolves last. */
const nested: Shape & { readonly type?: Failure } = later(() => Failure);

/** Invalid command line, config file or task source. */
const usageFailures = {
  usage: { problem: text, remedy: text },
  'config-invalid': { file: text, line: optional(int), problem: text, remedy: text },
  'source-invalid': { file: text, line: optional(int), problem: text, remedy: text },
  'unknown-task': { task: text, nearest: optional(text) },
  'unknown-run': { run: text, nearest: optional(text) },
  'task-busy': { task: text, state: text, wanted: text },
  'no-gate': { searched: names },
  'gate-unusable': { command: text, cause: text },
  'agent-missing': { agent: text, binary: text, cause: optional(text) },
  'agent-unknown': {
    agent: text,
    known: names,
    /** Task that names the agent, if one does. */
    task: optional(text),
  },
  /** An untested agent version, whose output format may differ. */
  'agent-version': { agent: text, found: text, supported: text },
  /** An `ym agent` call without a valid token, or after its attempt ended. */
  'call-refused': { problem: text },
  /** A cost budget needs a price for every agent. */
  'price-unknown': { agent: text, model: optional(text) },
  'nothing-to-resume': {},
  /** The target of this clone lacks the landings of these tasks. */
  'target-behind': { target: text, tasks: names, because: BehindCause },
  'nothing-to-do': {},
};
export type UsageFailure = UnionOf<'kind', typeof usageFailures>;

const graphFailures = {
  'duplicate-task': { task: text, times: count, sources: optional(names) },
  /** `key` is that of the task which names the missing one. */
  'missing-dependency': {
    task: text,
    missing: text,
    key: words('after', 'parent'),
    nearest: optional(text),
  },
  'self-dependency': { task: text },
  /** `edges` are all dependencies between members. `source` is the file that states a declared one, if known. */
  cycle: { members: names, edges: list(CycleEdge) },
};
export type GraphFailure = UnionOf<'kind', typeof graphFailures>;

/** The repository is not ready for a run. */
const repositoryFailures = {
  'git-missing': { cause: text },
  'git-too-old': { found: text, needed: text },
  /** `missing`: there is no such folder. */
  'not-a-repository': { dir: text, missing: optional(words(true)) },
  'bare-repository': { dir: text },
  'no-commits': { dir: text },
  'detached-head': { commit: text },
  'target-missing': { branch: text, nearest: optional(text) },
  'shallow-repository': { dir: text },
  'operation-in-progress': { operation: text, dir: text },
  'no-identity': { missing: text },
  'branch-exists': { branch: text, run: text },
};
export type RepositoryFailure = UnionOf<'kind', typeof repositoryFailures>;

/** Git, the store, the disk or another run is in the way. */
const environmentFailures = {
  'git-failed': { args: names, exit: int, stderr: text },
  /** Something around the program is missing: its output, its folder, a home. Both texts are sentences. */
  'surroundings-broken': { problem: text, remedy: text },
  'state-unwritable': { dir: text, cause: text },
  /** The config asks for a sandbox by name, and this machine has none. */
  'sandbox-missing': { wanted: text, cause: text, advice: text },
  /** A disk that a run writes to is nearly full. */
  'no-space': { dir: text, unit: words('bytes', 'files'), free: number, needed: number },
  ...storeFailures,
  /** The state folder was deleted during a run. `branches` hold the work that was saved. */
  'records-deleted': {
    dir: text,
    how: words('deleted', 'replaced', 'damaged'),
    branches: names,
  },
  'run-alive': { run: text, pid: count, host: text },
  /** The run writes to the store that is to be moved or restored. */
  'run-writes': { run: text, pid: count, host: text },
  /** Another process is about to start or resume a run, or cleans up after one. It drives no run on record. */
  'run-starting': { pid: count, host: text },
  /** Another process found the lease of this one expired and drives the run now. */
  'run-taken-over': { run: text, pid: count, host: text },
  /** Another run claimed the task first, or the task is no longer open. */
  'claim-lost': { task: text, owner: text },
  fenced: { task: text, owner: text },
};
export type EnvironmentFailure = UnionOf<'kind', typeof environmentFailures>;

/** Subject of a gate run: an attempt's branch, a candidate, or the target. */
export const GateSubject = words('branch', 'candidate', 'target');
export type GateSubject = Of<typeof GateSubject>;

/**
 * Reason why the gate runs on the target: before the first agent starts, before an agent is blamed for failed work, or
 * because the target was moved from outside.
 */
export const TargetCheckReason = words('preflight', 'blame', 'moved');
export type TargetCheckReason = Of<typeof TargetCheckReason>;

/** `linger`: still running long after its final message. `line`: one output line is too long. */
export const CrossedLimit = words('wall', 'idle', 'start', 'output', 'line', 'linger');
export type CrossedLimit = Of<typeof CrossedLimit>;

const attemptFailures = {
  'worktree-failed': { cause: text },
  'setup-failed': {
    /** `attempt` is the agent's worktree; the others are worktrees of the gate. */
    where: words('branch', 'candidate', 'target', 'attempt'),
    command: text,
    /** Negative if it did not exit by itself; `tail` then says how it ended. */
    exit: int,
    tail: text,
    /** Absolute path of the full output. */
    log: text,
  },
  /** A command of `run.before` failed on the target, so the run ends without starting agents. */
  'run-refused': {
    command: text,
    /** Negative if it did not exit by itself. */
    exit: int,
    /** Limit that the command exceeded, if any. */
    limit: optional(object({ id: CrossedLimit, value: number })),
    tail: text,
    log: text,
  },
  /** A command of `worktree.finish` failed on what the agent left. */
  'finish-failed': { command: text, exit: int, tail: text, log: text },
  ...workerFailures,
  'agent-not-started': { binary: text, cause: text },
  'agent-exited': { exit: int, signal: optional(text), tail: text },
  'agent-gave-up': { message: text },
  'agent-lost': { turn: count },
  /** `failed`: failed tool calls of the turn, one line each. */
  'no-changes': {
    tail: text,
    failed: optional(names),
    /** Files that the agent made and that are never committed, and the archive that keeps them. */
    leftOut: optional(names),
    archive: optional(text),
    /** Those of them that the archive leaves out because of their size. */
    notKept: optional(names),
  },
  /** Files still contain git's conflict markers. */
  'conflict-markers': { files: names },
  /** Lines look like conflict markers although no merge was in progress. `places` are `file:line`. */
  'marker-lines': { places: names },
  /** Conflicted files without markers were left unresolved. */
  'conflict-unresolved': { files: names },
  /** The agent's changes could not be committed; they are still in `dir`. */
  'capture-failed': { cause: text, dir: text },
  /** Git repositories in the worktree `dir`: their files cannot be committed, and are still there. */
  'nested-repository': { dir: text, paths: names },
  'limit-crossed': {
    phase: words('agent', 'gate'),
    limit: CrossedLimit,
    /** Milliseconds; bytes for `output` and `line`. */
    value: number,
    tail: text,
    /** Absolute path of the full output of a gate. */
    log: optional(text),
  },
  'gate-red': {
    where: GateSubject,
    command: text,
    exit: int,
    evidence: Evidence,
    /** Failing tests that are known not to be flaky: they failed again when the command was rerun. */
    confirmed: optional(names),
    tail: text,
    /** Absolute path of the full output. */
    log: text,
  },
  /** The gate needs a program that is not installed. */
  'command-missing': {
    where: GateSubject,
    command: text,
    /** Missing program; empty if the output does not name it. */
    missing: text,
    log: text,
  },
  'gate-not-run': { where: GateSubject, cause: text },
  /** The gate passed but changed committed files. */
  'gate-changed-tree': { where: GateSubject, files: names },
  conflict: {
    files: names,
    target: text,
    branch: text,
    /** Commits of both sides, for resolving it; bounded. */
    branchLog: optional(text),
    targetLog: optional(text),
    /** Commits of the target that changed the files in conflict, newest first; bounded. */
    changedBy: optional(text),
    stat: optional(text),
  },
  'target-red': {
    commit: text,
    checked: TargetCheckReason,
    /** Limit that the gate exceeded, if any. */
    limit: optional(object({ id: CrossedLimit, value: number })),
    evidence: Evidence,
    tail: text,
    log: text,
  },
  /** Git cannot merge the branch and the target. */
  unmergeable: { branch: text, cause: text },
  'checkout-in-the-way': { dir: text, cause: text },
  /** Another process holds the index lock of the target's checkout. `isOurs`: to land work of this project. */
  'checkout-locked': { dir: text, file: text, ageMs: count, pid: optional(count), isOurs: bool },
  /** The work violates rules of the target. */
  'rules-broken': { violations: list(Violation) },
  /**
   * Tests that were written first do not fail as they should: the gate passed, failed without a failing test of theirs,
   * or `tests` elsewhere or a file that cannot be loaded fail too, or there are more failures than the evidence lists.
   * `last` is the failure of the gate.
   */
  'tests-not-red': {
    found: words('passed', 'no-test', 'other-tests', 'too-many'),
    tests: names,
    last: optional(nested),
  },
  /** Something outside the worktree changed while the agent worked. */
  tampered: { found: list(Tampering) },
  /** The reviewer's answer contains no valid verdict. */
  'review-failed': { reviewer: text, cause: text },
  /** The task text is still unclear after all critique rounds, or no critic gave a usable answer. */
  'critique-unsettled': { rounds: count, findings: list(Finding), last: optional(nested) },
  /** The target has no history in common with `from`, its earlier commit. */
  'target-unrelated': { from: text, to: text },
  /** `run` and `at` are those of the landing. */
  'landing-dropped': {
    commit: text,
    target: text,
    tip: text,
    run: text,
    at: time,
    behind: optional(words(true)),
  },
  /** An agent moved the target itself, to an untested commit. */
  'target-taken': { task: text, from: text, to: text },
  /** The repository lacks objects that the target needs; `object` is the first. */
  'objects-missing': { object: text },
  /** Finished work could not be delivered. */
  'delivery-failed': { how: text, cause: text },
  interrupted: { by: text },
  /** Turn after turn ended without an end signal, even after a reminder. */
  'agent-stuck': { turns: count },
  'claims-endless': { rounds: count },
};
export type AttemptFailure = UnionOf<'kind', typeof attemptFailures>;

export type ProviderFailure = UnionOf<'kind', typeof providerFailures>;

/** Reason why a task does not continue. */
const statusFailures = {
  'parent-stuck': { parent: text, state: text },
  'blocked-by-person': { reason: text },
  'canceled-by-person': { reason: text, removed: optional(words(true)) },
  'question-open': { question: text },
  /** The config blocks a task whose question nobody answered in this time. */
  'question-unanswered': { question: text, ms: count },
  /** Its agent gave up with `message`, and `agent` proposes changes of the plan (`+ id`, `~ id`, `- id`) in this event. */
  'revision-proposed': { message: text, agent: text, changes: names, event: count },
  /** The run stopped before the agent started; `last` is why the run stopped. */
  'run-stopped': { last: optional(nested) },
  /** The work is finished and needs a person's approval. */
  'approval-needed': {
    because: words(
      'rules',
      'tampering',
      'review-limit',
      'review-oscillates',
      'review-failed',
      'review-budget',
      'asked-for',
    ),
    rounds: optional(count),
    findings: optional(list(Finding)),
    violations: optional(list(Violation)),
    found: optional(list(Tampering)),
    last: optional(nested),
  },
  superseded: { by: text },
  'variants-failed': { variants: list(object({ id: text, failure: nested })) },
  'choice-needed': { variants: names },
  /** The agent changed nothing after its work was returned because of `last`. */
  'no-progress': { last: nested },
  'returned-too-often': { times: count, last: nested },
  'failed-too-often': { times: count, last: nested },
};
export type StatusFailure = UnionOf<'kind', typeof statusFailures>;

/**
 * Reason why something did not work, as a value. `report/explain` turns every member into what happened, why, and what to
 * do; a new member does not compile without its sentences.
 */
export const Failure = repaired(
  union('kind', {
    ...usageFailures,
    ...graphFailures,
    ...repositoryFailures,
    ...environmentFailures,
    ...attemptFailures,
    ...providerFailures,
    ...statusFailures,
    'probe-failed': { agent: text, model: optional(text), last: nested },
    /** Trouble that was thrown with its sentences. `code` is for programs. */
    trouble: {
      code: text,
      whose: words('task', 'service', 'machine', 'user'),
      what: text,
      why: optional(text),
      do: text,
      data: optional(map(text)),
    },
    internal: { message: text, stack: optional(text) },
    /** Stands for a stored value that should be a failure and is not. */
    other: { message: text },
  }),
  otherFrom,
);
export type Failure = Of<typeof Failure>;

export type Result<T, F = Failure> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly failure: F };

export const ok = <T>(value: T): Result<T, never> => ({ ok: true, value });
export const fail = <F>(failure: F): Result<never, F> => ({ ok: false, failure });

/** A call that cannot be carried out as typed: what is wrong with it, and what to do instead. */
export const usage = (problem: string, remedy: string): Result<never> =>
  fail({ kind: 'usage', problem, remedy });

/** Makes the compiler reject a switch that does not cover every member. */
export function unreachable(value: never): never {
  throw new Error(`Not handled: ${JSON.stringify(value)}`);
}

/** Reads a stored failure. Anything that is not one becomes `other`, so that bad data never stops a reader. */
export function failureFrom(stored: unknown): Failure {
  return read(Failure, stored) as Failure;
}

function otherFrom(stored: unknown): { readonly kind: 'other'; readonly message: string } {
  const none = stored === null || stored === undefined || stored === '';
  if (none) return { kind: 'other', message: 'no reason was recorded' };
  return { kind: 'other', message: typeof stored === 'string' ? stored : JSON.stringify(stored) };
}

/** Failure to write in a folder of Yardmaster. */
export function unwritable(dir: string, error: unknown): Failure {
  const cause = error instanceof Error ? error.message : String(error);
  return { kind: 'state-unwritable', dir, cause };
}
