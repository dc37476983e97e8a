// The look at the whole target after a run: when it is made, with what, how it comes out, and what follows.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { VerifyOutcome } from '../../../src/model/verdict.ts';
import {
  processesWith,
  remove,
  type TestProject,
  type TestProjectOptions,
  testProject,
  until,
  write,
} from '../../rig.ts';

/** Red where the gate sees nothing: a file `bad`, which only this looks for. */
const look = `ls
echo 'looking for trouble'
test ! -e bad || { echo 'FAIL there is a file called bad' >&2; exit 3; }
`;

const plain = {
  files: { 'look.sh': look },
  tasks: [{ id: 'a' }],
  script: { a: [[write('a.txt', 'a\n')]], default: [[write('bad', '')]] },
} as const satisfies TestProjectOptions;

const bad = { ...plain, script: { a: [[write('bad', '')]] } } as const satisfies TestProjectOptions;

async function outcomes(y: TestProject): Promise<readonly VerifyOutcome[]> {
  const events = await y.events();
  return events.flatMap((event) => (event.type === 'run-verified' ? [event.outcome] : []));
}

async function runDir(y: TestProject): Promise<string> {
  const id = (await y.status()).run?.id ?? 'none';
  return join(y.root, '.git', 'yardmaster', 'runs', id);
}

async function logOf(y: TestProject): Promise<string> {
  return readFileSync(join(await runDir(y), 'verify.log'), 'utf8');
}

test('the target is verified after the last landing only on request', async () => {
  const y = testProject({ ...plain, tasks: [{ id: 'a' }, { id: 'b', after: ['a'] }] });
  y.writeScript({ a: [[write('a.txt', 'a\n')]], b: [[write('b.txt', 'b\n')]] });
  expect(await y.ym('run', y.plan, '--only', 'a')).toMatchObject({ code: 0 });
  expect(await outcomes(y)).toEqual([]);
  expect(existsSync(join(await runDir(y), 'verify.log'))).toBe(false);
  expect((await y.ym('summary')).stdout).not.toContain('verify');
  expect((await y.ym('graph', 'last')).stdout).not.toContain('verify');

  const run = await y.ym('run', y.plan, '--verify-command', 'sh look.sh');
  expect(run).toMatchObject({ code: 0, stderr: '' });
  expect(await outcomes(y)).toMatchObject([{ kind: 'passed', command: 'sh look.sh' }]);
  const types = (await y.events()).map(({ type }) => type);
  expect(types.indexOf('run-verified')).toBeGreaterThan(types.lastIndexOf('landed'));
  const log = await logOf(y);
  // The merged tree, and what was printed in the order of the streams.
  expect(log).toMatch(
    /--- stdout ---[\s\S]*a\.txt\nb\.txt[\s\S]*looking for trouble[\s\S]*--- stderr ---/,
  );
  expect((await y.ym('summary')).stdout).toMatch(/verify +passed: "sh look\.sh"/);
  expect((await y.ym('graph', 'last')).stdout).toMatch(/verify/);
  expect(run.stdout).toMatch(/verif/);
});

test('the config may ask for it, and --no-verify-tests beats every source', async () => {
  const y = testProject({ ...plain, config: { verify: { enabled: true, command: 'sh look.sh' } } });
  y.writeTasks([{ id: 'a' }, { id: 'b' }]);
  y.writeScript({ a: [[write('a.txt', 'a\n')]], b: [[write('bad', '')]] });
  expect(await y.ym('run', y.plan, '--only', 'a')).toMatchObject({ code: 0 });
  expect(await outcomes(y)).toMatchObject([{ kind: 'passed' }]);
  const env = { YARDMASTER_VERIFY__ENABLED: 'true' };
  const loud = ['--verify-tests', '--verify-command', 'false', '--no-verify-tests'];
  expect(await y.ymWith({ env }, 'run', y.plan, ...loud)).toMatchObject({ code: 0 });
  expect(await outcomes(y)).toHaveLength(1);
  expect(y.landings()).toEqual({ a: 1, b: 1 });
});

