import type { Evidence } from './evidence.ts';
import type { Finding } from './finding.ts';

import type { Tampering, Violation } from './violation.ts';

/**
 * Why something did not work, as a value. `report/explain` turns every member into what happened, why, and what to
 * do; a new member does not compile without its sentences.
 */
export type Failure =
  | UsageFailure
  | GraphFailure
  | RepositoryFailure
  | EnvironmentFailure
  | AttemptFailure
  | ProviderFailure
  | StatusFailure
  | { readonly kind: 'internal'; readonly message: string; readonly stack?: string }
  /** Stands for a stored value that should be a failure and is not. */
  | { readonly kind: 'other'; readonly message: string };

/** Invalid command line, config file or task source. */
export type UsageFailure =
  | { readonly kind: 'usage'; readonly problem: string; readonly remedy: string }
  | {
      readonly kind: 'config-invalid';
      readonly file: string;
      readonly line?: number;
      readonly problem: string;
      readonly remedy: string;
    }
  | {
      readonly kind: 'source-invalid';
      readonly file: string;
      readonly line?: number;
      readonly problem: string;
      readonly remedy: string;
    }
  | { readonly kind: 'unknown-task'; readonly task: string; readonly nearest?: string }
  | { readonly kind: 'unknown-run'; readonly run: string; readonly nearest?: string }
  | {
      readonly kind: 'task-busy';
      readonly task: string;
      readonly state: string;
      readonly wanted: string;
    }
  | { readonly kind: 'no-gate'; readonly searched: readonly string[] }
  | { readonly kind: 'gate-unusable'; readonly command: string; readonly cause: string }
  | {
      readonly kind: 'agent-missing';
      readonly agent: string;
      readonly binary: string;
      readonly cause?: string;
    }
  | {
      readonly kind: 'agent-unknown';
      readonly agent: string;
      readonly known: readonly string[];
      /** Task that names the agent, if one does. */
      readonly task?: string;
    }
  /** An untested agent version, whose output format may differ. */
  | {
      readonly kind: 'agent-version';
      readonly agent: string;
      readonly found: string;
      readonly supported: string;
    }
  /** An `ym agent` call without a valid token, or after its attempt ended. */
  | { readonly kind: 'call-refused'; readonly problem: string }
  /** A cost budget needs a price for every agent. */
  | { readonly kind: 'price-unknown'; readonly agent: string; readonly model?: string }
  | { readonly kind: 'nothing-to-resume' }
  | { readonly kind: 'nothing-to-do' };

/** The task graph is invalid. */
export type GraphFailure =
  | { readonly kind: 'duplicate-task'; readonly task: string; readonly times: number }
  | {
      readonly kind: 'missing-dependency';
      readonly task: string;
      readonly missing: string;
      readonly nearest?: string;
    }
  | { readonly kind: 'self-dependency'; readonly task: string }
  | { readonly kind: 'cycle'; readonly members: readonly string[] };

/** The repository is not ready for a run. */
export type RepositoryFailure =
  | { readonly kind: 'git-missing'; readonly cause: string }
  | { readonly kind: 'git-too-old'; readonly found: string; readonly needed: string }
  | { readonly kind: 'not-a-repository'; readonly dir: string }
  | { readonly kind: 'bare-repository'; readonly dir: string }
  | { readonly kind: 'no-commits'; readonly dir: string }
  | { readonly kind: 'detached-head'; readonly commit: string }
  | { readonly kind: 'target-missing'; readonly branch: string; readonly nearest?: string }
  | { readonly kind: 'shallow-repository'; readonly dir: string }
  | { readonly kind: 'operation-in-progress'; readonly operation: string; readonly dir: string }
  | { readonly kind: 'no-identity'; readonly missing: string }
  | { readonly kind: 'branch-exists'; readonly branch: string; readonly run: string };

