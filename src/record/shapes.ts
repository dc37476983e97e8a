import { z } from 'zod';
import type { Event, EventType } from '../model/event.ts';
import type { Failure } from '../model/failure.ts';
import { stopReasons } from '../model/run.ts';
import { type AttemptFile, fileSchema, type ManifestFile, type RunFile } from './runfile.ts';
import {
  agentCall,
  count,
  failure,
  hitches,
  names,
  spend,
  spent,
  turnResult,
} from './turnshapes.ts';

/*
 * The published shapes of what we store, from which `schemas/` is made. Nothing at run time needs them: they are for other
 * programs, and for the tests that hold our own output against them.
 */

const time = z.int().describe('Milliseconds since 1970.');
const slotNumber = count;

const task = z
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
  })
  .meta({ id: 'task' });

const decision = z
  .discriminatedUnion('kind', [
    z.strictObject({
      kind: z.literal('retry'),
      reason: z.string().exactOptional(),
      by: z.enum(['person', 'run']).exactOptional(),
    }),
    z.strictObject({ kind: z.literal('cancel'), reason: z.string() }),
    z.strictObject({ kind: z.literal('skip'), reason: z.string() }),
    z.strictObject({ kind: z.literal('block'), reason: z.string() }),
    z.strictObject({ kind: z.literal('unblock'), reason: z.string().exactOptional() }),
    z.strictObject({ kind: z.literal('answer'), text: z.string() }),
  ])
  .meta({ id: 'decision' });

const scope = z
  .discriminatedUnion('kind', [
    z.strictObject({ kind: z.literal('ready') }),
    z.strictObject({ kind: z.literal('epics'), epics: z.array(z.string()) }),
    z.strictObject({ kind: z.literal('only'), tasks: z.array(z.string()) }),
  ])
  .meta({ id: 'scope' });

const budget = {
  maxAttempts: count.exactOptional(),
  wallMs: count.exactOptional(),
  tokens: count.exactOptional(),
  costUsd: z.number().nonnegative().exactOptional(),
};

const nameMap = z.record(z.string(), z.string());

const crewMember = z
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
  })
  .meta({ id: 'crewMember' });

const models = z.strictObject({
  default: z.string().exactOptional(),
  byPriority: nameMap.exactOptional(),
  byType: nameMap.exactOptional(),
});

const settings = z
  .strictObject({
    target: z.string(),
    jobs: z.int().positive(),
    agent: z.string(),
    scope,
    retries: count,
    quarantineAfter: count,
    slotErrors: count,
    ...budget,
    pool: count,
    gate: z.string(),
    crew: z.array(crewMember).readonly().exactOptional(),
    models: models.exactOptional(),
    fallback: z.strictObject({ agent: z.string(), cooldown: count }).exactOptional(),
    quotaWaitMs: count.exactOptional(),
    providerRetries: count.exactOptional(),
    silentTurns: count.exactOptional(),
    waitForTasksMs: count.exactOptional(),
  })
  .meta({ id: 'settings' });

const owner = z
  .strictObject({ pid: count, startedAt: z.string(), host: z.string() })
  .meta({ id: 'owner' });
const stop = z
  .strictObject({ reason: z.enum(stopReasons), failure: failure.exactOptional() })
  .meta({ id: 'stop' });

const verdict = z
  .discriminatedUnion('id', [
    z.strictObject({ id: z.literal('passed'), ms: z.number() }),
    z.strictObject({ id: z.literal('failed'), ms: z.number(), failure }),
    z.strictObject({ id: z.literal('not-run'), failure }),
  ])
  .meta({ id: 'verdict' });

const judged = { tree: z.string(), gate: z.string(), verdict, cached: z.boolean() };
const car = z
  .strictObject({
    id: z.string(),
    attempt: count,
    commit: z.string(),
    riders: names.exactOptional(),
  })
  .meta({ id: 'car' });
const cars = z.array(car);
const envelope = { seq: z.int().positive(), at: time, version: z.literal(1) };
const ofRun = { run: z.string() };
const ofAttempt = { ...ofRun, id: z.string(), attempt: z.int().positive() };
const ofCandidate = { ...ofRun, candidate: z.string() };

function event<Type extends EventType, Fields extends z.core.$ZodLooseShape>(
  type: Type,
  fields: Fields,
) {
  return z.strictObject({ type: z.literal(type), ...fields, ...envelope });
}

