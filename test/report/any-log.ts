import fc from 'fast-check';
import type { AttemptState, TurnReason } from '../../src/model/attempt.ts';
import type { Event, EventBody } from '../../src/model/event.ts';
import type { Decision } from '../../src/model/task.ts';
import type { TaskRecord, TaskStatus } from '../../src/model/task-record.ts';
import type { DropReason } from '../../src/model/train-record.ts';
import type { AgentCall, EndSignal, TurnResult } from '../../src/model/turn.ts';
import type { Verdict } from '../../src/model/verdict.ts';
import { anyRound, anyTampering, anyViolation, anyWorkEvent } from './any-work.ts';
import { allFailures } from './failures.ts';
import { anAttempt, aRecord, aTask, logOf, owner, settings } from './fixtures.ts';

const commit = (digit: string): string => digit.repeat(40);

const dropReason = fc.constantFrom<DropReason>(
  { id: 'target-moved', to: commit('d') },
  { id: 'commit-missing' },
  { id: 'unwanted' },
);
const ids = fc.constantFrom('api', 'docs', 'ui', 'a"b]', 'end');
const anyFailure = fc.constantFrom(...allFailures);
const anyVerdict: fc.Arbitrary<Verdict> = fc.oneof(
  fc.record({ id: fc.constant('passed' as const), ms: fc.nat(9000) }),
  fc.record({ id: fc.constant('failed' as const), ms: fc.nat(9000), failure: anyFailure }),
  fc.record({ id: fc.constant('not-run' as const), failure: anyFailure }),
);
const anyEntry = fc.record(
  {
    id: ids,
    attempt: fc.integer({ min: 1, max: 3 }),
    commit: fc.constant(commit('c')),
    coClaims: fc.uniqueArray(ids, { maxLength: 2 }),
  },
  { requiredKeys: ['id', 'attempt', 'commit'] },
);
const models = fc.constantFrom('opus', 'gpt-5', 'gemini-2.5-pro');
const agents = fc.constantFrom('claude', 'codex', 'mine');
const tokens = fc.nat(1_000_000);
const anyUsage = fc.record(
  {
    input: tokens,
    cacheRead: tokens,
    cacheWrite: tokens,
    output: tokens,
    costUsd: fc.double({ min: 0, max: 50, noNaN: true }),
  },
  { requiredKeys: ['input', 'cacheRead', 'cacheWrite', 'output'] },
);
const someIds = fc.uniqueArray(ids, { maxLength: 3 });
const anySaid: fc.Arbitrary<EndSignal> = fc.oneof(
  fc.constant({ id: 'complete' as const }),
  fc.constant({ id: 'nothing' as const }),
  fc.constant({ id: 'gave-up' as const, message: 'too hard' }),
  fc.constant({ id: 'ask' as const, question: 'Which one?' }),
  someIds.map((claimed) => ({ id: 'claim' as const, ids: claimed })),
);
const turnFacts = {
  usage: anyUsage,
  model: models,
  session: fc.constant('s1'),
  next: someIds,
  followUps: fc.constant([{ title: 'Tidy up' }]),
};
const anyResult: fc.Arbitrary<TurnResult> = fc.oneof(
  fc.record(
    { ok: fc.constant(true as const), tail: fc.constant(''), signal: anySaid, ...turnFacts },
    { requiredKeys: ['ok', 'tail'] },
  ),
  fc.record(
    { ok: fc.constant(false as const), failure: anyFailure, ...turnFacts },
    { requiredKeys: ['ok', 'failure'] },
  ),
);
const anyCall: fc.Arbitrary<AgentCall> = fc.oneof(
  fc.constant({ id: 'complete' as const }),
  fc.constant({ id: 'ask' as const, question: 'Which one?' }),
  fc.constant({ id: 'report' as const, about: 'decision', text: 'A\nB' }),
  someIds.map((next) => ({ id: 'next' as const, ids: next })),
  someIds.map((claimed) => ({ id: 'claim' as const, ids: claimed })),
);

const ofAttempt = {
  run: fc.constantFrom('r1', 'r1', 'r1', 'r2'),
  id: ids,
  attempt: fc.integer({ min: 1, max: 3 }),
};
const ofCandidate = { run: ofAttempt.run, candidate: fc.constantFrom('c1', 'c2') };
const type = <T extends string>(name: T): fc.Arbitrary<T> => fc.constant(name);
const slot = fc.integer({ min: 1, max: 3 });
const turn = fc.integer({ min: 1, max: 3 });
const hash = fc.constant(commit('d'));