/** Git, the store, the disk or another run is in the way. */
export type EnvironmentFailure =
  | {
      readonly kind: 'git-failed';
      readonly args: readonly string[];
      readonly exit: number;
      readonly stderr: string;
    }
  | { readonly kind: 'state-unwritable'; readonly dir: string; readonly cause: string }
  | { readonly kind: 'store-corrupt'; readonly file: string; readonly detail: string }
  | {
      readonly kind: 'store-newer';
      readonly file: string;
      readonly found: number;
      readonly known: number;
    }
  | { readonly kind: 'store-busy'; readonly file: string; readonly waitedMs: number }
  | { readonly kind: 'store-failed'; readonly file: string; readonly detail: string }
  /** The state folder was deleted during a run. `branches` hold the work that was saved. */
  | {
      readonly kind: 'records-deleted';
      readonly dir: string;
      readonly branches: readonly string[];
    }
  | {
      readonly kind: 'run-alive';
      readonly run: string;
      readonly pid: number;
      readonly host: string;
    }
  /** Another run claimed the task first, or the task is no longer open. */
  | { readonly kind: 'claim-lost'; readonly task: string; readonly owner: string }
  | { readonly kind: 'fenced'; readonly task: string; readonly owner: string };

/** What a gate ran on: an attempt's branch, a candidate, or the target. */
export type GateSubject = 'branch' | 'candidate' | 'target';

/**
 * Why the gate runs on the target: before the first agent starts, before an agent is blamed for failed work, or
 * because the target was moved from outside.
 */
export type TargetCheckReason = 'preflight' | 'blame' | 'moved';

/** An attempt or a candidate failed. */
export type AttemptFailure =
  | { readonly kind: 'worktree-failed'; readonly cause: string }
  | {
      readonly kind: 'setup-failed';
      /** `attempt` is the agent's worktree; the others are worktrees of the gate. */
      readonly where: GateSubject | 'attempt';
      readonly command: string;
      /** Negative if it did not exit by itself; `tail` then says how it ended. */
      readonly exit: number;
      readonly tail: string;
      /** Absolute path of the full output. */
      readonly log: string;
    }
  | { readonly kind: 'agent-not-started'; readonly binary: string; readonly cause: string }
  | {
      readonly kind: 'agent-exited';
      readonly exit: number;
      readonly signal?: string;
      readonly tail: string;
    }
  | { readonly kind: 'agent-gave-up'; readonly message: string }
  | { readonly kind: 'agent-lost'; readonly turn: number }
  /** `failed`: failed tool calls of the turn, one line each. */
  | { readonly kind: 'no-changes'; readonly tail: string; readonly failed?: readonly string[] }
  /** Files still contain git's conflict markers. */
  | { readonly kind: 'conflict-markers'; readonly files: readonly string[] }
  /** Lines look like conflict markers although no merge was in progress. `places` are `file:line`. */
  | { readonly kind: 'marker-lines'; readonly places: readonly string[] }
  /** Conflicted files without markers were left unresolved. */
  | { readonly kind: 'conflict-unresolved'; readonly files: readonly string[] }
  /** The agent's changes could not be committed; they are still in `dir`. */
  | { readonly kind: 'capture-failed'; readonly cause: string; readonly dir: string }
  | {
      readonly kind: 'limit-crossed';
      readonly phase: 'agent' | 'gate';
      readonly limit: CrossedLimit;
      /** Milliseconds; bytes for `output` and `line`. */
      readonly value: number;
      readonly tail: string;
      /** Absolute path of the full output of a gate. */
      readonly log?: string;
    }
  | {
      readonly kind: 'gate-red';
      readonly where: GateSubject;
      readonly command: string;
      readonly exit: number;
      readonly evidence: Evidence;
      readonly tail: string;
      /** Absolute path of the full output. */
      readonly log: string;
    }
  /** The gate needs a program that is not installed. */
  | {
      readonly kind: 'command-missing';
      readonly where: GateSubject;
      /** Gate command that needs it. */
      readonly command: string;
      /** Missing program; empty if the output does not name it. */
      readonly missing: string;
      readonly log: string;
    }
  | {
      readonly kind: 'gate-not-run';
      readonly where: GateSubject;
      readonly cause: string;
    }
  /** The gate passed but changed committed files. */
  | {
      readonly kind: 'gate-changed-tree';
      readonly where: GateSubject;
      readonly files: readonly string[];
    }
  | {
      readonly kind: 'conflict';
      readonly files: readonly string[];
      readonly target: string;
      readonly branch: string;
      /** Commits of both sides, for resolving it; bounded. */
      readonly branchLog?: string;
      readonly targetLog?: string;
      readonly stat?: string;
    }
  | {
      readonly kind: 'target-red';
      readonly commit: string;
      readonly checked: TargetCheckReason;
      /** Limit that the gate exceeded, if any. */
      readonly limit?: { readonly id: CrossedLimit; readonly value: number };
      readonly evidence: Evidence;
      readonly tail: string;
      readonly log: string;
    }
  /** Git cannot merge the branch and the target. */
  | { readonly kind: 'unmergeable'; readonly branch: string; readonly cause: string }
  | { readonly kind: 'checkout-in-the-way'; readonly dir: string; readonly cause: string }
  /** The work violates rules of the target. */
  | { readonly kind: 'rules-broken'; readonly violations: readonly Violation[] }
  /** Something outside the worktree changed while the agent worked. */
  | { readonly kind: 'tampered'; readonly found: readonly Tampering[] }
  /** The reviewer's answer contains no valid verdict. */
  | { readonly kind: 'review-failed'; readonly reviewer: string; readonly cause: string }
  /** The task text is still unclear after all critique rounds, or no critic gave a usable answer. */
  | {
      readonly kind: 'critique-unsettled';
      readonly rounds: number;
      readonly findings: readonly Finding[];
      readonly last?: Failure;
    }
  /** An agent moved the target itself, to an untested commit. */
  | {
      readonly kind: 'target-taken';
      readonly task: string;
      readonly from: string;
      readonly to: string;
    }
  /** Finished work could not be delivered. */
  | { readonly kind: 'delivery-failed'; readonly how: string; readonly cause: string }
  | { readonly kind: 'interrupted'; readonly by: string }
  /** Turn after turn ended without an end signal, even after a reminder. */
  | { readonly kind: 'agent-stuck'; readonly turns: number }
  | { readonly kind: 'claims-endless'; readonly rounds: number };

