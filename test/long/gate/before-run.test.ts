// Commands of the user before a run, which can refuse it.
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { processesWith, type TestProject, testProject, until, write } from '../../rig.ts';

/** Notes each run on the stage, leaves a file behind, and refuses while the stage has a file called down. */
const ready = `echo "$PWD" >> "$STAGE/checks"
touch left-behind
echo changed > README.md
test ! -e "$STAGE/slow" || { touch "$STAGE/checking"; while test ! -e "$STAGE/go"; do sleep 0.05; done; }
test ! -e "$STAGE/down" || { echo 'the database is down' >&2; exit 7; }
`;

const gate = 'echo gate >> "$STAGE/gates"; test ! -e left-behind && git diff --quiet';

function project(config: Readonly<Record<string, unknown>> = {}): TestProject {
  return testProject({
    tasks: [{ id: 'a' }],
    files: { 'ready.sh': ready, 'README.md': 'one\n' },
    config: {
      jobs: 1,
      preflight: true,
      run: { before: ['true', 'sh ready.sh'] },
      gate: { commands: [gate], reruns: 0 },
      ...config,
    },
    script: { a: [[write('a.txt', 'a\n')]], b: [[write('b.txt', 'b\n')]] },
  });
}

const linesOf = (y: TestProject, name: string): number => {
  const file = join(y.stage, name);
  return existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n').length : 0;
};

async function starts(y: TestProject): Promise<number> {
  return (await y.events()).filter(({ type }) => type === 'turn-started').length;
}

test('a command that fails refuses the run before any agent starts; a resumed run runs it again', async () => {
  const y = project();
  const env = { STAGE: y.stage };
  writeFileSync(join(y.stage, 'down'), '');
  const dry = await y.ymWith({ env }, 'run', y.plan, '--dry-run');
  expect(dry.stdout).toContain('before the first agent starts: true, sh ready.sh, then the gate\n');
  expect(linesOf(y, 'checks')).toBe(0);
  const run = await y.ymWith({ env }, 'run', y.plan);
  expect(run).toMatchObject({ code: 3 });
  expect(run.stdout).toContain('`sh ready.sh` of `run.before` failed (exit 7), so the run ends.');
  expect(run.stdout).toMatch(/^printed +the database is down$/m);
  const [, log = ''] = /Read\s+(\S+before-2\.out)\./.exec(run.stdout) ?? [];
  expect(readFileSync(log, 'utf8')).toBe('the database is down\n');
  expect(await starts(y)).toBe(0);
  expect(run.stdout).not.toMatch(/ started +a /);
  expect(linesOf(y, 'gates')).toBe(0);
  // The task has no output of its own yet.
  expect(await y.ym('log', 'a')).toMatchObject({
    stdout: 'the database is down\n',
    stderr: 'ym: attempt 1 has no agent yet; this is the output of the check of the target\n',
  });
  expect((await y.status()).tasks).toMatchObject([{ id: 'a', state: 'ready' }]);

  // Every list of what needs the user has the run.
  const { needsYou } = JSON.parse((await y.ym('status', '--json')).stdout);
  expect(needsYou).toMatchObject([{ kind: 'run' }]);
  const { runs } = JSON.parse((await y.ym('runs', '--json')).stdout);
  expect(runs).toMatchObject([{ needYou: 1 }]);
  expect(JSON.parse((await y.ym('summary', '--json')).stdout).result).toMatchObject({ needYou: 1 });
  const review = await y.ym('review');
  expect(review).toMatchObject({ code: 1 });
  expect(review.stdout).toMatch(/^Run \S+ ended early: ym resume$/m);
  expect(review.stdout).toContain(log);
  const reported = await y.ym('report', '--out', join(y.base, 'report.html'));
  expect(reported).toMatchObject({ code: 0 });
  expect(readFileSync(join(y.base, 'report.html'), 'utf8')).toMatch(
    /Needs you<\/h3><ul><li><b>\S+<\/b> `sh ready.sh` of `run.before` failed \(exit 7\)/,
  );

  expect(await y.ymWith({ env }, 'resume')).toMatchObject({ code: 3 });
  rmSync(join(y.stage, 'down'));
  const resumed = await y.ymWith({ env }, 'resume');
  expect(resumed).toMatchObject({ code: 0 });
  expect(resumed.stdout).toMatch(/ check +checking main .* started +a /s);
  expect(linesOf(y, 'checks')).toBe(3);
  expect(y.landings()).toEqual({ a: 1 });
});

/** Starts a run and kills the program when the file is on the stage. */
async function killedAt(y: TestProject, file: string): Promise<void> {
  const run = y.startWith({ env: { STAGE: y.stage } }, 'run', y.plan);
  await y.seen(file);
  run.signal('SIGKILL');
  await run.end();
}

test('a command that outlives the program is ended and runs again', async () => {
  const y = project();
  const env = { STAGE: y.stage };
  y.signal('slow');
  await killedAt(y, 'checking');
  rmSync(join(y.stage, 'slow'));
  expect(await y.ymWith({ env }, 'resume')).toMatchObject({ code: 0 });
  expect(linesOf(y, 'checks')).toBe(2);
  expect(y.landings()).toEqual({ a: 1 });
});

test.each([
  { ended: true, how: 'has failed' },
  { ended: false, how: 'still runs' },
])('a resumed run obeys the commands of the new target, if an old one $how', async ({ ended }) => {
  const y = project();
  const env = { STAGE: y.stage };
  y.signal('slow');
  y.signal('down');
  await killedAt(y, 'checking');
  if (ended) {
    y.signal('go');
    await until(() => processesWith(y.tag).length === 0, 'the old command has ended');
  }
  const config = JSON.parse(readFileSync(join(y.root, 'yardmaster.yaml'), 'utf8'));
  const run = { before: ['echo new >> "$STAGE/new"'] };
  y.write('yardmaster.yaml', JSON.stringify({ ...config, run }));
  y.commit('Another command before a run');
  expect(await y.ymWith({ env }, 'resume')).toMatchObject({ code: 0 });
  expect(linesOf(y, 'new')).toBe(1);
  expect(linesOf(y, 'checks')).toBe(1);
  const judged = (await y.events()).filter(({ type }) => type === 'target-judged');
  expect(judged).toMatchObject([{ verdict: { id: 'passed' } }]);
  expect(y.landings()).toEqual({ a: 1 });
});

test('a stop ends a command, and one that takes too long refuses the run', async () => {
  const y = project();
  const env = { STAGE: y.stage };
  y.signal('slow');
  const stopped = y.startWith({ env }, 'run', y.plan);
  await y.seen('checking');
  expect(await y.ym('stop')).toMatchObject({ code: 0 });
  await stopped.end();
  expect(await starts(y)).toBe(0);

  const late = await y.ymWith({ env: { ...env, YARDMASTER_GATE__TIMEOUT: '1s' } }, 'resume');
  expect(late).toMatchObject({ code: 3 });
  expect(late.stdout).toContain(
    'checking main before the first agent starts: true, sh ready.sh, then the gate',
  );
  expect(late.stdout.replace(/\s+/g, ' ')).toContain(
    '`sh ready.sh` of `run.before` did not finish within 1 s (`gate.timeout`), so the run ends.',
  );
});
