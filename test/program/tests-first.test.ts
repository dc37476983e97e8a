// The stage `tests`: an agent writes tests that fail, then they are made to pass as they are.
import { expect, test } from 'vitest';
import { oneShotProject, promptOf, startsOf } from '../rig/one-shots.ts';
import { type Action, type TestProject, write } from '../rig.ts';

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

test('one agent writes failing tests, another makes them pass, and both land together', async () => {
  const y = project([[], [code]], { tests: { agent: 'tester' } }, [[newTest]]);
  expect(await y.ym('run', y.plan)).toMatchObject({ code: 0, stderr: '' });
  expect(y.landings()).toEqual({ a: 1 });
  expect(y.show('test/sum.test.js')).toBe(tests);
  expect(y.show('sum.js')).toBe(sum);
  expect(await startsOf(y)).toEqual(['a turn 1', 'a turn 2']);
  const turns = (await y.events()).flatMap((event) =>
    event.type === 'turn-started' ? [event.agent] : [],
  );
  expect(turns).toEqual(['tester', expect.not.stringMatching('tester')]);
  expect(promptOf(y, 'a', 'turn-1')).toContain('# Write the tests first');
  const work = promptOf(y, 'a', 'turn-2');
  expect(work).not.toContain('# Write the tests first');
  expect(work).toMatch(/# Make the tests pass\n\n.*as they should:\n- adds\n/);
  expect(work).toContain('- test/sum.test.js');
  const red = 'its new tests fail as they should: adds';
  expect(await told(y, 'why', 'a')).toContain(red);
  expect(await told(y, 'summary')).toMatch(/1 landed/);
});
