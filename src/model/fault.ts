import type { Failure } from './failure.ts';
import { machineCauseOf } from './machine-cause.ts';

/**
 * Whose trouble a failure is, and how it is handled. Only a failure of the task counts toward its quarantine. Trouble
 * of the machine costs no start and ends no attempt.
 *
 *   task     evidence      the work returns to its agent
 *            error         a fresh attempt
 *            final         no retry: another try would fail the same way
 *   service  pause         the account is paused for a while; then the conversation continues
 *            hold          the account is paused until a person fixes it
 *            hiccup        the turn is repeated a little later
 *            renew         the turn is repeated in a new conversation
 *            final         no retry
 *   machine  retry         the step pauses and is tried again, less and less often; see `plan/paused-steps.ts`
 *            interruption  the attempt ends without a cost
 *   user     interruption  a person or a stop caused it; the attempt ends without a cost
 *            error         a fresh attempt, at no cost
 *            final         no retry until a person changes the config
 */
export type Fault =
  | { readonly whose: 'task'; readonly trouble: 'evidence' | 'error' | 'final' }
  | { readonly whose: 'service'; readonly trouble: 'pause' | 'hold' | 'hiccup' | 'renew' | 'final' }
  | { readonly whose: 'machine'; readonly trouble: 'retry' | 'interruption' }
  | { readonly whose: 'user'; readonly trouble: 'interruption' | 'error' | 'final' };

const evidence: Fault = { whose: 'task', trouble: 'evidence' };
const error: Fault = { whose: 'task', trouble: 'error' };
const final: Fault = { whose: 'task', trouble: 'final' };
const pause: Fault = { whose: 'service', trouble: 'pause' };
const hold: Fault = { whose: 'service', trouble: 'hold' };
const hiccup: Fault = { whose: 'service', trouble: 'hiccup' };
const renew: Fault = { whose: 'service', trouble: 'renew' };
const refusal: Fault = { whose: 'service', trouble: 'final' };
const machine: Fault = { whose: 'machine', trouble: 'retry' };
const setup: Fault = { whose: 'machine', trouble: 'interruption' };
const interruption: Fault = { whose: 'user', trouble: 'interruption' };
const mistake: Fault = { whose: 'user', trouble: 'error' };
const setting: Fault = { whose: 'user', trouble: 'final' };

/** The fault of every kind of failure; `faultOf` refines four of them. */
export const faultByKind = {
  usage: mistake,
  'config-invalid': mistake,
  'source-invalid': mistake,
  'unknown-task': mistake,
  'unknown-run': mistake,
  'task-busy': mistake,
  'no-gate': mistake,
  'gate-unusable': machine,
  'agent-missing': machine,
  'agent-unknown': mistake,
  'agent-version': mistake,
  'call-refused': mistake,
  'price-unknown': mistake,
  'probe-failed': mistake,
  'nothing-to-resume': mistake,
  'target-behind': mistake,
  'nothing-to-do': mistake,
  'duplicate-task': mistake,
  'missing-dependency': mistake,
  'self-dependency': mistake,
  cycle: mistake,
  'git-missing': machine,
  'git-too-old': machine,
  'not-a-repository': machine,
  'bare-repository': machine,
  'no-commits': machine,
  'detached-head': mistake,
  'target-missing': machine,
  'shallow-repository': machine,
  'operation-in-progress': machine,
  'no-identity': mistake,
  'branch-exists': machine,
  'git-failed': machine,
  'commit-elsewhere': mistake,
  'state-unwritable': machine,
  'surroundings-broken': machine,
  'sandbox-missing': machine,
  'no-space': machine,
  'store-corrupt': machine,
  'store-missing': machine,
  'store-newer': machine,
  'store-busy': machine,
  'store-failed': machine,
  'store-unavailable': machine,
  'store-moved': machine,
  'records-deleted': machine,
  'run-alive': machine,
  'run-writes': machine,
  'run-starting': machine,
  'run-taken-over': machine,
  'claim-lost': machine,
  fenced: machine,
  'worktree-failed': machine,
  'setup-failed': setup,
  'finish-failed': evidence,
  'run-refused': interruption,
  'worker-gone': setup,
  'work-missing': setup,
  'share-failed': machine,
  'share-slow': machine,
  'worker-unfit': machine,
  'workers-failed': error,
  'agent-not-started': machine,
  'agent-exited': error,
  'agent-gave-up': error,
  'agent-lost': machine,
  'no-changes': error,
  'no-progress': evidence,
  'conflict-markers': evidence,
  'marker-lines': evidence,
  'conflict-unresolved': evidence,
  'capture-failed': error,
  'nested-repository': error,
  'limit-crossed': error,
  'gate-red': evidence,
  'command-missing': machine,
  'gate-not-run': machine,
  'gate-changed-tree': evidence,
  conflict: evidence,
  unmergeable: evidence,
  'target-red': interruption,
  'checkout-in-the-way': machine,
  'checkout-locked': machine,
  'rules-broken': evidence,
  'tests-not-red': evidence,
  tampered: error,
  'review-failed': error,
  'critique-unsettled': final,
  'target-unrelated': setting,
  'target-taken': error,
  'landing-dropped': interruption,
  'objects-missing': machine,
  'delivery-failed': machine,
  interrupted: interruption,
  'run-stopped': interruption,
  'agent-stuck': error,
  'claims-endless': error,
  'provider-auth': hold,
  'provider-billing': hold,
  'provider-rate-limit': pause,
  'quota-exhausted': pause,
  'provider-server': hiccup,
  'provider-unreachable': hiccup,
  'model-unknown': setting,
  'provider-refused': refusal,
  'context-overflow': final,
  'permission-denied': setting,
  'agent-limit': setting,
  'session-lost': renew,
  'stream-broken': hiccup,
  'agent-error': error,
  'parent-stuck': mistake,
  'blocked-by-person': interruption,
  'canceled-by-person': interruption,
  'question-open': mistake,
  'question-unanswered': setting,
  'revision-proposed': mistake,
  'approval-needed': mistake,
  superseded: interruption,
  'variants-failed': error,
  'choice-needed': mistake,
  'returned-too-often': error,
  'failed-too-often': error,
  /** `faultOf` looks at whose it is. */
  trouble: mistake,
  internal: machine,
  other: error,
} as const satisfies Readonly<Record<Failure['kind'], Fault>>;

