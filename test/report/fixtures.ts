import fc from 'fast-check';
import {
  type Attempt,
  type AttemptState,
  type Conversation,
  newAttempt,
  type TurnReason,
} from '../../src/model/attempt.ts';
import type { Event, EventBody } from '../../src/model/event.ts';
import { noEvidence } from '../../src/model/evidence.ts';
import type { Failure } from '../../src/model/failure.ts';
import type { RunSettings, Stop, StopReason } from '../../src/model/run.ts';
import type { AccountsRecord, LeasedRun, RunPhase, Spent } from '../../src/model/run-record.ts';
import type { Decision, Task } from '../../src/model/task.ts';
import type { TaskRecord, TaskStatus } from '../../src/model/task-record.ts';
import type { Candidate, TargetRecord, TrainRecord } from '../../src/model/train-record.ts';
import type { AgentCall, EndSignal, TurnResult } from '../../src/model/turn.ts';
import type { Verdict } from '../../src/model/verdict.ts';
import { newRun } from '../../src/plan/fold-run.ts';
import { task } from '../story.ts';
import { anyRound, anyTampering, anyViolation, anyWorkEvent } from './any-work.ts';

const commit = (digit: string): string => digit.repeat(40);

/** One of each kind. The type asks for a new one whenever the union grows. */
export const failures: { readonly [K in Failure['kind']]: Extract<Failure, { kind: K }> } = {
  usage: { kind: 'usage', problem: '--jobs needs a value', remedy: 'Write --jobs N' },
  'config-invalid': {
    kind: 'config-invalid',
    file: 'yardmaster.yaml',
    line: 7,
    problem: 'unknown key "jbos"',
    remedy: 'Did you mean jobs?',
  },
  'source-invalid': {
    kind: 'source-invalid',
    file: 'plan.yaml',
    problem: 'tasks is missing',
    remedy: 'Add a list named tasks',
  },
  'unknown-task': { kind: 'unknown-task', task: 'serach', nearest: 'search' },
  'unknown-run': { kind: 'unknown-run', run: 'r9' },
  'task-busy': { kind: 'task-busy', task: 'search', state: 'working', wanted: 'skipped' },
  'no-gate': { kind: 'no-gate', searched: ['justfile', 'Makefile', 'package.json'] },
  'gate-unusable': { kind: 'gate-unusable', command: 'npm tset', cause: 'no such script' },
  'agent-missing': { kind: 'agent-missing', agent: 'claude', binary: 'claude' },
  'agent-unknown': { kind: 'agent-unknown', agent: 'clod', known: ['claude', 'command'] },
  'agent-version': {
    kind: 'agent-version',
    agent: 'claude',
    found: '1.0.9',
    supported: '2.1.0 to 2.1.x',
  },
  'call-refused': { kind: 'call-refused', problem: 'the attempt is over' },
  'price-unknown': { kind: 'price-unknown', agent: 'codex', model: 'gpt-5' },
  'nothing-to-resume': { kind: 'nothing-to-resume' },
  'nothing-to-do': { kind: 'nothing-to-do' },
  'duplicate-task': { kind: 'duplicate-task', task: 'api', times: 2 },
  'missing-dependency': {
    kind: 'missing-dependency',
    task: 'docs',
    missing: 'aip',
    nearest: 'api',
  },
  'self-dependency': { kind: 'self-dependency', task: 'api' },
  cycle: { kind: 'cycle', members: ['api', 'docs', 'ui'] },
  'git-missing': { kind: 'git-missing', cause: 'ENOENT' },
  'git-too-old': { kind: 'git-too-old', found: '2.30.1', needed: '2.38' },
  'not-a-repository': { kind: 'not-a-repository', dir: '/somewhere' },
  'bare-repository': { kind: 'bare-repository', dir: '/somewhere.git' },
  'no-commits': { kind: 'no-commits', dir: '/somewhere' },
  'detached-head': { kind: 'detached-head', commit: commit('a') },
  'target-missing': { kind: 'target-missing', branch: 'mian', nearest: 'main' },
  'shallow-repository': { kind: 'shallow-repository', dir: '/somewhere' },
  'operation-in-progress': {
    kind: 'operation-in-progress',
    operation: 'rebase',
    dir: '/somewhere',
  },
  'no-identity': { kind: 'no-identity', missing: 'user.email' },
  'branch-exists': { kind: 'branch-exists', branch: 'yard/r1/api-1', run: 'r1' },
  'git-failed': {
    kind: 'git-failed',
    args: ['update-ref', 'refs/heads/main'],
    exit: 128,
    stderr: 'fatal: cannot lock ref\n',
  },
  'state-unwritable': { kind: 'state-unwritable', dir: '/state', cause: 'EROFS' },
  'store-corrupt': { kind: 'store-corrupt', file: 'yard.db', detail: 'not a database' },
  'store-newer': { kind: 'store-newer', file: 'yard.db', found: 3, known: 1 },
  'store-busy': { kind: 'store-busy', file: 'yard.db', waitedMs: 5000 },
  'store-failed': { kind: 'store-failed', file: 'yard.db', detail: 'disk full' },
  'records-deleted': {
    kind: 'records-deleted',
    dir: '/repo/.yardmaster',
    branches: ['yard/r1/a-1'],
  },
  'run-alive': { kind: 'run-alive', run: 'r1', pid: 4711, host: 'yard' },
  'claim-lost': { kind: 'claim-lost', task: 'api', owner: 'r2' },
  fenced: { kind: 'fenced', task: 'api', owner: 'r2' },
  'worktree-failed': { kind: 'worktree-failed', cause: 'No space left on device' },
  'setup-failed': {
    kind: 'setup-failed',
    where: 'attempt',
    log: '.yardmaster/runs/r1/attempts/search-1/setup-1.out',
    command: 'npm ci',
    exit: 1,
    tail: 'ENOTFOUND\n',
  },
  'agent-not-started': { kind: 'agent-not-started', binary: './agent.sh', cause: 'EACCES' },
  'agent-exited': { kind: 'agent-exited', exit: 3, tail: 'one\ntwo\nthree\nfour\n' },
  'agent-gave-up': { kind: 'agent-gave-up', message: 'The API is not documented.' },
  'agent-lost': { kind: 'agent-lost', turn: 2 },
  'capture-failed': {
    kind: 'capture-failed',
    cause: 'git add -A: inner/ has no commit checked out',
    dir: '/state/ym-r1-1',
  },
  unmergeable: {
    kind: 'unmergeable',
    branch: 'yard/r1/api-1',
    cause: 'it has no history in common with the target',
  },
  'no-changes': { kind: 'no-changes', tail: 'All is well already' },
  'no-progress': { kind: 'no-progress', last: { kind: 'conflict-markers', files: ['src/a.ts'] } },
  'conflict-unresolved': { kind: 'conflict-unresolved', files: ['logo.png'] },
  'conflict-markers': { kind: 'conflict-markers', files: ['src/a.ts', 'src/b.ts'] },
  'marker-lines': { kind: 'marker-lines', places: ['src/a.ts:2'] },
  'limit-crossed': {
    kind: 'limit-crossed',
    phase: 'agent',
    limit: 'idle',
    value: 900_000,
    tail: '',
  },
  'gate-red': {
    kind: 'gate-red',
    where: 'candidate',
    command: 'npm test',
    exit: 1,
    evidence: noEvidence,
    tail: '1 failed, 41 passed',
    log: '.yardmaster/runs/r1/gate.log',
  },
  'command-missing': {
    kind: 'command-missing',
    where: 'target',
    command: 'npm test',
    missing: 'tsd',
    log: '.yardmaster/runs/r1/gate.log',
  },
  'gate-not-run': { kind: 'gate-not-run', where: 'branch', cause: 'npm is not installed' },
  'gate-changed-tree': {
    kind: 'gate-changed-tree',
    where: 'candidate',
    files: ['test/a.test.js'],
  },
  conflict: {
    kind: 'conflict',
    files: ['src/a.ts', 'src/b.ts'],
    target: 'main',
    branch: 'yard/r1/api-1',
  },
  'target-red': {
    kind: 'target-red',
    commit: commit('b'),
    checked: 'preflight',
    evidence: noEvidence,
    tail: 'FAIL src/a.test.ts',
    log: '.yardmaster/runs/r1/verify.log',
  },
  'checkout-in-the-way': {
    kind: 'checkout-in-the-way',
    dir: '/somewhere',
    cause: 'local changes to src/a.ts',
  },
  'rules-broken': {
    kind: 'rules-broken',
    violations: [{ kind: 'test-deleted', file: 'a.test.ts' }],
  },
  tampered: { kind: 'tampered', found: [{ kind: 'git-hook', name: 'pre-commit' }] },
  'review-failed': { kind: 'review-failed', reviewer: 'codex', cause: 'it printed no verdict' },
  'critique-unsettled': {
    kind: 'critique-unsettled',
    rounds: 3,
    findings: [{ id: 'C1', severity: 'major', text: 'What is a user here?' }],
  },
  'target-taken': { kind: 'target-taken', task: 'api', from: commit('a'), to: commit('b') },
  'delivery-failed': { kind: 'delivery-failed', how: 'pr', cause: 'gh: not signed in' },
  interrupted: { kind: 'interrupted', by: 'ym stop --now' },
  'run-stopped': { kind: 'run-stopped' },
  'agent-stuck': { kind: 'agent-stuck', turns: 6 },
  'claims-endless': { kind: 'claims-endless', rounds: 20 },
  'provider-auth': {
    kind: 'provider-auth',
    agent: 'claude',
    message: 'Not logged in · Please run /login',
    variable: 'ANTHROPIC_API_KEY',
  },
  'provider-billing': {
    kind: 'provider-billing',
    agent: 'claude',
    message: 'Credit balance is too low',
    status: 400,
  },
  'provider-rate-limit': {
    kind: 'provider-rate-limit',
    agent: 'codex',
    message: 'Rate limit reached',
    status: 429,
    retryAfterMs: 12_000,
  },
  'quota-exhausted': {
    kind: 'quota-exhausted',
    agent: 'claude',
    message: "You've hit your 5-hour limit",
    status: 429,
    resetAt: 50_700_000,
  },
  'provider-server': {
    kind: 'provider-server',
    agent: 'gemini',
    message: 'Overloaded',
    status: 529,
  },
  'provider-unreachable': {
    kind: 'provider-unreachable',
    agent: 'opencode',
    message: 'connect ECONNREFUSED',
  },
  'model-unknown': {
    kind: 'model-unknown',
    agent: 'codex',
    message: 'The model does not exist',
    status: 404,
    model: 'gtp-5',
  },
  'provider-refused': {
    kind: 'provider-refused',
    agent: 'gemini',
    message: 'Invalid JSON payload.',
    status: 400,
  },
  'context-overflow': {
    kind: 'context-overflow',
    agent: 'claude',
    message: 'prompt is too long: 210000 tokens > 200000 maximum',
    status: 400,
  },
  'permission-denied': {
    kind: 'permission-denied',
    agent: 'claude',
    message: '',
    tools: ['Bash', 'WebFetch'],
  },
  'agent-limit': {
    kind: 'agent-limit',
    agent: 'claude',
    message: 'Reached maximum number of turns (3)',
    limit: 'error_max_turns',
  },
  'session-lost': {
    kind: 'session-lost',
    agent: 'claude',
    message: 'No conversation found with session ID',
    session: 'e26f39dc',
  },
  'stream-broken': { kind: 'stream-broken', agent: 'codex', message: 'no turn.completed' },
  'agent-error': { kind: 'agent-error', agent: 'mine', message: 'out of coffee', status: 418 },
  'parent-stuck': { kind: 'parent-stuck', parent: 'api', state: 'failed' },
  'blocked-by-person': { kind: 'blocked-by-person', reason: 'Waits for the wording.' },
  'canceled-by-person': { kind: 'canceled-by-person', reason: '' },
  'question-open': { kind: 'question-open', question: 'Which of the two formats is meant?' },
  'approval-needed': {
    kind: 'approval-needed',
    because: 'review-limit',
    rounds: 3,
    findings: [
      { id: 'F2', severity: 'minor', text: 'The name says little.' },
      { id: 'F1', severity: 'blocker', file: 'src/a.ts', line: 7, text: 'It drops errors.' },
    ],
  },
  'returned-too-often': {
    kind: 'returned-too-often',
    times: 3,
    last: { kind: 'conflict', files: ['a'], target: 'main', branch: 'yard/r1/api-1' },
  },
  'failed-too-often': {
    kind: 'failed-too-often',
    times: 1,
    last: { kind: 'agent-exited', exit: 137, signal: 'SIGKILL', tail: '' },
  },
  internal: { kind: 'internal', message: 'queue is empty', stack: 'Error: queue is empty' },
  other: { kind: 'other', message: 'no reason was recorded' },
};

