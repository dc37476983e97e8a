import { type Failure, killSignalOf } from './failure.ts';

/**
 * How a failure is handled:
 *
 *   evidence      the work returns to its agent
 *   error         a fresh attempt
 *   interruption  a person or a stop caused it; it counts as no failure
 *   pause         the account is paused for a while; then the conversation continues
 *   hold          the account is paused until a person fixes it
 *   hiccup        the turn is repeated a little later
 *   renew         the turn is repeated in a new conversation
 *   killed        the turn is repeated, up to `limits.agentKills` times in a row; then it counts as an error
 *   final         no retry: another try would fail the same way
 */
export type Trouble =
  | 'evidence'
  | 'error'
  | 'interruption'
  | 'pause'
  | 'hold'
  | 'hiccup'
  | 'renew'
  | 'killed'
  | 'final';

/** What each kind of failure asks for; `troubleOf` refines two of them. */
export const troubleByKind: Readonly<Record<Failure['kind'], Trouble>> = {
  usage: 'error',
  'config-invalid': 'error',
  'source-invalid': 'error',
  'unknown-task': 'error',
  'unknown-run': 'error',
  'task-busy': 'error',
  'no-gate': 'error',
  'gate-unusable': 'error',
  'agent-missing': 'error',
  'agent-unknown': 'error',
  'agent-version': 'error',
  'call-refused': 'error',
  'price-unknown': 'error',
  'nothing-to-resume': 'error',
  'nothing-to-do': 'error',
  'duplicate-task': 'error',
  'missing-dependency': 'error',
  'self-dependency': 'error',
  cycle: 'error',
  'git-missing': 'error',
  'git-too-old': 'error',
  'not-a-repository': 'error',
  'bare-repository': 'error',
  'no-commits': 'error',
  'detached-head': 'error',
  'target-missing': 'error',
  'shallow-repository': 'error',
  'operation-in-progress': 'error',
  'no-identity': 'error',
  'branch-exists': 'error',
  'git-failed': 'error',
  'state-unwritable': 'error',
  'store-corrupt': 'error',
  'store-newer': 'error',
  'store-busy': 'error',
  'store-failed': 'error',
  'records-deleted': 'error',
  'run-alive': 'error',
  'run-taken-over': 'error',
  'claim-lost': 'error',
  fenced: 'error',
  'worktree-failed': 'error',
  'setup-failed': 'interruption',
  'agent-not-started': 'error',
  'agent-exited': 'error',
  'agent-gave-up': 'error',
  'agent-lost': 'killed',
  'no-changes': 'error',
  'no-progress': 'evidence',
  'conflict-markers': 'evidence',
  'marker-lines': 'evidence',
  'conflict-unresolved': 'evidence',
  'capture-failed': 'error',
  'limit-crossed': 'error',
  'gate-red': 'evidence',
  'command-missing': 'error',
  'gate-not-run': 'error',
  'gate-changed-tree': 'evidence',
  conflict: 'evidence',
  unmergeable: 'evidence',
  'target-red': 'interruption',
  'checkout-in-the-way': 'error',
  'rules-broken': 'evidence',
  tampered: 'error',
  'review-failed': 'error',
  'critique-unsettled': 'final',
  'target-taken': 'error',
  'delivery-failed': 'error',
  interrupted: 'interruption',
  'run-stopped': 'interruption',
  'agent-stuck': 'error',
  'claims-endless': 'error',
  'provider-auth': 'hold',
  'provider-billing': 'hold',
  'provider-rate-limit': 'pause',
  'quota-exhausted': 'pause',
  'provider-server': 'hiccup',
  'provider-unreachable': 'hiccup',
  'model-unknown': 'final',
  'provider-refused': 'final',
  'context-overflow': 'final',
  'permission-denied': 'final',
  'agent-limit': 'final',
  'session-lost': 'renew',
  'stream-broken': 'hiccup',
  'agent-error': 'error',
  'parent-stuck': 'error',
  'blocked-by-person': 'interruption',
  'canceled-by-person': 'interruption',
  'question-open': 'error',
  'approval-needed': 'error',
  'returned-too-often': 'error',
  'failed-too-often': 'error',
  internal: 'error',
  other: 'error',
};

/** A kind that only a newer version knows counts as an error. */
export function troubleOf(failure: Failure): Trouble {
  if (failure.kind === 'setup-failed' && failure.where === 'candidate') return 'evidence';
  if (failure.kind === 'agent-exited' && killSignalOf(failure) !== undefined) return 'killed';
  return troubleByKind[failure.kind] ?? 'error';
}