test('the command is that of the flag, else of the config, else the last of the gate that needs no shell', async () => {
  const gate = { commands: ['true', 'sh gate.sh', 'test ! -e red && true'] };
  const y = testProject({ ...plain, config: { gate, verify: { command: 'sh look.sh' } } });
  const ids = ['flag', 'config', 'gate'];
  y.writeTasks(ids.map((id) => ({ id })));
  y.writeScript(Object.fromEntries(ids.map((id) => [id, [[write(`${id}.txt`, id)]]])));
  // Run as it is, without a shell.
  const words = 'echo $HOME ; exit 1';
  await y.ym('run', y.plan, '--only', 'flag', '--verify-command', words);
  expect(await logOf(y)).toContain('\n$HOME ; exit 1\n');
  await y.ym('run', y.plan, '--only', 'config', '--verify-tests');
  const env = { YARDMASTER_VERIFY__COMMAND: '' };
  const config = JSON.parse(y.read('yardmaster.yaml'));
  y.write('yardmaster.yaml', `${JSON.stringify({ ...config, verify: {} })}\n`);
  y.commit('No command');
  await y.ymWith({ env }, 'run', y.plan, '--only', 'gate', '--verify-tests');
  expect(await outcomes(y)).toMatchObject([
    { kind: 'passed', command: words },
    { kind: 'passed', command: 'sh look.sh' },
    { kind: 'passed', command: 'sh gate.sh' },
  ]);
});

test('with nothing to run it is skipped and says why; what the stack usually has comes last', async () => {
  const y = testProject({ ...plain, config: { gate: { commands: ['test ! -e red && true'] } } });
  const run = await y.ym('run', y.plan, '--verify-tests');
  expect(run).toMatchObject({ code: 0 });
  expect(await outcomes(y)).toMatchObject([
    { kind: 'skipped', reason: expect.stringContaining('the gate needs a shell') },
  ]);
  expect((await y.ym('summary')).stdout).toMatch(/^verify +skipped: the gate needs a shell/m);
  y.write('composer.json', '{}\n');
  y.commit('A stack');
  await y.ym('add', 'Another', '--id', 'b');
  expect(await y.ym('run', '--only', 'b', '--verify-tests')).toMatchObject({ code: 5 });
  expect((await outcomes(y)).at(-1)).toMatchObject({
    kind: 'failed',
    command: 'vendor/bin/phpunit',
    exit: -1,
  });
});

test('the failing tests are named, however much was printed after them', async () => {
  const look = 'echo "not ok 1 - total adds prices"; seq 1 9000; exit 1\n';
  const y = testProject({
    ...plain,
    files: { 'look.sh': look },
    config: { verify: { enabled: true, command: 'sh look.sh' } },
  });
  const run = await y.ym('run', y.plan);
  expect(run.code).toBe(5);
  for (const { stdout } of [run, await y.ym('summary')]) {
    expect(stdout).toContain('total adds prices');
  }
});

test('one that does not end in its time is ended with all it started, exit status 5', async () => {
  const y = testProject({
    ...plain,
    files: { 'look.sh': 'sleep 300 & sleep 300\n' },
    config: { verify: { enabled: true, command: 'sh look.sh', timeout: '1s' } },
  });
  expect(await y.ym('run', y.plan)).toMatchObject({ code: 5 });
  expect(await outcomes(y)).toMatchObject([{ kind: 'timed-out', budgetMs: 1_000 }]);
  expect((await y.ym('summary')).stdout).toMatch(/^verify +timed out/m);
  expect(processesWith(y.tag)).toEqual([]);
});

/** Says that it looks, and goes on when the test says so. */
const patient = `touch "$STAGE/looking"
while test ! -e "$STAGE/go"; do sleep 0.02; done
${look}`;

/** A run whose look at the target has begun, killed there. */
async function killedWhileLooking(onFailure: string): Promise<TestProject> {
  const y = testProject({
    ...bad,
    files: { 'look.sh': patient },
    config: { verify: { enabled: true, command: 'sh look.sh', on_failure: onFailure } },
  });
  const run = y.startWith({ env: { STAGE: y.stage } }, 'run', y.plan);
  await y.seen('looking');
  run.signal('SIGKILL');
  await run.end();
  return y;
}