export const allFailures: readonly Failure[] = Object.values(failures);

export const aTask = (id: string, more: Partial<Task> = {}): Task =>
  task(id, { title: `Do ${id}`, ...more });

export function aRecord(
  id: string,
  status: TaskStatus = { id: 'open' },
  more: Partial<TaskRecord> & { readonly after?: readonly string[]; readonly title?: string } = {},
): TaskRecord {
  const { after = [], title = `Do ${id}`, ...rest } = more;
  return {
    task: aTask(id, { after, title }),
    order: 1,
    blockers: after.length,
    status,
    attempts: rest.attempt?.number ?? 0,
    failures: 0,
    ...rest,
  };
}

export function anAttempt(state: AttemptState, more: Partial<Attempt> = {}): Attempt {
  const of = { run: 'r1', number: 1, fence: 1, agent: 'mine', branch: 'yard/r1/api-1' };
  const attempt = newAttempt({ ...of, startedAt: 1000, state });
  return { ...attempt, conversation: { ...attempt.conversation, turns: 1 }, ...more };
}

export function aConversation(more: Partial<Conversation>): Pick<Attempt, 'conversation'> {
  const { conversation } = anAttempt({ id: 'preparing', slot: 1 });
  return { conversation: { ...conversation, ...more } };
}

/** Captured work that clashes with other tasks. */
export function clashingWith(...clashes: readonly string[]): Pick<Attempt, 'captured'> {
  return { captured: { commit: 'c', tree: 't', judged: false, clashes } };
}

