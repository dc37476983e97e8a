// The gate judges the committed tree and nothing else, whatever earlier judgments, tests or the user's git settings left.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { flat, waiting } from '../../rig/project.ts';
import { type TestProject, testProject, write } from '../../rig.ts';

const ignores = { '.gitignore': 'dist/\ncache/\n' };

test('what a red candidate left lets no other land; what gate.cache names stays', async () => {
  const y = testProject({
    files: {
      ...ignores,
      'gate.sh': `test ! -e leaves || { mkdir -p dist cache; touch dist/answer cache/warm; exit 1; }
test ! -e asks || { test -e cache/warm && touch "$STAGE/warm"; test -e dist/answer; }
`,
    },
    config: {
      retries: 0,
      jobs: 1,
      gate: { commands: ['sh gate.sh'], branch: 'never', reruns: 0, cache: ['cache/'] },
      train: { batch: 1 },
    },
    tasks: [{ id: 'leaver' }, { id: 'asker' }],
    script: { leaver: [[write('leaves', '')]], asker: [[write('asks', '')]] },
    leaves: waiting,
  });
  expect(await y.ymWith({ env: { STAGE: y.stage } }, 'run', y.plan)).toMatchObject({ code: 1 });
  expect(y.landings()).toEqual({});
  expect(y.isSeen('warm')).toBe(true);
});

/** What the person set for their own checkout: only `src`, and two files that git does not look at. */
function narrowed(y: TestProject): void {
  y.git('sparse-checkout', 'set', 'src');
  writeFileSync(join(y.root, '.git', 'info', 'exclude'), 'hidden\n');
}

test('tests outside of the user’s sparse checkout are run', async () => {
  const y = testProject({
    files: {
      'src/a': 'a\n',
      'test/run.sh': 'test ! -e src/bad\n',
      'gate.sh': 'for t in test/*.sh; do test -e "$t" || continue; sh "$t" || exit 1; done\n',
    },
    config: { retries: 0, gate: { commands: ['sh gate.sh'], branch: 'never', reruns: 0 } },
    tasks: [{ id: 'bad' }, { id: 'good' }],
    script: { bad: [[write('src/bad', '')]], good: [[write('src/good', '')]] },
    leaves: waiting,
  });
  narrowed(y);
  expect(y.has('test/run.sh')).toBe(false);
  expect(await y.ym('run', y.plan)).toMatchObject({ code: 1 });
  expect(y.landings()).toEqual({ good: 1 });
  expect((await y.ym('verify')).code).toBe(0);
  expect(y.has('test/run.sh')).toBe(false);
});

test('work whose test edits another test and hides it from git comes back with the file named; the rest lands', async () => {
  const y = testProject({
    files: {
      'gate.sh': 'for t in tests/*.sh; do sh "$t" || exit 1; done\n',
      'tests/2.sh': 'test ! -e bad\n',
    },
    config: { retries: 1, jobs: 2, gate: { commands: ['sh gate.sh'], branch: 'never', reruns: 0 } },
    tasks: [{ id: 'a' }, { id: 'good' }],
    script: {
      a: [
        [
          write('bad', ''),
          write(
            'tests/1.sh',
            'git update-index --assume-unchanged tests/2.sh; echo true > tests/2.sh\n',
          ),
        ],
      ],
      good: [[write('good.txt', 'good\n')]],
    },
    leaves: waiting,
  });
  expect(await y.ym('run', y.plan)).toMatchObject({ code: 1 });
  expect(y.landings()).toEqual({ good: 1 });
  expect(y.reflogGreen().red).toEqual([]);
  expect((await y.ym('why', 'a')).stdout).toContain('tests/2.sh');
  const run = (await y.status()).run?.id ?? '';
  const turn = join(
    y.root,
    '.git',
    'yardmaster',
    'runs',
    run,
    'attempts',
    'a-1',
    'turn-2.prompt.md',
  );
  expect(readFileSync(turn, 'utf8')).toContain('- tests/2.sh');
});

test('where the gate changes committed files of the target itself, the run stops and blames no work', async () => {
  const y = testProject({
    files: { 'gate.sh': 'date +%N >> names/total\n' },
    config: { retries: 0, gate: { commands: ['sh gate.sh'], reruns: 0 } },
    tasks: [{ id: 'a' }],
    script: { a: [[write('a.txt', 'a\n')]] },
    leaves: [...waiting, 'worktrees', 'state'],
  });
  const run = await y.ym('run', y.plan);
  expect(run.code).toBe(3);
  expect(flat(run.stdout)).toContain('The gate passed on the target, but these committed files');
  expect(run.stdout).toContain('names/total');
  expect((await y.task('a')).state).toBe('queued');
  y.write('gate.sh', 'true\n');
  y.commit('The gate writes nothing');
  expect(await y.ym('resume')).toMatchObject({ code: 0 });
  expect(y.landings()).toEqual({ a: 1 });
});

test('an edit of the gate’s tree during the gate makes the verdict not-run, and the work is judged again', async () => {
  const y = testProject({
    files: {
      'gate.sh':
        'pwd > "$STAGE/where"; while test ! -e "$STAGE/go"; do sleep 0.02; done; test ! -e bad\n',
    },
    config: { retries: 0, gate: { commands: ['sh gate.sh'], branch: 'never', reruns: 0 } },
    tasks: [{ id: 'a' }],
    script: { a: [[write('a.txt', 'a\n')]] },
    leaves: waiting,
  });
  const env = { STAGE: y.stage };
  const run = y.startWith({ env }, 'run', y.plan);
  await y.seen('where');
  const where = readFileSync(join(y.stage, 'where'), 'utf8').trim();
  writeFileSync(join(where, 'names/total'), 'edited\n');
  y.gitIn(where, 'update-index', '--assume-unchanged', 'names/total');
  y.signal('go');
  const ended = await run.end();
  expect(ended.code).toBe(0);
  const verdicts = (await y.events()).flatMap((event) =>
    event.type === 'candidate-judged' ? event.verdict : [],
  );
  expect(verdicts).toMatchObject([
    { id: 'not-run', failure: { kind: 'gate-changed-tree', files: ['names/total'] } },
    { id: 'passed' },
  ]);
  expect(flat(ended.stdout)).toContain('names/total');
  expect(y.landings()).toEqual({ a: 1 });
  expect(y.show('names/total')).toBe('');
  expect(existsSync(join(y.root, 'a.txt'))).toBe(true);
});
