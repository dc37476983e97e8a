import { z } from 'zod';
import { callKindNames } from '../model/call.ts';
import type { Event, EventType } from '../model/event.ts';
import type { Failure } from '../model/failure.ts';
import { stopReasons } from '../model/run.ts';
import { type AttemptFile, fileSchema, type ManifestFile, type RunFile } from './run-file.ts';
import { budget, decision, owner, scope, settings, stop, task, time } from './run-shapes.ts';
import {
  agentCall,
  count,
  failure,
  incidents,
  names,
  spend,
  spent,
  turnResult,
} from './turn-shapes.ts';
import {
  callResult,
  changes,
  mergedTarget,
  tamperings,
  verifyOutcome,
  violations,
} from './work-shapes.ts';

/*
 * Published shapes of everything we store; `schemas/` is generated from them. The program itself does not use them:
 * they are for other programs, and for tests that check our output.
 */

const slotNumber = count;

const verdict = z
  .discriminatedUnion('id', [
    z.strictObject({
      id: z.literal('passed'),
      ms: z.number(),
      quarantined: names.exactOptional(),
      flaked: names.exactOptional(),
      seal: z.string().exactOptional(),
    }),
    z.strictObject({ id: z.literal('failed'), ms: z.number(), failure }),
    z.strictObject({ id: z.literal('not-run'), failure }),
  ])
  .meta({ id: 'verdict' });

const judged = { tree: z.string(), gate: z.string(), verdict, cached: z.boolean() };
const entry = z
  .strictObject({
    id: z.string(),
    attempt: count,
    commit: z.string(),
    coClaims: names.exactOptional(),
  })
  .meta({ id: 'entry' });
const entries = z.array(entry);
const prefix = z.strictObject({ commit: z.string(), tree: z.string() });
const envelope = { seq: z.int().positive(), at: time, version: z.literal(1) };
const ofRun = { run: z.string() };
const ofAttempt = { ...ofRun, id: z.string(), attempt: z.int().positive() };
const ofCandidate = { ...ofRun, candidate: z.string() };
const call = z
  .strictObject({
    kind: z.enum(callKindNames),
    round: count,
    agent: z.string(),
    again: count,
  })
  .meta({ id: 'call' });
const assignment = { model: z.string().exactOptional(), reasoning: z.string().exactOptional() };

function event<Type extends EventType, Fields extends z.core.$ZodLooseShape>(
  type: Type,
  fields: Fields,
) {
  return z.strictObject({ type: z.literal(type), ...fields, ...envelope });
}