export const settings: RunSettings = {
  target: 'main',
  jobs: 2,
  agent: 'mine',
  scope: { kind: 'ready' },
  retries: 2,
  quarantineAfter: 3,
  slotErrors: 5,
  pool: 6,
  gate: 'g1',
};

export const owner = { pid: 1, startedAt: '1', host: 'yard' };

/** Phase of a run that has ended. */
export function endedPhase(at: number, reason: StopReason | Stop = 'drained'): RunPhase {
  return { id: 'ended', at, stop: typeof reason === 'string' ? { reason } : reason };
}

type RunParts = Partial<Omit<LeasedRun, 'train' | 'target' | 'accounts' | 'spent'>> & {
  readonly train?: Partial<TrainRecord>;
  readonly target?: Partial<TargetRecord>;
  readonly accounts?: Partial<AccountsRecord>;
  readonly spent?: Partial<Spent>;
};

export function aRun({ train, target, accounts, spent, ...more }: RunParts = {}): LeasedRun {
  const run = newRun({ run: 'r1', settings, owner, base: commit('0') }, 0);
  return {
    ...run,
    train: { ...run.train, ...train },
    target: { ...run.target, ...target },
    accounts: { ...run.accounts, ...accounts },
    spent: { ...run.spent, ...spent },
    leaseUntil: undefined,
    ...more,
  };
}

/** A candidate on the target, with these branches. */
export function aCandidate(
  id: string,
  tasks: readonly string[],
  more: Partial<Candidate> = {},
): Candidate {
  const prefixes = tasks.map((task) => ({ commit: `${id}-${task}`, tree: `tree-${id}-${task}` }));
  return {
    id,
    parent: commit('0'),
    commit: prefixes.at(-1)?.commit ?? id,
    tree: prefixes.at(-1)?.tree ?? id,
    entries: tasks.map((task) => ({ id: task, attempt: 1, commit: `c-${task}` })),
    prefixes,
    state: { id: 'built' },
    landed: 0,
    green: 0,
    ...more,
  };
}

/** Bodies as stored events, a second apart. */
export function logOf(...bodies: readonly EventBody[]): Event[] {
  return bodies.map((body, at) => ({ ...body, seq: at + 1, at: (at + 1) * 1000, version: 1 }));
}

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
  fc.record({ ...ofCandidate, type: type('candidate-dropped'), found: hash }),
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
