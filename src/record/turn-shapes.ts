import { z } from 'zod';
import type { Failure } from '../model/failure.ts';

/* Published shapes of turn results, usage and failures; see `shapes.ts`. */

export const count = z.int().nonnegative();
export const names = z.array(z.string()).readonly();

/** Every kind of failure, at run time. The compiler asks for a line here when a kind is added. */
const failureKinds: Readonly<Record<Failure['kind'], true>> = {
  usage: true,
  'config-invalid': true,
  'source-invalid': true,
  'unknown-task': true,
  'unknown-run': true,
  'task-busy': true,
  'no-gate': true,
  'gate-unusable': true,
  'agent-missing': true,
  'agent-unknown': true,
  'agent-version': true,
  'call-refused': true,
  'price-unknown': true,
  'nothing-to-resume': true,
  'nothing-to-do': true,
  'duplicate-task': true,
  'missing-dependency': true,
  'self-dependency': true,
  cycle: true,
  'git-missing': true,
  'git-too-old': true,
  'not-a-repository': true,
  'bare-repository': true,
  'no-commits': true,
  'detached-head': true,
  'target-missing': true,
  'shallow-repository': true,
  'operation-in-progress': true,
  'no-identity': true,
  'branch-exists': true,
  'git-failed': true,
  'state-unwritable': true,
  'store-corrupt': true,
  'store-newer': true,
  'store-busy': true,
  'store-failed': true,
  'records-deleted': true,
  'run-alive': true,
  'claim-lost': true,
  fenced: true,
  'worktree-failed': true,
  'setup-failed': true,
  'agent-not-started': true,
  'agent-exited': true,
  'agent-gave-up': true,
  'agent-lost': true,
  'no-changes': true,
  'no-progress': true,
  'conflict-markers': true,
  'marker-lines': true,
  'conflict-unresolved': true,
  'capture-failed': true,
  'limit-crossed': true,
  'gate-red': true,
  'command-missing': true,
  'gate-not-run': true,
  'gate-changed-tree': true,
  conflict: true,
  unmergeable: true,
  'target-red': true,
  'checkout-in-the-way': true,
  'rules-broken': true,
  tampered: true,
  'review-failed': true,
  'critique-unsettled': true,
  'target-taken': true,
  'delivery-failed': true,
  interrupted: true,
  'run-stopped': true,
  'agent-stuck': true,
  'claims-endless': true,
  'provider-auth': true,
  'provider-billing': true,
  'provider-rate-limit': true,
  'quota-exhausted': true,
  'provider-server': true,
  'provider-unreachable': true,
  'model-unknown': true,
  'provider-refused': true,
  'context-overflow': true,
  'permission-denied': true,
  'agent-limit': true,
  'session-lost': true,
  'stream-broken': true,
  'agent-error': true,
  'parent-stuck': true,
  'blocked-by-person': true,
  'cancelled-by-person': true,
  'question-open': true,
  'approval-needed': true,
  'returned-too-often': true,
  'failed-too-often': true,
  internal: true,
  other: true,
};

export const failure = z.looseObject({ kind: z.enum(Object.keys(failureKinds)) }).meta({
  id: 'failure',
  description: 'Why something did not work. Which further fields there are depends on the kind.',
});

const usage = z
  .strictObject({
    input: count,
    cacheRead: count,
    cacheWrite: count,
    output: count,
    costUsd: z.number().nonnegative().exactOptional(),
  })
  .meta({ id: 'usage' });

const complete = z.strictObject({ id: z.literal('complete') });
const gaveUp = z.strictObject({ id: z.literal('gave-up'), message: z.string() });
const ask = z.strictObject({ id: z.literal('ask'), question: z.string() });
const claim = z.strictObject({ id: z.literal('claim'), ids: names });

const endSignal = z
  .discriminatedUnion('id', [
    complete,
    gaveUp,
    ask,
    claim,
    z.strictObject({ id: z.literal('nothing') }),
  ])
  .meta({ id: 'endSignal' });

export const agentCall = z
  .discriminatedUnion('id', [
    complete,
    gaveUp,
    ask,
    claim,
    z.strictObject({ id: z.literal('report'), about: z.string(), text: z.string() }),
    z.strictObject({ id: z.literal('next'), ids: names }),
  ])
  .meta({ id: 'agentCall' });

const followUp = z
  .strictObject({
    title: z.string(),
    body: z.string().exactOptional(),
    type: z.string().exactOptional(),
    priority: z.int().exactOptional(),
  })
  .meta({ id: 'followUp' });

export const turnFacts = {
  usage: usage.exactOptional(),
  session: z.string().exactOptional(),
  model: z.string().exactOptional(),
  next: names.exactOptional(),
  followUps: z.array(followUp).readonly().exactOptional(),
  answer: z.string().exactOptional(),
};

export const turnResult = z.discriminatedUnion('ok', [
  z.strictObject({
    ok: z.literal(true),
    failed: z.array(z.string()).readonly().exactOptional(),
    tail: z.string(),
    signal: endSignal.exactOptional(),
    ...turnFacts,
  }),
  z.strictObject({ ok: z.literal(false), failure, ...turnFacts }),
]);

const spendNumbers = {
  turns: count,
  landed: count,
  input: count,
  cacheRead: count,
  cacheWrite: count,
  output: count,
  total: count,
  costUsd: z.number().nonnegative(),
  metered: count,
  priced: count,
};

export const spent = z.strictObject(spendNumbers).meta({ id: 'spent' });

export const spend = z
  .strictObject({
    totals: spent,
    byModel: z
      .array(
        z.strictObject({
          model: z.string().nullable(),
          reported: z.literal(true).exactOptional(),
          ...spendNumbers,
        }),
      )
      .readonly()
      .exactOptional(),
    byAgent: z.array(z.strictObject({ agent: z.string(), ...spendNumbers })).readonly(),
  })
  .meta({
    id: 'spend',
    description: 'What turns used: tokens by kind, and cost where it is known.',
  });

export const incidents = {
  pauses: z.strictObject({ count, ms: count }).exactOptional(),
  silentTurns: count.exactOptional(),
  providerRetries: count.exactOptional(),
  prefixes: z
    .array(z.strictObject({ agent: z.string(), variants: count }))
    .readonly()
    .exactOptional(),
};