/** `linger`: still running long after its final message. `line`: one output line is too long. */
export type CrossedLimit = 'wall' | 'idle' | 'start' | 'output' | 'line' | 'linger';

interface OfProvider {
  /** Agent profile. */
  readonly agent: string;
  /** Error text of the agent or its provider, shortened, without secrets. */
  readonly message: string;
  /** HTTP status, if reported. */
  readonly status?: number;
}

/**
 * The provider of an agent, or the agent program, ended a turn. Classified by the agent's structured output; free
 * text counts only if there is none.
 */
export type ProviderFailure =
  /** Not signed in, invalid key, or account not allowed. */
  | (OfProvider & { readonly kind: 'provider-auth'; readonly variable?: string })
  /** Out of credit. */
  | (OfProvider & { readonly kind: 'provider-billing' })
  /** Too many requests. */
  | (OfProvider & { readonly kind: 'provider-rate-limit'; readonly retryAfterMs?: number })
  /** The account's quota is used up, until `resetAt` if known (milliseconds since 1970). */
  | (OfProvider & { readonly kind: 'quota-exhausted'; readonly resetAt?: number })
  /** Provider error or overload. */
  | (OfProvider & { readonly kind: 'provider-server' })
  | (OfProvider & { readonly kind: 'provider-unreachable' })
  | (OfProvider & { readonly kind: 'model-unknown'; readonly model?: string })
  /** The provider rejected the request. */
  | (OfProvider & { readonly kind: 'provider-refused' })
  | (OfProvider & { readonly kind: 'context-overflow' })
  /** The agent needed tools that it may not use. */
  | (OfProvider & { readonly kind: 'permission-denied'; readonly tools: readonly string[] })
  /** A limit of the agent program, such as its number of steps. */
  | (OfProvider & { readonly kind: 'agent-limit'; readonly limit: string })
  | (OfProvider & { readonly kind: 'session-lost'; readonly session: string })
  /** The output stream ended without a valid result. */
  | (OfProvider & { readonly kind: 'stream-broken' })
  /** The agent reported an error of unknown class. */
  | (OfProvider & { readonly kind: 'agent-error' });