const eventShapes = [
  event('task-added', { task }),
  event('task-changed', { task }),
  event('task-decided', { id: z.string(), decision }),
  event('run-started', { ...ofRun, owner, settings, base: z.string() }),
  event('run-resumed', { ...ofRun, owner, budget: z.strictObject(budget).exactOptional() }),
  event('stop-asked', { ...ofRun, how: z.enum(['finish', 'now']), by: z.string() }),
  event('run-troubled', { ...ofRun, failure }),
  event('run-ended', {
    ...ofRun,
    stop,
    left: z
      .array(z.strictObject({ dir: z.string(), failure }))
      .readonly()
      .exactOptional(),
  }),
  event('attempt-started', {
    ...ofAttempt,
    slot: slotNumber,
    fence: count,
    agent: z.string(),
    branch: z.string(),
  }),
  event('worktree-ready', {
    ...ofAttempt,
    worktree: z.strictObject({ id: z.string(), dir: z.string() }),
    base: z.string(),
  }),
  event('turn-started', {
    ...ofAttempt,
    turn: count,
    slot: slotNumber,
    agent: z.string().exactOptional(),
    model: z.string().exactOptional(),
    reasoning: z.string().exactOptional(),
    prefix: z.string().exactOptional(),
  }),
  event('agent-said', { ...ofAttempt, turn: count, call: agentCall }),
  event('turn-ended', { ...ofAttempt, turn: count, result: turnResult }),
  event('work-captured', {
    ...ofAttempt,
    commit: z.string(),
    tree: z.string(),
    by: z.enum(['agent', 'engine']),
  }),
  event('work-planned', { ...ofAttempt, filed: names }),
  event('branch-judged', { ...ofAttempt, ...judged }),
  event('attempt-given-up', { ...ofAttempt, failure }),
  event('attempt-failed', {
    ...ofAttempt,
    failure,
    kept: z.string().exactOptional(),
    left: z.string().exactOptional(),
  }),
  event('candidate-built', {
    ...ofCandidate,
    parent: z.string(),
    commit: z.string(),
    tree: z.string(),
    cars,
  }),
  event('coupling-refused', { ...ofAttempt, failure }),
  event('candidate-judged', { ...ofCandidate, ...judged }),
  event('target-judged', {
    run: z.string(),
    commit: z.string(),
    tree: z.string(),
    gate: z.string(),
    verdict,
  }),
  event('candidate-dropped', { ...ofCandidate, found: z.string() }),
  event('landing-waits', { ...ofCandidate, failure, until: time }),
  event('landed', { ...ofCandidate, commit: z.string(), from: z.string(), cars }),
] as const;

export const eventShape = z
  .discriminatedUnion('type', eventShapes)
  .describe('One event of the log of a project.');

export const runShape = z
  .strictObject({
    schema: z.literal(fileSchema),
    id: z.string(),
    startedAt: time,
    lastUpdatedAt: time,
    endedAt: time.exactOptional(),
    jobs: z.int().positive(),
    target: z.string(),
    base: z.string(),
    agent: z.string(),
    scope,
    starts: count,
    landed: count,
    spend: spend.exactOptional(),
    ...hitches,
    paused: z
      .record(z.string(), z.strictObject({ until: time.exactOptional(), failure }))
      .exactOptional(),
    stop: stop.exactOptional(),
  })
  .describe('run.json: one run as a whole.');

export const manifestShape = z
  .strictObject({
    schema: z.literal(fileSchema),
    run: z.string(),
    jobs: z.int().positive(),
    startedAt: time,
    completedAt: time.exactOptional(),
    slots: z.array(
      z.strictObject({
        slot: z.int().positive(),
        attempts: count,
        landed: count,
        failed: count,
        ms: z.number().nonnegative(),
        stop: z.enum(stopReasons).exactOptional(),
      }),
    ),
  })
  .describe('manifest.json: what went through each slot of a run.');

export const attemptShape = z
  .strictObject({
    schema: z.literal(fileSchema),
    task: z.string(),
    attempt: z.int().positive(),
    run: z.string(),
    slot: slotNumber,
    agent: z.string(),
    branch: z.string(),
    base: z.string().exactOptional(),
    commit: z.string().exactOptional(),
    startedAt: time,
    endedAt: time.exactOptional(),
    turns: count,
    model: z.string().exactOptional(),
    reasoning: z.string().exactOptional(),
    session: z.string().exactOptional(),
    spend: spent.exactOptional(),
    riders: names.exactOptional(),
    outcome: z.enum(['unfinished', 'landed', 'planned', 'failed']),
    failure: failure.exactOptional(),
  })
  .describe('attempt.json: one try at one task.');

/** Holds the shapes against the types they describe; a field that one of them lacks does not compile. */
type Fits<A, B> = [Loose<A>] extends [Loose<B>] ? true : Loose<B>;
type Loose<T> = T extends Failure
  ? { [key: string]: unknown; kind: string }
  : T extends readonly (infer Item)[]
    ? readonly Loose<Item>[]
    : T extends object
      ? { [Key in keyof T]: Loose<T[Key]> }
      : T;
const _fits: readonly [
  Fits<Event, z.output<typeof eventShape>>,
  Fits<z.output<typeof eventShape>, Event>,
  Fits<RunFile, z.output<typeof runShape>>,
  Fits<z.output<typeof runShape>, RunFile>,
  Fits<ManifestFile, z.output<typeof manifestShape>>,
  Fits<z.output<typeof manifestShape>, ManifestFile>,
  Fits<AttemptFile, z.output<typeof attemptShape>>,
  Fits<z.output<typeof attemptShape>, AttemptFile>,
] = [true, true, true, true, true, true, true, true];

export function jsonSchemas(): Readonly<Record<string, string>> {
  const shapes = {
    'event.json': eventShape,
    'run.json': runShape,
    'manifest.json': manifestShape,
    'attempt.json': attemptShape,
  };
  return Object.fromEntries(
    Object.entries(shapes).map(([name, shape]) => {
      const schema = z.toJSONSchema(shape, { target: 'draft-7' });
      return [name, `${JSON.stringify(schema, undefined, 2)}\n`];
    }),
  );
}