const anyBody: fc.Arbitrary<EventBody> = fc.oneof(
  { weight: 8, arbitrary: anyWorkEvent(ids, ofAttempt.run, anyFailure) },
  fc.record({ type: type('task-added'), task: ids.map((id) => aTask(id)) }),
  fc.record({
    type: type('task-decided'),
    id: ids,
    decision: fc.constantFrom<Decision[]>(
      { kind: 'cancel', reason: 'not wanted' },
      { kind: 'answer', text: 'the second one' },
      { kind: 'approve' },
      { kind: 'reject', reason: 'too slow' },
      { kind: 'hand-in', commit: commit('9'), ref: 'refs/yard/hand/api' },
    ),
  }),
  fc.record({
    type: type('run-started'),
    run: ofAttempt.run,
    owner: fc.constant(owner),
    settings: fc.constant(settings),
    base: hash,
  }),
  fc.record({ type: type('run-resumed'), run: ofAttempt.run, owner: fc.constant(owner) }),
  fc.record({
    type: type('run-ended'),
    run: ofAttempt.run,
    stop: fc.constant({ reason: 'drained' as const }),
  }),
  fc.record({
    ...ofAttempt,
    type: type('attempt-started'),
    slot,
    fence: fc.nat(9),
    agent: fc.constant('mine'),
    branch: fc.constant('yard/b'),
  }),
  fc.record({
    ...ofAttempt,
    type: type('attempt-adopted'),
    from: fc.constant('r0'),
    fence: fc.nat(9),
  }),
  fc.record(
    {
      ...ofAttempt,
      type: type('turn-started'),
      turn,
      slot,
      agent: agents,
      model: models,
      reasoning: fc.constant('high'),
      prefix: fc.constantFrom('aaaa', 'bbbb'),
    },
    { requiredKeys: ['type', 'run', 'id', 'attempt', 'turn', 'slot'] },
  ),
  fc.record({ ...ofAttempt, type: type('agent-reported'), turn, call: anyCall }),
  fc.record({ ...ofAttempt, type: type('turn-ended'), turn, result: anyResult }),
  fc.record({ ...ofAttempt, type: type('work-planned'), filed: someIds }),
  fc.record(
    {
      ...ofAttempt,
      type: type('work-captured'),
      commit: hash,
      tree: hash,
      by: fc.constantFrom('agent' as const, 'engine' as const, 'person' as const),
      violations: fc.array(anyViolation, { maxLength: 2 }),
    },
    { requiredKeys: ['run', 'id', 'attempt', 'type', 'commit', 'tree', 'by'] },
  ),
  fc.record({
    ...ofAttempt,
    type: type('branch-judged'),
    tree: hash,
    gate: fc.constant('g1'),
    verdict: anyVerdict,
    cached: fc.boolean(),
  }),
  fc.record({ ...ofAttempt, type: type('attempt-given-up'), failure: anyFailure }),
  fc.record({ ...ofAttempt, type: type('attempt-failed'), failure: anyFailure }),
  fc.record({ ...ofAttempt, type: type('merge-refused'), failure: anyFailure }),
  fc
    .record({
      ...ofCandidate,
      type: type('candidate-built'),
      tree: hash,
      entries: fc.array(anyEntry, { maxLength: 3 }),
      place: fc.tuple(fc.nat(3), fc.integer({ min: 1, max: 3 })),
    })
    // A commit is never its own ancestor, whatever else is wrong.
    .map(({ place: [parent, ahead], ...body }) => ({
      ...body,
      parent: commit(String(parent)),
      commit: commit(String(parent + ahead)),
    })),
  fc.record(
    {
      ...ofCandidate,
      type: type('candidate-judged'),
      count: fc.nat(3),
      tree: hash,
      gate: fc.constant('g1'),
      verdict: anyVerdict,
      cached: fc.boolean(),
    },
    { requiredKeys: ['run', 'candidate', 'type', 'tree', 'gate', 'verdict', 'cached'] },
  ),
  fc.record({ ...ofCandidate, type: type('candidate-dropped'), reason: dropReason }),
  fc.record({
    ...ofCandidate,
    type: type('landing-waits'),
    failure: anyFailure,
    until: fc.nat(9000),
  }),
  fc.record({
    ...ofCandidate,
    type: type('landed'),
    commit: fc.nat(6).map((number) => commit(String(number))),
    from: hash,
    entries: fc.array(anyEntry, { maxLength: 2 }),
  }),
);

/** Any events in any order: logs cut short at either end, doubled, or never well-formed in the first place. */
export const anyLog: fc.Arbitrary<Event[]> = fc
  .array(anyBody, { maxLength: 40 })
  .map((bodies) => logOf(...bodies));

