// Anything that can be said about a piece of work, and the events that say it.
import fc from 'fast-check';
import type { MergedTarget } from '../../src/model/attempt.ts';
import type { CallKind } from '../../src/model/call.ts';
import type { EventBody } from '../../src/model/event.ts';
import type { Failure } from '../../src/model/failure.ts';
import { type Finding, severities } from '../../src/model/finding.ts';
import type { CallResult, ReviewRound } from '../../src/model/review.ts';
import type { RevisionOutcome } from '../../src/model/revision.ts';
import type { VerifyOutcome } from '../../src/model/verdict.ts';
import type { Tampering, Violation } from '../../src/model/violation.ts';

/** One of each kind. The type asks for a new one whenever the union grows. */
export const violations: { readonly [K in Violation['kind']]: Extract<Violation, { kind: K }> } = {
  'protected-path': { kind: 'protected-path', file: '.github/ci.yml', pattern: '.github/**' },
  'gate-changed': { kind: 'gate-changed', file: 'package.json', what: 'scripts.test' },
  'out-of-scope': { kind: 'out-of-scope', file: 'src/b.ts', allowed: ['src/a/**', 'docs/**'] },
  'too-large': { kind: 'too-large', what: 'files', value: 120, limit: 50 },
  'test-deleted': { kind: 'test-deleted', file: 'a.test.ts' },
  'test-emptied': { kind: 'test-emptied', file: 'b.test.ts' },
  'test-skipped': { kind: 'test-skipped', file: 'c.test.ts', line: "it.skip('adds', () => {" },
  'test-weakened': { kind: 'test-weakened', file: 'd.test.ts', line: 'expect(sum).toBe(3);' },
  'nested-repository': { kind: 'nested-repository', file: 'vendor/lib' },
  'packages-committed': { kind: 'packages-committed', file: 'node_modules', count: 3 },
  'tests-first': { kind: 'tests-first', file: 'test/a.test.ts', what: 'test-changed' },
  'lines-dropped': { kind: 'lines-dropped', file: 'src/c.ts', lines: ['const a = 1;', 'b();'] },
  'branch-not-merged': { kind: 'branch-not-merged', task: 'api', branch: 'yard/r1/api-1' },
  'branch-dropped': { kind: 'branch-dropped', file: 'src/c.ts', branch: 'yard/r1/api-1' },
};
export const allViolations: readonly Violation[] = Object.values(violations);

export const tamperings: { readonly [K in Tampering['kind']]: Extract<Tampering, { kind: K }> } = {
  'git-hook': { kind: 'git-hook', name: 'pre-commit' },
  'git-settings': { kind: 'git-settings', file: 'config' },
  'target-moved': {
    kind: 'target-moved',
    from: 'a'.repeat(40),
    to: 'b'.repeat(40),
    kept: 'refs/yard/keep/r1/api-1.target1',
  },
  'ref-moved': { kind: 'ref-moved', ref: 'refs/heads/main', from: 'a'.repeat(40) },
  'checkout-changed': { kind: 'checkout-changed', dir: '/repo', files: ['x', 'y'] },
  'worktree-changed': { kind: 'worktree-changed', task: 'ui', dir: '/w/2' },
  'home-changed': { kind: 'home-changed', file: '~/.npmrc', effect: 'gate' },
  'objects-deleted': { kind: 'objects-deleted', object: 'd'.repeat(40) },
  'verdict-forged': { kind: 'verdict-forged', tree: 'f'.repeat(40) },
};
export const allTamperings: readonly Tampering[] = Object.values(tamperings);

export const outcomes: { readonly [K in VerifyOutcome['kind']]: VerifyOutcome } = {
  passed: { kind: 'passed', command: 'npm test', ms: 4000 },
  failed: {
    kind: 'failed',
    command: 'npm test',
    exit: 1,
    ms: 4000,
    tail: 'one\ntwo\nthree\nfour\n',
    culprit: { commit: 'c'.repeat(40), tasks: ['api'] },
  },
  'timed-out': { kind: 'timed-out', command: 'npm test', budgetMs: 60_000 },
  skipped: { kind: 'skipped', reason: 'no command was found' },
};

export const anyViolation = fc.constantFrom(...allViolations);
export const anyTampering = fc.constantFrom(...allTamperings);
export const anyFinding: fc.Arbitrary<Finding> = fc.record(
  {
    id: fc.constantFrom('F1', 'F2', 'F3'),
    severity: fc.constantFrom(...severities),
    text: fc.string({ unit: 'binary', maxLength: 60 }),
    file: fc.constantFrom('src/a.ts', 'b'),
    line: fc.nat(500),
  },
  { requiredKeys: ['id', 'severity', 'text'] },
);
const anyUsage = fc.record({
  input: fc.nat(9000),
  cacheRead: fc.nat(9000),
  cacheWrite: fc.nat(9000),
  output: fc.nat(9000),
});
const anyVote = fc.record({
  verdict: fc.constantFrom('approved' as const, 'needs-changes' as const),
  findings: fc.array(anyFinding, { maxLength: 3 }),
});

function anyResult(anyFailure: fc.Arbitrary<Failure>): fc.Arbitrary<CallResult> {
  const facts = { usage: anyUsage, model: fc.constantFrom('opus', 'gpt-5') };
  return fc.oneof(
    fc
      .tuple(anyVote, fc.record(facts, { requiredKeys: [] }))
      .map(([vote, more]) => ({ ok: true as const, ...vote, ...more })),
    fc.record(
      { ok: fc.constant(false as const), failure: anyFailure, ...facts },
      { requiredKeys: ['ok', 'failure'] },
    ),
    fc.constant({ ok: true as const, body: 'Better words.' }),
  );
}

