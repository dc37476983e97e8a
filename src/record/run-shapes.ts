import { z } from 'zod';
import { stages } from '../model/review.ts';
import { stopReasons } from '../model/run.ts';
import { count, failure, names } from './turn-shapes.ts';

/* Published shapes of tasks, decisions and run settings; see `shapes.ts`. */

const deliveries = ['land', 'branch', 'pr', 'stack'] as const;

export const time = z.int().describe('Milliseconds since 1970.');

export const task = z
  .strictObject({
    id: z.string(),
    title: z.string(),
    body: z.string(),
    after: z.array(z.string()),
    priority: z.union([z.literal(0), z.literal(1), z.literal(2), z.literal(3), z.literal(4)]),
    type: z.string(),
    labels: z.array(z.string()),
    paths: z.array(z.string()),
    scope: z.enum(['predicted', 'strict']),
    checks: z.array(z.string()),
    agent: z.string().exactOptional(),
    source: z.string().exactOptional(),
  })
  .meta({ id: 'task' });

export const owner = z
  .strictObject({ pid: count, startedAt: z.string(), host: z.string() })
  .meta({ id: 'owner' });

export const decision = z
  .discriminatedUnion('kind', [
    z.strictObject({
      kind: z.literal('retry'),
      reason: z.string().exactOptional(),
      by: z.enum(['person', 'run']).exactOptional(),
    }),
    z.strictObject({
      kind: z.literal('cancel'),
      reason: z.string(),
      removed: z.literal(true).exactOptional(),
    }),
    z.strictObject({ kind: z.literal('skip'), reason: z.string() }),
    z.strictObject({ kind: z.literal('block'), reason: z.string() }),
    z.strictObject({ kind: z.literal('unblock'), reason: z.string().exactOptional() }),
    z.strictObject({ kind: z.literal('answer'), text: z.string() }),
    z.strictObject({ kind: z.literal('approve'), reason: z.string().exactOptional() }),
    z.strictObject({ kind: z.literal('reject'), reason: z.string() }),
    z.strictObject({ kind: z.literal('hold'), attempt: count, by: owner }),
    z.strictObject({
      kind: z.literal('release'),
      by: owner,
      reason: z.string().exactOptional(),
    }),
    z.strictObject({ kind: z.literal('hand-in'), commit: z.string(), ref: z.string() }),
  ])
  .meta({ id: 'decision' });

export const scope = z
  .discriminatedUnion('kind', [
    z.strictObject({ kind: z.literal('ready') }),
    z.strictObject({ kind: z.literal('epics'), epics: z.array(z.string()) }),
    z.strictObject({ kind: z.literal('only'), tasks: z.array(z.string()) }),
  ])
  .meta({ id: 'scope' });

export const budget = {
  maxAttempts: count.exactOptional(),
  newTasks: count.exactOptional(),
  wallMs: count.exactOptional(),
  tokens: count.exactOptional(),
  costUsd: z.number().nonnegative().exactOptional(),
};

const nameMap = z.record(z.string(), z.string());

const poolMember = z
  .strictObject({
    name: z.string(),
    account: z.string(),
    count: count.exactOptional(),
    types: names.exactOptional(),
    labels: names.exactOptional(),
    role: z.enum(['planner', 'executor']).exactOptional(),
    volunteers: z.boolean(),
    waitMs: count.exactOptional(),
    model: z.string().exactOptional(),
    ignoresReasoning: z.literal(true).exactOptional(),
  })
  .meta({ id: 'poolMember' });

const models = z.strictObject({
  default: z.string().exactOptional(),
  byPriority: nameMap.exactOptional(),
  byType: nameMap.exactOptional(),
});

const train = z.strictObject({
  batch: z.int().positive(),
  style: z.enum(['merge', 'squash', 'rebase']),
});

const review = z.strictObject({
  reviewers: names,
  person: z.boolean(),
  rounds: count,
  retries: count,
});

const critique = z.strictObject({
  critic: z.string(),
  improver: z.string().exactOptional(),
  rounds: count,
  retries: count,
});

export const settings = z
  .strictObject({
    target: z.string(),
    jobs: z.int().positive(),
    agent: z.string(),
    scope,
    retries: count,
    returns: count.exactOptional(),
    quarantineAfter: count,
    slotErrors: count,
    ...budget,
    pool: count,
    gate: z.string(),
    agentPool: z.array(poolMember).readonly().exactOptional(),
    models: models.exactOptional(),
    fallback: z.strictObject({ agent: z.string(), cooldown: count }).exactOptional(),
    quotaWaitMs: count.exactOptional(),
    providerRetries: count.exactOptional(),
    silentTurns: count.exactOptional(),
    train: train.exactOptional(),
    recheckMs: z.number().exactOptional(),
    branchGate: z.enum(['auto', 'always', 'never']).exactOptional(),
    quickGate: z.boolean().exactOptional(),
    gateSlots: z.int().positive().exactOptional(),
    review: review.exactOptional(),
    critique: critique.exactOptional(),
    pipelines: z.record(z.string(), z.array(z.enum(stages)).readonly()).exactOptional(),
    verify: z.enum(['report', 'fix', 'bisect']).exactOptional(),
    delivery: z.enum(deliveries).exactOptional(),
    deliveryWaitMs: z.number().exactOptional(),
    waitForTasksMs: count.exactOptional(),
    spawnRate: count.exactOptional(),
  })
  .meta({ id: 'settings' });

export const stop = z
  .strictObject({ reason: z.enum(stopReasons), failure: failure.exactOptional() })
  .meta({ id: 'stop' });
