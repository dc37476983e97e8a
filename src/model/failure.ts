import type { Evidence } from './evidence.ts';
import type { Finding } from './review.ts';
import type { TargetCheckReason } from './run.ts';
import type { Tampering, Violation } from './violation.ts';

/**
 * Why something did not work, as a value. The union is closed: `report/explain/explain.ts` turns every member into what
 * happened, why, and what to do, and the compiler names that switch when a member is added.
 *
 * Stored failures are a contract: names and fields may be added, never changed.
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
  /** What an older or foreign store held where a failure was expected. */
  | { readonly kind: 'other'; readonly message: string };

/** The command, a config file or a task source says something that cannot be meant. */
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
      /** The task that names it, where it is one. */
      readonly task?: string;
    }
  /** A version of the agent that was never tried; what its stream means may have changed. */
  | {
      readonly kind: 'agent-version';
      readonly agent: string;
      readonly found: string;
      readonly supported: string;
    }
  /** A call of an agent whose attempt is over, or of somebody who is none. */
  | { readonly kind: 'call-refused'; readonly problem: string }
  /** A cost budget over agents whose cost nobody knows. */
  | { readonly kind: 'price-unknown'; readonly agent: string; readonly model?: string }
  | { readonly kind: 'nothing-to-resume' }
  | { readonly kind: 'nothing-to-do' };

/** The tasks do not form a graph that can be worked on. Every member is named. */
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

/** The repository is not in a state in which a run may start. */
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
  /** The folder of the records was deleted while a run was at work. `branches` hold the work that was saved. */
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
  /** A run that no process drives any more still holds tasks. */
  | { readonly kind: 'claim-lost'; readonly task: string; readonly owner: string }
  | { readonly kind: 'fenced'; readonly task: string; readonly owner: string };

/** What a gate was run on: an attempt's own branch, what would land, or the target as it is. */
export type GateSubject = 'branch' | 'candidate' | 'target';

/** One try at a task, or one ride on the train, did not work out. */
export type AttemptFailure =
  | { readonly kind: 'worktree-failed'; readonly cause: string }
  | {
      readonly kind: 'setup-failed';
      /** The tree that was set up: one that the gate judges, or `attempt`, the worktree of an agent. */
      readonly where: GateSubject | 'attempt';
      readonly command: string;
      /** Less than 0 if it did not exit by itself; `tail` then says how it ended. */
      readonly exit: number;
      readonly tail: string;
      /** Absolute path of the file with the whole output. */
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
  /** `failed`: tool calls of the turn that failed, one line each. */
  | { readonly kind: 'no-changes'; readonly tail: string; readonly failed?: readonly string[] }
  /** Files of the work still have the conflict markers that git wrote into them. */
  | { readonly kind: 'conflict-markers'; readonly files: readonly string[] }
  /** Lines of the work look like conflict markers, and no merge was begun; `places` are `file:line`. */
  | { readonly kind: 'marker-lines'; readonly places: readonly string[] }
  /** Files in conflict that have no markers were left as git had left them. */
  | { readonly kind: 'conflict-unresolved'; readonly files: readonly string[] }
  /** What the agent left could not be made a commit; it is still in `dir`. */
  | { readonly kind: 'capture-failed'; readonly cause: string; readonly dir: string }
  | {
      readonly kind: 'limit-crossed';
      readonly phase: 'agent' | 'gate';
      readonly limit: CrossedLimit;
      /** Milliseconds, or bytes for the limits of output and of one line. */
      readonly value: number;
      readonly tail: string;
      /** Absolute path of the file with the whole output, of a gate. */
      readonly log?: string;
    }
  | {
      readonly kind: 'gate-red';
      readonly where: GateSubject;
      readonly command: string;
      readonly exit: number;
      readonly evidence: Evidence;
      /** The last bytes of the output. */
      readonly tail: string;
      /** Absolute path of the file with the whole output. */
      readonly log: string;
    }
  /** The gate ran a command that is not there, so it cannot judge here. */
  | {
      readonly kind: 'command-missing';
      readonly where: GateSubject;
      /** Of the gate. */
      readonly command: string;
      /** What the shell could not find; empty where its output does not say. */
      readonly missing: string;
      readonly log: string;
    }
  | {
      readonly kind: 'gate-not-run';
      readonly where: GateSubject;
      readonly cause: string;
    }
  /** The gate was green, but committed files were not as committed when it had ended. */
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
      /** What both sides did, for whoever resolves it; bounded. */
      readonly branchLog?: string;
      readonly targetLog?: string;
      readonly stat?: string;
    }
  | {
      readonly kind: 'target-red';
      readonly commit: string;
      /** Why the gate was run on the target. */
      readonly checked: TargetCheckReason;
      /** The limit that the gate crossed; absent where it ended by itself. */
      readonly limit?: { readonly id: CrossedLimit; readonly value: number };
      readonly evidence: Evidence;
      readonly tail: string;
      readonly log: string;
    }
  /** Git makes no merge of the branch and the target at all. */
  | { readonly kind: 'unmergeable'; readonly branch: string; readonly cause: string }
  | { readonly kind: 'checkout-in-the-way'; readonly dir: string; readonly cause: string }
  /** The work breaks rules of the target; see `model/violation.ts`. */
  | { readonly kind: 'rules-broken'; readonly violations: readonly Violation[] }
  /** Things outside of its worktree changed while the agent worked. */
  | { readonly kind: 'tampered'; readonly found: readonly Tampering[] }
  /** A reviewer did not come to a verdict that can be understood. */
  | { readonly kind: 'review-failed'; readonly reviewer: string; readonly cause: string }
  /** What the task asks for was still not clear after the rounds it may have, or nobody came to a verdict. */
  | {
      readonly kind: 'critique-unsettled';
      readonly rounds: number;
      readonly findings: readonly Finding[];
      readonly last?: Failure;
    }
  /** The agent of an attempt moved the target by itself, to something that nobody judged. */
  | {
      readonly kind: 'target-taken';
      readonly task: string;
      readonly from: string;
      readonly to: string;
    }
  /** Finished work could not be handed over. */
  | { readonly kind: 'delivery-failed'; readonly how: string; readonly cause: string }
  | { readonly kind: 'interrupted'; readonly by: string }
  /** It ended turn after turn without saying whether it is done, also when asked for it. */
  | { readonly kind: 'agent-stuck'; readonly turns: number }
  | { readonly kind: 'claims-endless'; readonly rounds: number };