const eventShapes = [
  event('task-added', { task }),
  event('task-changed', { task }),
  event('message-sent', { id: z.string(), text: z.string() }),
  event('task-decided', { id: z.string(), decision }),
  event('run-started', {
    ...ofRun,
    owner,
    settings,
    base: z.string(),
    preflight: z.string().exactOptional(),
  }),
  event('run-resumed', {
    ...ofRun,
    owner,
    budget: z.strictObject(budget).exactOptional(),
    verify: z.enum(['report', 'fix', 'bisect', 'none']).exactOptional(),
    preflight: z.string().exactOptional(),
  }),
  event('pulls-seen', {
    ...ofRun,
    branches: names,
    states: z
      .array(
        z.strictObject({
          branch: z.string(),
          number: z.int(),
          url: z.string(),
          state: z.enum(['open', 'merged', 'closed']),
          checks: z.enum(['passed', 'failed', 'pending', 'none']),
          mergeCommit: z.string().exactOptional(),
        }),
      )
      .readonly()
      .exactOptional(),
  }),
  event('stop-asked', { ...ofRun, how: z.enum(['finish', 'now']), by: z.string() }),
  event('run-troubled', { ...ofRun, failure }),
  event('run-verified', { ...ofRun, outcome: verifyOutcome, since: z.number().exactOptional() }),
  event('check-flaked', {
    ...ofRun,
    command: z.string(),
    tree: z.string(),
    log: z.string(),
  }),
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
  event('attempt-adopted', {
    ...ofAttempt,
    from: z.string(),
    fence: count,
    slot: slotNumber.exactOptional(),
  }),
  event('worktree-ready', {
    ...ofAttempt,
    worktree: z.strictObject({ id: z.string(), dir: z.string() }),
    base: z.string(),
    unignored: z.array(z.string()).exactOptional(),
  }),
  event('turn-started', {
    ...ofAttempt,
    turn: count,
    slot: slotNumber,
    agent: z.string().exactOptional(),
    model: z.string().exactOptional(),
    reasoning: z.string().exactOptional(),
    prefix: z.string().exactOptional(),
    messages: z.array(z.int().positive()).readonly().exactOptional(),
  }),
  event('agent-reported', { ...ofAttempt, turn: count, call: agentCall }),
  event('turn-ended', { ...ofAttempt, turn: count, result: turnResult }),
  event('work-captured', {
    ...ofAttempt,
    commit: z.string(),
    tree: z.string(),
    by: z.enum(['agent', 'engine', 'person']),
    base: z.string().exactOptional(),
    resolves: z.string().exactOptional(),
    changes: changes.exactOptional(),
    violations: violations.exactOptional(),
  }),
  event('tampering-seen', { ...ofAttempt, turn: count, found: tamperings }),
  event('target-merged', { ...ofAttempt, merged: mergedTarget }),
  event('work-planned', { ...ofAttempt, filed: names }),
  event('branch-gate-started', { ...ofAttempt, tree: z.string(), gateSlot: slotNumber }),
  event('branch-judged', { ...ofAttempt, ...judged }),
  event('gate-skipped', { ...ofAttempt, tree: z.string(), reason: z.string() }),
  event('call-started', { ...ofAttempt, call, slot: slotNumber, ...assignment }),
  event('call-ended', { ...ofAttempt, call, result: callResult }),
  event('approval-asked', { ...ofAttempt, failure }),
  event('conflict-predicted', { ...ofAttempt, with: z.string(), files: names }),
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
    entries,
    prefixes: z.array(prefix).readonly().exactOptional(),
    on: z.string().exactOptional(),
    urgent: z.boolean().exactOptional(),
  }),
  event('merge-refused', { ...ofAttempt, failure }),
  event('merge-deferred', { ...ofAttempt, behind: z.string() }),
  event('gate-started', {
    ...ofCandidate,
    count,
    commit: z.string(),
    tree: z.string(),
    slot: slotNumber,
    tasks: names,
  }),
  event('gate-abandoned', { ...ofCandidate, count }),
  event('candidate-judged', { ...ofCandidate, count: count.exactOptional(), ...judged }),
  event('target-check-started', {
    ...ofRun,
    commit: z.string(),
    reason: z.enum(['preflight', 'blame', 'moved']),
  }),
  event('target-check-ended', ofRun),
  event('target-judged', {
    run: z.string(),
    commit: z.string(),
    tree: z.string(),
    gate: z.string(),
    verdict,
    cached: z.boolean().exactOptional(),
  }),
  event('target-moved', {
    ...ofRun,
    from: z.string(),
    to: z.string(),
    rewound: z.boolean().exactOptional(),
    by: z.strictObject({ id: z.string(), attempt: z.int().positive() }).exactOptional(),
  }),
  event('candidate-dropped', { ...ofCandidate, found: z.string() }),
  event('landing-waits', { ...ofCandidate, failure, until: time }),
  event('landed', {
    ...ofCandidate,
    commit: z.string(),
    from: z.string(),
    entries,
    commits: names.exactOptional(),
  }),
  event('delivered', {
    ...ofCandidate,
    how: z.enum(['branch', 'pr', 'stack']),
    entries,
    branch: z.string(),
    url: z.string().exactOptional(),
  }),
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
    ...incidents,
    paused: z
      .record(z.string(), z.strictObject({ until: time.exactOptional(), failure }))
      .exactOptional(),
    gateRuns: z.strictObject({ branch: count, candidate: count, target: count }).exactOptional(),
    verified: verifyOutcome.exactOptional(),
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
    coClaims: names.exactOptional(),
    outcome: z.enum(['unfinished', 'landed', 'delivered', 'planned', 'failed']),
    failure: failure.exactOptional(),
  })
  .describe('attempt.json: one try at one task.');

/** Compares the shapes with their types; a field missing in one of them does not compile. */
type Fits<A, B> = [Loose<A>, Whole<A>] extends [Loose<B>, Whole<B>] ? true : Loose<B>;
type Loose<T> = T extends Failure
  ? { [key: string]: unknown; kind: string }
  : T extends readonly (infer Item)[]
    ? readonly Loose<Item>[]
    : T extends object
      ? { [Key in keyof T]: Loose<T[Key]> }
      : T;
/** Makes optional fields required, so that one known to only one side is found. */
type Whole<T> = T extends Failure
  ? { [key: string]: unknown; kind: string }
  : T extends readonly (infer Item)[]
    ? readonly Whole<Item>[]
    : T extends object
      ? { [Key in keyof T]-?: Whole<T[Key]> }
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