export const anyRound: fc.Arbitrary<ReviewRound> = fc
  .tuple(fc.integer({ min: 1, max: 4 }), fc.array(anyVote, { maxLength: 2 }))
  .map(([round, votes]) => ({
    round,
    commit: 'd'.repeat(40),
    votes: votes.map((vote, at) => ({ reviewer: `r${at}`, ...vote })),
  }));

const round = fc.integer({ min: 1, max: 3 });
const slot = fc.integer({ min: 1, max: 3 });
const tree = fc.constant('f'.repeat(40));

const ofMerge = { onto: tree, log: fc.constant('abc Rename total'), stat: fc.constant('a | 2') };
const anyMerged: fc.Arbitrary<MergedTarget> = fc.oneof(
  fc.record({ ...ofMerge, id: fc.constant('clean' as const), commit: tree }),
  fc.record({ ...ofMerge, id: fc.constant('conflicts' as const), files: fc.constant(['a']) }),
  fc.record({ ...ofMerge, id: fc.constant('none' as const), cause: fc.constant('unrelated') }),
);

/** Events of the train and of everything between the agent and it, for tasks called `ids`. */
export function anyWorkEvent(
  ids: fc.Arbitrary<string>,
  runs: fc.Arbitrary<string>,
  anyFailure: fc.Arbitrary<Failure>,
): fc.Arbitrary<EventBody> {
  const of = { run: runs, id: ids, attempt: fc.integer({ min: 1, max: 3 }) };
  const at = { run: runs, candidate: fc.constantFrom('c1', 'c2') };
  const type = <T extends string>(name: T): fc.Arbitrary<T> => fc.constant(name);
  const call = fc.record({
    kind: fc.constantFrom<CallKind>('review', 'critique', 'improve'),
    round,
    agent: fc.constantFrom('codex', 'gemini'),
    again: round,
  });
  const entries = fc.array(fc.record({ id: ids, attempt: of.attempt, commit: tree }), {
    maxLength: 2,
  });
  const found = fc.array(anyTampering, { maxLength: 2 });
  return fc.oneof(
    fc.record({ ...of, type: type('tampering-seen'), turn: round, found }),
    fc.record({ ...of, type: type('target-merged'), merged: anyMerged }),
    fc.record({ ...of, type: type('gate-skipped'), tree, reason: fc.constant('often green') }),
    fc.record({ ...of, type: type('call-started'), call, slot }),
    fc.record({ ...of, type: type('call-ended'), call, result: anyResult(anyFailure) }),
    fc.record({ ...of, type: type('approval-asked'), failure: anyFailure }),
    fc.record({ ...of, type: type('conflict-predicted'), with: ids, files: fc.constant(['a']) }),
    fc.record({ ...of, type: type('merge-deferred'), behind: at.candidate }),
    fc.record({
      ...at,
      type: type('gate-started'),
      count: round,
      commit: tree,
      tree,
      slot,
      tasks: fc.array(ids, { maxLength: 2 }),
    }),
    fc.record({ ...at, type: type('gate-abandoned'), count: round }),
    fc.record({ run: runs, type: type('target-moved'), from: tree, to: tree }),
    fc.record({
      ...at,
      type: type('delivered'),
      how: fc.constantFrom('branch' as const, 'pr' as const, 'stack' as const),
      entries,
      branch: fc.constant('yard/api'),
      url: fc.constant('https://example.com/1'),
    }),
    fc.record({
      run: runs,
      type: type('run-verified'),
      outcome: fc.constantFrom(...Object.values(outcomes)),
    }),
    fc.record({
      run: runs,
      type: type('check-flaked'),
      command: fc.constantFrom('npm test', 'npm run lint'),
      tree,
      log: fc.constant('gate.log'),
    }),
    anyBatchEvent(runs),
  );
}

/** A planner starts, answers or is not asked, or the plan is revised. */
function anyBatchEvent(runs: fc.Arbitrary<string>): fc.Arbitrary<EventBody> {
  const call = fc.integer({ min: 1, max: 3 });
  const plan = fc.constantFrom(
    { source: 'planner', ids: ['a', 'b'] } as const,
    { source: 'skipped', reason: 'parse_error' } as const,
  );
  const outcome = fc.constantFrom<RevisionOutcome>(
    { id: 'proposed', added: [], changed: [], canceled: [{ id: 'b', reason: 'needless' }] },
    { id: 'unchanged' },
    { id: 'failed', failure: { kind: 'agent-exited', exit: 1, tail: '' } },
  );
  const usage = { input: 1, cacheRead: 0, cacheWrite: 0, output: 2 };
  return fc.oneof(
    fc
      .tuple(runs, call)
      .map(([run, at]) => ({ type: 'planner-started', run, call: at, agent: 'x' }) as const),
    fc
      .tuple(runs, call, plan)
      .map(
        ([run, at, made]) => ({ type: 'batch-planned', run, call: at, plan: made, usage }) as const,
      ),
    fc
      .tuple(runs, plan)
      .map(([run, made]) => ({ type: 'batch-planned', run, plan: made }) as const),
    fc.tuple(runs, call, outcome).map(([run, at, made]) => {
      return {
        type: 'plan-proposed',
        run,
        id: 'a',
        call: at,
        agent: 'x',
        outcome: made,
        usage,
      } as const;
    }),
    fc.tuple(runs, call).map(([run, at]) => {
      return { type: 'revision-started', run, id: 'a', call: at, agent: 'x' } as const;
    }),
  );
}
