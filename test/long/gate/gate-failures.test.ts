// What a gate that fails says to the agent and to people: which tests failed and where all of it can be read, which
// command is missing, that its time is up, or that somebody killed it.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { flat, packageText } from '../../rig/project.ts';
import { remove, type TestProject, testProject, write } from '../../rig.ts';

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

test('a command that only the work lacks makes the work red, with its name', async () => {
  const y = testProject({
    files: { 'gate.sh': 'test ! -e a.txt || no-such-tsd\n' },
    config: { retries: 0 },
    tasks: [{ id: 'a' }],
    script: { a: [[write('a.txt', 'a\n')]] },
    leaves: ['branches'],
  });
  expect((await y.ym('run', y.plan)).code).toBe(1);
  const { failure } = await y.task('a');
  expect(failure?.what).toContain('`no-such-tsd` was not found');
  expect(failure?.do).toContain('worktree.setup');
});

test('the gate itself is missing only where the shell cannot find its first word', async () => {
  const y = testProject({ config: { gate: { commands: ['CI=1 no-such-gate --all'] } } });
  const seen = await y.ym('verify');
  expect(seen.code).toBe(2);
  expect(flat(seen.stderr)).toContain('there is no program "no-such-gate" on the PATH');
  expect(seen.stderr).toContain('gate.commands');
});

test('of an output that no runner wrote the agent gets both ends, with command and path uncut', async () => {
  const command = `sh gate.sh ${'long-argument-'.repeat(60)}end`;
  const y = testProject({
    files: {
      'gate.sh': 'test ! -e bad || { echo at first; seq 1 20000; echo at last; exit 3; }\n',
    },
    config: { retries: 1, gate: { commands: [command], reruns: 0 } },
    tasks: [{ id: 'a' }],
    script: { a: [[write('bad', 'x\n')], [remove('bad'), write('good', 'y\n')]] },
  });
  expect((await y.ym('run', y.plan)).code).toBe(0);
  const prompt = promptOf(y, (await y.status()).run?.id ?? '', 2);
  expect(prompt).toContain('\nat first\n');
  expect(prompt).toContain('\nat last\n');
  expect(prompt).not.toContain('\n10000\n');
  expect(prompt).toContain(`\n${command}\n`);
  const [, log = ''] = /whole output is in the file (\S+\.out)\n/.exec(prompt) ?? [];
  expect(readFileSync(log, 'utf8').startsWith('at first\n')).toBe(true);
});

test('the time limit is for all commands of the gate together, and a run again has its own', async () => {
  const commands = ['echo begun; sleep 0.8', 'echo goes on; sleep 0.8'];
  const together = testProject({ config: { gate: { commands, timeout: '1500ms' } } });
  const seen = await together.ym('verify');
  expect(seen.code).toBe(5);
  expect(flat(seen.stdout)).toContain('did not finish within');
  const [, log = ''] = /Full output: (\S+)/.exec(seen.stdout) ?? [];
  expect(readFileSync(log, 'utf8')).toBe('goes on\n');
  const again = testProject({
    files: {
      'gate.sh': 'sleep 0.8; test -e "$STAGE/again" || { touch "$STAGE/again"; exit 1; }\n',
    },
    config: { gate: { commands: ['sh gate.sh'], timeout: '1500ms', reruns: 1 } },
  });
  expect((await again.ymWith({ env: { STAGE: again.stage } }, 'verify')).code).toBe(0);
});

test('a gate that is killed once is run again, without a report', async () => {
  const gate = 'test -e "$STAGE/killed" || { touch "$STAGE/killed"; kill -9 $$; }\n';
  const y = testProject({ files: { 'gate.sh': gate } });
  expect((await y.ymWith({ env: { STAGE: y.stage } }, 'verify')).code).toBe(0);
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
