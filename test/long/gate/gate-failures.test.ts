// What a gate that fails says to the agent and to people: which tests failed and where all of it can be read, which
// command is missing, that its time is up, or that somebody killed it.
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { flat, packageText } from '../../rig/project.ts';
import { testProject, write } from '../../rig.ts';

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

test('verify names the failing test of a red target and keeps the whole output', async () => {
  const y = testProject({ files: { 'gate.sh': noisy, bad: '' } });
  const seen = await y.ym('verify');
  expect(seen.code).toBe(5);
  expect(flat(seen.stdout)).toContain('total adds prices expected 3, got -3');
  const [, log = ''] = /Full output: (\S+)/.exec(seen.stdout) ?? [];
  expect(readFileSync(log, 'utf8').endsWith('40000\n')).toBe(true);
});

test('a command that is missing inside of the gate is named, and the set-up is suggested', async () => {
  const y = testProject({
    files: { 'package.json': packageText({ scripts: { test: 'no-such-tsd && true' } }) },
    config: { preflight: true, gate: { commands: ['npm test'] } },
    tasks: [{ id: 'a' }],
    script: { a: [[{ touch: { file: 'started' } }, write('a.txt', 'a\n')]] },
  });
  const seen = await y.ym('verify');
  expect(seen.code).toBe(3);
  expect(flat(seen.stderr)).toContain(
    'the command `no-such-tsd`, which `npm test` runs, was not found',
  );
  expect(seen.stderr).toContain('worktree.setup');
  const run = await y.ym('run', y.plan);
  expect(run.code).toBe(3);
  expect(flat(run.stdout + run.stderr)).toContain('`no-such-tsd`');
  expect(flat(run.stdout + run.stderr)).not.toContain('`npm test` was not found');
  expect(y.isSeen('started')).toBe(false);
});

test('a gate that is killed every time ends the run, blames no task, and is run again by `ym resume`', async () => {
  const y = testProject({
    files: { 'gate.sh': 'test ! -e a.txt || test -n "$MEMORY" || kill -9 $$\n' },
    config: { retries: 0 },
    tasks: [{ id: 'a' }],
    script: { a: [[write('a.txt', 'a\n')]] },
  });
  const run = await y.ym('run', y.plan);
  expect(run.code).toBe(3);
  expect(flat(run.stdout + run.stderr)).toContain('killed by SIGKILL');
  const { state } = await y.task('a');
  expect(['failed', 'blocked', 'quarantined']).not.toContain(state);
  expect(y.landings()).toEqual({});
  expect(await y.ymWith({ env: { MEMORY: 'enough' } }, 'resume')).toMatchObject({ code: 0 });
  expect(y.landings()).toEqual({ a: 1 });
});
