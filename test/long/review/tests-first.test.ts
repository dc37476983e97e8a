// The stage `tests`: an agent writes tests that fail, then they are made to pass as they are.
import { expect, test } from 'vitest';
import { approveAll, oneShotProject, promptOf } from '../../rig/one-shots.ts';
import { type Action, remove, type TestProject, write } from '../../rig.ts';

const old = "require('node:test')('counts', () => {});\n";
const tests = `const assert = require('node:assert');
require('node:test')('adds', () => assert.equal(require('../sum.js')(1, 2), 3));
`;
const sum = 'module.exports = (a, b) => a + b;\n';
const newTest = write('test/sum.test.js', tests);
const code = write('sum.js', sum);

function project(
  turns: readonly (readonly Action[])[],
  config: Readonly<Record<string, unknown>> = {},
  tester: readonly (readonly Action[])[] = [],
): TestProject {
  return oneShotProject({
    tasks: [{ id: 'a', title: 'Add numbers' }],
    files: { 'test/old.test.js': old },
    script: { a: turns },
    oneShotAgents: { tester: { a: tester } },
    config: {
      gate: { commands: ['node --test test/'], branch: 'never', reruns: 0 },
      pipeline: { default: ['tests', 'work', 'gate', 'land'] },
      ...config,
    },
  });
}

/** Lines of a report about the task, without times. */
const told = async (y: TestProject, ...args: readonly string[]): Promise<string> =>
  (await y.ym(...args)).stdout;

test('tests that pass or break others go back, and so does work that changes the tests, once', async () => {
  const edited = write('test/sum.test.js', `${tests}// once more\n`);
  const y = project(
    [
      [write('test/sum.test.js', old)],
      [newTest, write('test/other.test.js', 'oops(')],
      [newTest, code, remove('test/other.test.js')],
      [remove('sum.js')],
      [edited],
      [code, edited],
    ],
    { retries: 9, retry: { returns: 9 } },
  );
  const run = await y.ym('run', y.plan);
  expect(run.code).toBe(1);
  const outcomes = (await y.events()).flatMap((event): readonly unknown[] => {
    if (event.type === 'branch-judged') return [event.tests];
    return event.type === 'work-captured' ? (event.violations ?? []) : [];
  });
  expect(outcomes).toMatchObject([
    { id: 'refused', failure: { kind: 'tests-not-red', found: 'passed' } },
    { id: 'refused', failure: { kind: 'tests-not-red', found: 'other-tests' } },
    { kind: 'tests-first', file: 'sum.js', what: 'not-a-test' },
    { id: 'red', tests: ['adds'], files: ['test/sum.test.js'] },
    { kind: 'tests-first', file: 'test/sum.test.js', what: 'test-changed' },
    { kind: 'tests-first', file: 'test/sum.test.js', what: 'test-changed' },
  ]);
  expect(run.stdout).toContain('the gate passes with them');
  expect(promptOf(y, 'a', 'turn-3')).toContain('Change the tests only.');
  expect(promptOf(y, 'a', 'turn-6')).toContain('one of the tests that were written first');
  const why = await told(y, 'why', 'a');
  expect(why).toContain('test/sum.test.js is a test that was written first, and was changed');
  expect(why).toContain('ym approve a');
  expect(await told(y, 'status')).toContain('it breaks rules of the target (tests first)');
  await approveAll(y, 'a');
  expect(y.show('test/sum.test.js')).toContain('once more');
});