/** `linger`: alive long after it had said its last word. `line`: one line of output longer than anybody reads. */
export type CrossedLimit = 'wall' | 'idle' | 'start' | 'output' | 'line' | 'linger';

interface OfProvider {
  /** Name of the profile. */
  readonly agent: string;
  /** In the words of the agent or its service, cut to a bounded length, without secrets. */
  readonly message: string;
  /** HTTP status, where one was reported. */
  readonly status?: number;
}

/**
 * The service behind an agent, or the agent program itself, ended a turn. Values come from the agent's own stream; text
 * is looked at only where it has no data.
 */
export type ProviderFailure =
  /** Not signed in, key refused, account not allowed. */
  | (OfProvider & { readonly kind: 'provider-auth'; readonly variable?: string })
  /** No credit. */
  | (OfProvider & { readonly kind: 'provider-billing' })
  /** Too many requests just now. */
  | (OfProvider & { readonly kind: 'provider-rate-limit'; readonly retryAfterMs?: number })
  /** The account's allowance is used up until a time, where one is known (milliseconds since 1970). */
  | (OfProvider & { readonly kind: 'quota-exhausted'; readonly resetAt?: number })
  /** The service failed or is overloaded. */
  | (OfProvider & { readonly kind: 'provider-server' })
  | (OfProvider & { readonly kind: 'provider-unreachable' })
  | (OfProvider & { readonly kind: 'model-unknown'; readonly model?: string })
  /** The service refused what the agent sent. */
  | (OfProvider & { readonly kind: 'provider-refused' })
  | (OfProvider & { readonly kind: 'context-overflow' })
  /** The agent was not allowed to use tools it needed. */
  | (OfProvider & { readonly kind: 'permission-denied'; readonly tools: readonly string[] })
  /** A limit of the agent's own, such as its number of steps. */
  | (OfProvider & { readonly kind: 'agent-limit'; readonly limit: string })
  | (OfProvider & { readonly kind: 'session-lost'; readonly session: string })
  /** The stream ended without a result, or with one that cannot be understood. */
  | (OfProvider & { readonly kind: 'stream-broken' })
  /** The agent reported an error of a class of its own. */
  | (OfProvider & { readonly kind: 'agent-error' });

/** A task stands still, and this is why. */
export type StatusFailure =
  | { readonly kind: 'parent-stuck'; readonly parent: string; readonly state: string }
  | { readonly kind: 'blocked-by-person'; readonly reason: string }
  | { readonly kind: 'cancelled-by-person'; readonly reason: string; readonly removed?: true }
  | { readonly kind: 'question-open'; readonly question: string }
  /** Its run stopped before its agent was started; `last` is what was in the way of the run. */
  | { readonly kind: 'run-stopped'; readonly last?: Failure }
  /** The work is there, and a person has to say whether it may land. */
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
  /** The agent changed nothing after its work had come back because of `last`. */
  | { readonly kind: 'no-progress'; readonly last: Failure }
  | { readonly kind: 'returned-too-often'; readonly times: number; readonly last: Failure }
  | { readonly kind: 'failed-too-often'; readonly times: number; readonly last: Failure };

export type Result<T, F = Failure> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly failure: F };

export const ok = <T>(value: T): Result<T, never> => ({ ok: true, value });
export const fail = <F>(failure: F): Result<never, F> => ({ ok: false, failure });

/**
 * The signal by which somebody outside ended an agent: the system when memory ran out, a person, a service manager. A
 * shell around the agent reports it as exit status 128 and the signal's number.
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

/** Puts the compiler on watch: a switch that reaches this has not named every member. */
export function unreachable(value: never): never {
  throw new Error(`Not handled: ${JSON.stringify(value)}`);
}

/** Reads back whatever a store holds where a failure belongs, so that old and foreign data never stop a reader. */
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

/** The unforeseen, kept with what is known about it. Anything that arrives here is a bug of ours. */
export function internal(error: unknown): Failure {
  if (error instanceof Error) {
    return error.stack === undefined
      ? { kind: 'internal', message: error.message }
      : { kind: 'internal', message: error.message, stack: error.stack };
  }
  return { kind: 'internal', message: String(error) };
}
