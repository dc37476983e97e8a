// What a gate that fails says to the agent and to people: which tests failed and where all of it can be read, which
// command is missing, that its time is up, or that somebody killed it.
import { readFileSync } from 'node:fs';
import { isAbsolute, join } from 'node:path';
import { expect, test } from 'vitest';
import { flat } from '../rig/project.ts';
import { type TestProject, testProject, write } from '../rig.ts';

/** Prints what a runner prints, with far more around it than anybody is shown; red where there is a file `bad`. */
const noisy = `seq 1 20000
test ! -e bad || {
  echo 'not ok 1 - total adds prices'
  echo '  ---'
  echo '  error: "expected 3, got -3"'
  echo '  ...'
  seq 20001 40000
  exit 1
}
`;

const promptOf = (y: TestProject, run: string, turn: number): string =>
  readFileSync(
    join(y.root, '.git', 'yardmaster', 'runs', run, 'attempts', 'a-1', `turn-${turn}.prompt.md`),
    'utf8',
  );

test('the agent and the person learn which test failed and where the whole output is', async () => {
  const y = testProject({
    files: { 'gate.sh': noisy },
    config: { retries: 1 },
    tasks: [{ id: 'a' }],
    script: { a: [[write('bad', 'x\n')], [write('bad', 'y\n')]] },
    leaves: ['branches'],
  });
  const run = await y.ym('run', y.plan);
  expect(run.code).toBe(1);
  expect(run.stdout).toContain('total adds prices');
  const why = await y.ym('why', 'a');
  expect(flat(why.stdout)).toContain('`sh gate.sh` failed (exit 1)');
  expect(why.stdout).toContain('expected 3, got -3');
  const [, log = ''] = /Read (\S+\.out)/.exec(flat(why.stdout)) ?? [];
  expect(isAbsolute(log)).toBe(true);
  const whole = readFileSync(log, 'utf8');
  expect(whole.startsWith('1\n2\n') && whole.endsWith('40000\n')).toBe(true);
  const prompt = promptOf(y, (await y.status()).run?.id ?? '', 2);
  expect(prompt).toContain('- total adds prices\n\n```\nexpected 3, got -3\n```');
  expect(prompt).toContain('```\nsh gate.sh\n```');
  expect(prompt).toMatch(/The whole output is in the file \/\S+\.out\n/);
});