test('fix: exactly one task is filed, also by a run that was killed meanwhile, and doing it ends the trouble', async () => {
  const y = await killedWhileLooking('fix');
  y.signal('go');
  const env = { STAGE: y.stage };
  expect(await y.ymWith({ env }, 'resume')).toMatchObject({ code: 5 });
  const filed = async () => (await y.status()).tasks.filter(({ id }) => id !== 'a');
  const [task, ...more] = await filed();
  expect(more).toEqual([]);
  expect(task).toMatchObject({ state: 'ready', attempts: 0 });
  const id = task?.id ?? '';
  const shown = (await y.ym('show', id)).stdout;
  expect(shown).toContain('there is a file called bad');
  expect(shown).toContain('verify.log');
  // Looked at again, the same run files no second one.
  await y.ymWith({ env }, 'resume', '--verify-tests');
  expect(await filed()).toHaveLength(1);
  y.writeScript({ default: [[remove('bad')]] });
  expect(await y.ymWith({ env }, 'run', '--only', id)).toMatchObject({ code: 0 });
  expect((await outcomes(y)).at(-1)).toMatchObject({ kind: 'passed' });
  expect(await filed()).toMatchObject([{ id, state: 'landed' }]);
});

test('a run that was killed during the verification can be resumed without it', async () => {
  const y = await killedWhileLooking('report');
  y.signal('go');
  const resumed = await y.ymWith({ env: { STAGE: y.stage } }, 'resume', '--no-verify-tests');
  expect(resumed).toMatchObject({ code: 0 });
  expect(await outcomes(y)).toEqual([]);
});

/** Three that land one after the other, the second with what only the look sees. */
const three = {
  files: { 'look.sh': look },
  tasks: [
    { id: 'a' },
    { id: 'b', after: ['a'] },
    { id: 'c', after: ['b'] },
    { id: 'd', after: ['c'] },
  ],
  script: {
    b: [[write('bad', ''), write('b.txt', 'b\n')]],
    default: [[{ run: { shell: 'echo "$YARD_TASK" > "$YARD_TASK.txt"' } }]],
  },
  config: { verify: { enabled: true, command: 'sh look.sh', on_failure: 'bisect' } },
} as const satisfies TestProjectOptions;

test('bisect: the landing from which on it fails is named', async () => {
  const y = testProject(three);
  const run = await y.ym('run', y.plan);
  expect(run.code).toBe(5);
  expect(y.landed()).toEqual(['a', 'b', 'c', 'd']);
  const commit = y
    .git('log', '--first-parent', '--format=%H', '--grep', 'Yard-Task: b', 'main')
    .trim();
  expect(await outcomes(y)).toMatchObject([{ kind: 'failed', culprit: { commit, tasks: ['b'] } }]);
  const since = `since ${commit.slice(0, 7)} (b)`;
  expect((await y.ym('summary')).stdout).toContain(since);
  expect(y.landings()).toEqual({ a: 1, b: 1, c: 1, d: 1 });
});

test('bisect: of several that landed together the one to blame is named', async () => {
  const y = testProject({
    ...three,
    // The gate of the first waits until the others are queued. One more goes alone, and then two ride together.
    files: {
      'look.sh': look,
      'gate.sh': `test -n "$YARD_TASK" || exit 0
while test ! -e "$STAGE/go"; do sleep 0.02; done
`,
    },
    tasks: ['p', 'q', 'r', 's'].map((id) => ({ id, priority: id < 'r' ? 1 : 2 })),
    script: {
      r: [[write('bad', ''), write('r.txt', 'r\n')]],
      default: [[{ run: { shell: 'echo "$YARD_TASK" > "$YARD_TASK.txt"' } }]],
    },
    config: { ...three.config, jobs: 4, gate: { commands: ['sh gate.sh'], branch: 'never' } },
  });
  const run = y.startWith({ env: { STAGE: y.stage } }, 'run', y.plan);
  const queued = async () =>
    (await y.events()).filter(({ type }) => type === 'gate-skipped').length === 4;
  await until(async () => y.has('.git/yardmaster/yard.db') && (await queued()), 'all on the train');
  y.signal('go');
  expect(await run.end()).toMatchObject({ code: 5 });
  const landings = (await y.events()).filter(({ type }) => type === 'landed');
  expect(landings.length).toBeLessThan(4);
  const commit = y
    .git('log', '--first-parent', '--format=%H', '--grep', 'Yard-Task: r', 'main')
    .trim();
  expect(await outcomes(y)).toMatchObject([{ kind: 'failed', culprit: { commit, tasks: ['r'] } }]);
});