const anyStatus: fc.Arbitrary<TaskStatus> = fc.oneof(
  fc.constant({ id: 'open' as const }),
  fc.constant({ id: 'landed' as const, commit: commit('e'), run: 'r1', at: 5 }),
  anyFailure.map((failure) => ({ id: 'failed' as const, failure, run: 'r1' })),
  anyFailure.map((failure) => ({ id: 'quarantined' as const, failure })),
  anyFailure.map((failure) => ({ id: 'blocked' as const, failure })),
  anyFailure.map((failure) => ({ id: 'canceled' as const, failure, at: 4 })),
  fc.constant({ id: 'skipped' as const, reason: 'by hand' }),
  fc.constantFrom('branch' as const, 'pr' as const, 'stack' as const).map((how) => ({
    id: 'delivered' as const,
    how,
    branch: 'yard/t',
    commit: commit('e'),
    ...(how === 'branch' ? {} : { url: 'https://example.com/pull/1' }),
  })),
);

const anyTurnReason: fc.Arbitrary<TurnReason> = fc.oneof(
  anyFailure.map((failure) => ({ id: 'returned' as const, failure })),
  anyFailure.map((failure) => ({ id: 'paused' as const, failure })),
  fc.constant({ id: 'silent' as const, times: 2, nudge: false }),
  fc.constant({ id: 'answer' as const, question: 'Which?', text: 'That.' }),
  fc.constant({ id: 'rejected' as const, reason: 'too\nslow' }),
  fc.array(anyRound, { maxLength: 2 }).map((rounds) => ({ id: 'review' as const, rounds })),
  fc.constant({
    id: 'claims' as const,
    results: [
      { id: 'a', claimed: true },
      { id: 'b', claimed: false, reason: 'it is landed' },
    ],
  }),
);

const unreviewed = {
  id: 'unreviewed',
  commit: commit('1'),
  tree: commit('2'),
  tries: 0,
  failed: 0,
} as const;
const anyState: fc.Arbitrary<AttemptState> = fc.oneof(
  slot.map((n) => ({ id: 'preparing' as const, slot: n })),
  slot.map((n) => ({ id: 'working' as const, slot: n, turn: 1, since: 500 })),
  slot.map((n) => ({
    id: 'gating' as const,
    slot: n,
    commit: commit('1'),
    tree: commit('2'),
    since: 600,
    again: 0,
  })),
  fc.constant({ id: 'queued' as const, commit: commit('1'), tree: commit('2'), since: 700 }),
  fc.constant({
    id: 'queued' as const,
    commit: commit('1'),
    tree: commit('2'),
    since: 650,
    behind: 'c1',
  }),
  fc.constant(unreviewed),
  slot.map((n) => ({
    id: 'calling' as const,
    slot: n,
    since: 400,
    call: { kind: 'review' as const, round: 1, agent: 'codex', again: 1 },
    from: unreviewed,
  })),
  slot.map((n) => ({
    id: 'calling' as const,
    slot: n,
    since: 400,
    call: { kind: 'critique' as const, round: 1, agent: 'codex', again: 1 },
    from: { id: 'prepared' as const, slot: n },
  })),
  fc.tuple(anyFailure, fc.array(anyTampering, { maxLength: 1 })).map(([failure, found]) => ({
    id: 'awaiting' as const,
    commit: commit('1'),
    tree: commit('2'),
    since: 300,
    failure:
      found.length === 0
        ? failure
        : ({ kind: 'approval-needed', because: 'tampering', found } as const),
  })),
  fc.constant({
    id: 'landing' as const,
    commit: commit('1'),
    tree: commit('2'),
    since: 600,
    candidate: 'c1',
  }),
  anyFailure.map((failure) => ({ id: 'returned' as const, failure })),
  anyTurnReason.map((turnReason) => ({ id: 'between-turns' as const, turnReason })),
  fc
    .tuple(anyTurnReason, fc.nat(20_000))
    .map(([turnReason, until]) => ({ id: 'between-turns' as const, turnReason, until })),
  fc.constant({ id: 'asking' as const, question: 'Which\none?', since: 800 }),
  fc.constant({ id: 'planned' as const, filed: ['t1'] }),
  anyFailure.map((failure) => ({ id: 'failed' as const, failure })),
);

/** Records that need not fit together: unknown parents and cycles among them. */
export const anyRecords: fc.Arbitrary<TaskRecord[]> = fc
  .array(
    fc.record({
      status: anyStatus,
      state: fc.option(anyState, { nil: undefined }),
      after: fc.array(fc.nat(14), { maxLength: 3 }),
      title: fc.string({ unit: 'binary', maxLength: 40 }),
      coClaimedBy: fc.boolean(),
    }),
    { maxLength: 12 },
  )
  .map((rows) =>
    rows.map(({ status, state, after, title, coClaimedBy }, at) =>
      aRecord(`t${at}`, status, {
        after: after.map((parent) => `t${parent}`),
        title,
        ...(state === undefined ? {} : { attempt: anAttempt(state, { coClaims: ['t3'] }) }),
        ...(coClaimedBy ? { coClaimedBy: { run: 'r1', id: 't0', attempt: 1 } } : {}),
      }),
    ),
  );