/** Why a task does not continue. */
export type StatusFailure =
  | { readonly kind: 'parent-stuck'; readonly parent: string; readonly state: string }
  | { readonly kind: 'blocked-by-person'; readonly reason: string }
  | { readonly kind: 'cancelled-by-person'; readonly reason: string; readonly removed?: true }
  | { readonly kind: 'question-open'; readonly question: string }
  /** The run stopped before the agent started; `last` is why the run stopped. */
  | { readonly kind: 'run-stopped'; readonly last?: Failure }
  /** The work is finished and needs a person's approval. */
  | {
      readonly kind: 'approval-needed';
      readonly because:
        | 'rules'
        | 'tampering'
        | 'review-limit'
        | 'review-oscillates'
        | 'review-failed'
        | 'review-budget'
        | 'asked-for';
      readonly rounds?: number;
      readonly findings?: readonly Finding[];
      readonly violations?: readonly Violation[];
      readonly found?: readonly Tampering[];
      readonly last?: Failure;
    }
  /** The agent changed nothing after its work was returned because of `last`. */
  | { readonly kind: 'no-progress'; readonly last: Failure }
  | { readonly kind: 'returned-too-often'; readonly times: number; readonly last: Failure }
  | { readonly kind: 'failed-too-often'; readonly times: number; readonly last: Failure };

export type Result<T, F = Failure> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly failure: F };

export const ok = <T>(value: T): Result<T, never> => ({ ok: true, value });
export const fail = <F>(failure: F): Result<never, F> => ({ ok: false, failure });

/** A call that cannot be carried out as typed: what is wrong with it, and what to do instead. */
export const usage = (problem: string, remedy: string): Result<never> =>
  fail({ kind: 'usage', problem, remedy });

/**
 * Signal with which something outside killed the agent: the kernel out of memory, a person, a service manager. A
 * shell reports it as exit status 128 plus the signal number.
 */
export function killSignalOf({
  exit,
  signal,
}: {
  readonly exit: number;
  readonly signal?: string;
}): 'SIGKILL' | 'SIGTERM' | undefined {
  if (signal === 'SIGKILL' || signal === 'SIGTERM') return signal;
  if (signal !== undefined) return undefined;
  return exit === 137 ? 'SIGKILL' : exit === 143 ? 'SIGTERM' : undefined;
}

/** Makes the compiler reject a switch that does not cover every member. */
export function unreachable(value: never): never {
  throw new Error(`Not handled: ${JSON.stringify(value)}`);
}

/** Reads a stored failure. Anything that is not one becomes `other`, so that bad data never stops a reader. */
export function failureFrom(stored: unknown): Failure {
  if (typeof stored === 'object' && stored !== null && 'kind' in stored) {
    if (typeof stored.kind === 'string') return stored as Failure;
  }
  if (typeof stored === 'string' && stored !== '') return { kind: 'other', message: stored };
  if (stored === null || stored === undefined || stored === '') {
    return { kind: 'other', message: 'no reason was recorded' };
  }
  return { kind: 'other', message: JSON.stringify(stored) };
}

/** Wraps an unexpected exception. It is always a bug in Yardmaster. */
export function internal(error: unknown): Failure {
  if (error instanceof Error) {
    return error.stack === undefined
      ? { kind: 'internal', message: error.message }
      : { kind: 'internal', message: error.message, stack: error.stack };
  }
  return { kind: 'internal', message: String(error) };
}
