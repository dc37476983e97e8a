import { describe, expect, it } from 'vitest';
import type { CheckFailure } from '../model/evidence.ts';
import type { Failure } from '../model/failure.ts';
import type { Verdict } from '../model/verdict.ts';
import { changedTests, notTests, testsOutcome } from './tests-first.ts';

const red = (...failures: readonly CheckFailure[]): Failure => ({
  kind: 'gate-red',
  where: 'branch',
  command: 'npm test',
  exit: 1,
  evidence: { failures, unlisted: 0, signs: [], head: '' },
  tail: '',
  log: '/log',
});
const failed = (...failures: readonly CheckFailure[]): Verdict => ({
  id: 'failed',
  ms: 1,
  failure: red(...failures),
});
const one = (name: string, message = ''): CheckFailure => ({ name, message });

describe('the gate on tests that were written first', () => {
  it('must fail', () => {
    expect(testsOutcome({ id: 'passed', ms: 1 }, ['test/a.test.js'])).toEqual({
      id: 'refused',
      failure: { kind: 'tests-not-red', found: 'passed', tests: [] },
    });
  });

  it('says nothing if it could not run', () => {
    const failure: Failure = { kind: 'gate-not-run', where: 'branch', cause: 'x' };
    expect(testsOutcome({ id: 'not-run', failure }, ['test/a.test.js'])).toBeUndefined();
  });

  it.each([
    ['test/a.test.js', one('test/a.test.js > adds', 'expected 3')],
    ['test/a.test.js', one('adds', 'at file:///made/up/wt/test/a.test.js:3:1')],
    ['test/a.test.js', one('adds', 'at ./test/a.test.js:3:1')],
    ['tests/test_a.py', one('tests/test_a.py::test_adds', 'assert 1 == 2')],
    ['tests/test_a.py', one('test_adds (tests.test_a.Sums)', 'AssertionError')],
    ['cart/sum_test.go', one('TestSum', 'sum_test.go:10: got 1')],
    ['tests/sum.rs', one('adds', 'panicked at tests/sum.rs:3:5')],
    ['src/test/java/CartTest.java', one('CartTest.adds', 'expected: <3>')],
  ])('finds the failing test in %s', (file, failure) => {
    expect(testsOutcome(failed(failure), [file])).toEqual({
      id: 'red',
      tests: [failure.name],
      files: [file],
    });
  });

  it('refuses failing tests of other files, also of a file with the same name', () => {
    const own = one('a/index.test.js > adds');
    for (const name of ['b/index.test.js > counts', 'test/old.test.js > counts', 'counts']) {
      expect(testsOutcome(failed(own, one(name)), ['a/index.test.js'])).toMatchObject({
        failure: { found: 'other-tests', tests: [name], last: { kind: 'gate-red' } },
      });
    }
  });

  it('refuses more failures than are listed, because one of the others may be elsewhere', () => {
    const failure = red(one('a.test.js > adds'));
    if (failure.kind !== 'gate-red') throw new Error('not red');
    const cut = { ...failure, evidence: { ...failure.evidence, unlisted: 1 } };
    expect(testsOutcome({ id: 'failed', ms: 1, failure: cut }, ['a.test.js'])).toEqual({
      id: 'refused',
      failure: { kind: 'tests-not-red', found: 'too-many', tests: [], last: cut },
    });
  });

  it('refuses a failure without a failing test of the new files', () => {
    const timeout: Failure = {
      ...{ kind: 'limit-crossed', phase: 'gate', limit: 'wall', value: 1, tail: '' },
    };
    const verdicts: readonly Verdict[] = [
      failed(),
      failed(one('test/old.test.js > counts')),
      { id: 'failed', ms: 1, failure: timeout },
    ];
    for (const verdict of verdicts) {
      expect(testsOutcome(verdict, ['test/a.test.js'])).toMatchObject({
        id: 'refused',
        failure: { found: 'no-test', last: verdict.id === 'failed' ? verdict.failure : {} },
      });
    }
    // A file that is not a test cannot hold the failing test.
    expect(testsOutcome(failed(one('src/a.js > adds')), ['src/a.js'])).toMatchObject({
      failure: { found: 'no-test' },
    });
  });

  it('takes a file that cannot be loaded only if the code that it tests is missing', () => {
    const files = ['test/a.test.js'];
    const missing = "SyntaxError: The requested module './sum.js' does not provide an export";
    const broken = 'SyntaxError: Unexpected end of input';
    const absent = "test/a.test.js:1:10 error TS2307: Cannot find module './sum.js'";
    expect(testsOutcome(failed(one('test/a.test.js', missing)), files)).toMatchObject({
      id: 'red',
    });
    expect(testsOutcome(failed(one('test/a.test.js:1:10', absent)), files)).toMatchObject({
      id: 'red',
    });
    const names = [
      'test/a.test.js',
      '/wt/test/a.test.js',
      'test/a.test.js:1:10',
      'test/a.test.js:[1,10]',
      'test/a.test.js:1:10 error',
      'test/a.test.js [ test/a.test.js ]',
      'test/a.test.js › Test suite failed to run',
      'test/a.test.js [build failed]',
      'test/a.test.js (unittest.loader._FailedTest.test.a)',
    ];
    for (const name of names) {
      expect(testsOutcome(failed(one(name, broken)), files)).toMatchObject({
        failure: { found: 'no-test' },
      });
    }
  });
});

describe('changes around tests that were written first', () => {
  it('are tests, and data and helpers of tests, until the gate has failed', () => {
    const files = ['test/a.test.js', 'src/b.spec.ts', 'test/fixtures/x.json', 'test/rig.js'];
    expect(notTests(files)).toEqual([]);
    expect(notTests([...files, 'src/a.js', 'package.json'])).toEqual([
      { kind: 'tests-first', file: 'src/a.js', what: 'not-a-test' },
      { kind: 'tests-first', file: 'package.json', what: 'not-a-test' },
    ]);
  });

  it('leave these tests alone afterwards', () => {
    const written = ['test/a.test.js', 'test/b.test.js'];
    expect(changedTests(written, ['src/a.js', 'test/new.test.js'])).toEqual([]);
    expect(changedTests(written, ['src/a.js', 'test/b.test.js'])).toEqual([
      { kind: 'tests-first', file: 'test/b.test.js', what: 'test-changed' },
    ]);
  });
});