const byOwner = { task: error, service: hiccup, machine, user: mistake } as const;

/** A kind that only a newer version knows counts as an error of the task. */
export function faultOf(failure: Failure): Fault {
  switch (failure.kind) {
    case 'trouble':
      return byOwner[failure.whose];
    case 'setup-failed':
      return failure.where === 'candidate' ? evidence : setup;
    case 'agent-exited':
      return killSignalOf(failure) === undefined ? error : machine;
    case 'capture-failed':
      return machineCauseOf(failure.cause) === undefined ? error : machine;
    default:
      return faultByKind[failure.kind] ?? error;
  }
}

export function troubleOf(failure: Failure): Fault['trouble'] {
  return faultOf(failure).trouble;
}

/** True if the attempt may not be charged for it: no start, no failure. */
export function isFree(failure: Failure): boolean {
  const { whose, trouble } = faultOf(failure);
  return whose === 'machine' || trouble === 'interruption';
}

/**
 * Kinds that say what a machine lacks: a program, a setting or an identity. Only a person changes that. All others may
 * pass by themselves, such as a full disk, a lock, or trouble with git and the store.
 */
const lacking: ReadonlySet<Failure['kind']> = new Set([
  'usage',
  'config-invalid',
  'no-gate',
  'gate-unusable',
  'agent-missing',
  'agent-unknown',
  'agent-version',
  'price-unknown',
  'git-missing',
  'git-too-old',
  'no-identity',
  'surroundings-broken',
  'sandbox-missing',
] as const);

/** True if a machine that failed to open a run lacks something, so that trying again there does not help. */
export function isSetup({ kind }: Failure): boolean {
  return lacking.has(kind);
}

/** True if the agent was killed from outside, or is gone without an exit status. Its work is not to blame. */
export function isKilled(failure: Failure | undefined): boolean {
  if (failure?.kind === 'agent-lost') return true;
  return failure?.kind === 'agent-exited' && killSignalOf(failure) !== undefined;
}

/** Signals that a process does not get for a fault of its own. */
const outsideSignals = new Set(['SIGKILL', 'SIGTERM', 'SIGHUP', 'SIGINT', 'SIGQUIT', 'SIGPWR']);

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
}): string | undefined {
  if (signal !== undefined && outsideSignals.has(signal)) return signal;
  if (signal !== undefined) return undefined;
  return exit === 137 ? 'SIGKILL' : exit === 143 ? 'SIGTERM' : undefined;
}
