// What is picked out of the outputs in test/evidence. All are real but `nextest*.txt` and `gradle.txt`, which follow the
// documented formats of those tools; paths of the machine they were made on were replaced.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { plainText } from '../process/output.ts';
import { OutputReader } from './evidence.ts';

const outputs = join(import.meta.dirname, '../../test/evidence');

function evidenceIn(name: string) {
  const reader = new OutputReader();
  for (const line of plainText(readFileSync(join(outputs, `${name}.txt`))).split('\n')) {
    reader.line(line);
  }
  return reader.end().evidence;
}

/** Names of the failures, each with a part of its message. */
type Expected = readonly (readonly [name: string, message: string])[];

const nodeTests: Expected = [
  ['/srv/shop/broken.test.mjs', "Cannot find module '/srv/shop/missing.mjs'"],
  ['total > adds prices', '-3 !== 3'],
  ['total > with a discount > takes it off', '+   sum: -5\n-   sum: 4'],
  ['throws a string of its own', 'prices is not iterable'],
];

const tscErrors: Expected = [
  ['a.ts:1:14', "TS2322: Type 'string' is not assignable to type 'number'."],
  ['a.ts:3:30', "'m' does not exist in type '{ n: number; }'"],
  ['a.ts:5:25', "Cannot find module './missing'"],
];

const corpus: Readonly<Record<string, Expected>> = {
  'node-tap': nodeTests,
  'node-spec': nodeTests,
  // This reporter names no suites, and nothing that a file printed.
  'node-dot': [
    ['/srv/shop/broken.test.mjs', ''],
    ['adds prices', '-3 !== 3'],
    ['takes it off', '+   sum: -5'],
    ['throws a string of its own', 'prices is not iterable'],
  ],
  vitest: [
    ['broken.test.mjs [ broken.test.mjs ]', "Cannot find module './missing.mjs'"],
    ['total.test.mjs > total > adds prices', 'expected -3 to be 3'],
    ['total.test.mjs > total > with a discount > takes it off', '-   "sum": 4,'],
    ['total.test.mjs > needs a till', 'TypeError: till is not open\n ❯ total.test.mjs:10:36'],
  ],
  jest: [
    ['./total.test.js › total › adds prices', 'Expected: 3\nReceived: -3'],
    ['./total.test.js › total › with a discount › takes it off', '+   "sum": -5,'],
    ['./total.test.js › needs a till', 'TypeError: till is not open'],
    ['./broken.test.js › Test suite failed to run', "Cannot find module './missing'"],
  ],
  mocha: [
    ['total > adds prices', '-3 !== 3'],
    ['total > with a discount > takes it off', '+   sum: -5'],
    ['total > with a discount > waits', 'Timeout of 20ms exceeded'],
    ['total > with a till > "before all" hook: opens it for "is never run"', 'Error: no till'],
  ],
  'mocha-tap': [
    ['total adds prices', '-3 !== 3'],
    ['total with a discount takes it off', '+   sum: -5'],
    ['total with a discount waits', 'Timeout of 20ms exceeded'],
    ['total with a till "before all" hook: opens it for "is never run"', 'Error: no till'],
  ],
  pytest: [
    ['test_shop.py::test_till', 'E       RuntimeError: no till'],
    ['test_shop.py::TestTotal::test_adds_prices', 'E       assert -3 == 3'],
    ['test_shop.py::TestTotal::test_one[1]', 'one price is its own total\nE       assert -1 == 1'],
    ['test_shop.py::TestTotal::test_one[2]', 'test_shop.py:12: AssertionError'],
  ],
  'pytest-collect': [['test_broken.py', "ModuleNotFoundError: No module named 'missing_module'"]],
  'pytest-nosummary': [
    ['ERROR at setup of test_till', 'RuntimeError: no till'],
    ['TestTotal.test_adds_prices', 'E       assert -3 == 3'],
    ['TestTotal.test_one[1]', 'assert -1 == 1'],
    ['TestTotal.test_one[2]', 'assert -2 == 2'],
  ],
  unittest: [
    ['test_raises (__main__.Total.test_raises)', 'ValueError: negative price'],
    ['test_adds (__main__.Total.test_adds)', 'AssertionError: -1 != 3'],
  ],
  'go-test': [
    ['example.test/shop/broken [build failed]', 'broken/broken.go:3:42: cannot use len(prices)'],
    ['example.test/shop.TestTotal/two_prices', 'Total([1 2]) = -3, want 3'],
    ['example.test/shop.TestLog', 'total_test.go:20: no till'],
    ['example.test/shop/till.TestOpen', 'panic: assignment to entry in nil map'],
  ],
  'go-test-v': [
    ['example.test/shop.TestTotal/two_prices', 'total_test.go:11: Total([1 2]) = -3, want 3'],
    ['example.test/shop.TestLog', 'total_test.go:19: about to fail\ntotal_test.go:20: no till'],
  ],
  'cargo-test': [
    ['tests::discount::gives_an_error', 'Error: "no discount today"'],
    ['tests::adds_prices', 'panicked at src/lib.rs:6:24:\nassertion `left == right` failed'],
    ['tests::discount::is_taken_off', 'a discount'],
  ],
  'cargo-compile': [['src/lib.rs:16:39 error[E0308]', 'expected `u64`, found `usize`']],
  nextest: [
    ['shop tests::adds_prices', 'assertion `left == right` failed: prices are added\n  left: -3'],
    ['shop tests::discount::is_taken_off', 'panicked at src/lib.rs:11:62:\na discount'],
  ],
  'nextest-indented': [['shop tests::adds_prices', 'failed: prices are added\n  left: -3']],
  maven: [
    ['shop.TotalTest.needsATill', 'IllegalStateException: no till\n\tat shop.TotalTest'],
    ['shop.TotalTest.addsPrices', 'prices are added ==> expected: <3> but was: <-3>'],
  ],
  'maven-compile': [
    ['/srv/shop/src/main/java/shop/Total.java:[2,70]', 'String cannot be converted to int'],
  ],
  gradle: [
    ['TotalTest > addsPrices()', 'prices are added ==> expected: <3> but was: <-3>'],
    ['DiscountTest > withATill() > takesItOff()', 'IllegalStateException: no till'],
  ],
  tsc: tscErrors,
  'tsc-pretty': tscErrors,
  eslint: [
    ['/srv/shop/lint/b.js:2:11', "Expected '===' and instead saw '==' (eqeqeq)"],
    ['/srv/shop/lint/b.js:2:19', "Unexpected 'debugger' statement (no-debugger)"],
  ],
};

describe.each(Object.keys(corpus))('the output of %s', (name) => {
  const expected = corpus[name] ?? [];

  it('gives exactly its failures, in order, and nothing that passed', () => {
    const { failures, unlisted, head } = evidenceIn(name);
    expect(failures.map((failure) => failure.name)).toEqual(expected.map(([test]) => test));
    expect({ unlisted, head }).toEqual({ unlisted: 0, head: '' });
  });

  it('gives the message of each', () => {
    const { failures } = evidenceIn(name);
    for (const [at, [, message]] of expected.entries()) {
      expect(failures[at]?.message).toContain(message);
    }
  });
});

describe('several tools in one output', () => {
  it('give the failures of all of them', () => {
    const reader = new OutputReader();
    for (const name of ['eslint', 'tsc', 'vitest', 'go-test']) {
      for (const line of plainText(readFileSync(join(outputs, `${name}.txt`))).split('\n')) {
        reader.line(line);
      }
    }
    const names = reader.end().evidence.failures.map(({ name }) => name);
    const wanted = ['eslint', 'tsc', 'vitest', 'go-test'].flatMap((name) => corpus[name] ?? []);
    expect(names).toEqual(wanted.map(([name]) => name));
  });
});
