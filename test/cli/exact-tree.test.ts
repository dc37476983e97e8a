// The gate judges the committed tree and nothing else, whatever earlier judgements, tests or the user's git settings left.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { flat, waiting } from '../rig/project.ts';
import { remove, write, type Yard, yard } from '../rig.ts';

const ignores = { '.gitignore': 'dist/\ncache/\n' };

/** Copies every source into `dist/`, then needs what `needs` names to be there. */
const builds = `mkdir -p dist
for file in src/*; do test -e "$file" && cp "$file" dist/; done
for need in needs/*; do
  test -e "$need" || continue
  test -e "dist/$(basename "$need")" || { echo "dist/$(basename "$need") is missing"; exit 1; }
done
`;

test('what an earlier build left in an ignored folder is gone before the next judgement', async () => {
  const y = yard({
    files: { ...ignores, 'gate.sh': builds, 'src/a': 'a\n', 'needs/a': '' },
    config: { retries: 0, gate: { commands: ['sh gate.sh'], reruns: 0 } },
    tasks: [{ id: 'first' }, { id: 'deletes', after: ['first'] }],
    script: { first: [[write('x.txt', 'x\n')]], deletes: [[remove('src/a')]] },
    leaves: waiting,
  });
  expect(await y.ym('run', y.plan)).toMatchObject({ code: 1 });
  expect(y.landings()).toEqual({ first: 1 });
  expect(y.reflogGreen().red).toEqual([]);
});

test('what a red candidate left lets no other land; what gate.cache names stays', async () => {
  const y = yard({
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
function narrowed(y: Yard): void {
  y.git('sparse-checkout', 'set', 'src');
  writeFileSync(join(y.root, '.git', 'info', 'exclude'), 'hidden\n');
}

test('tests outside of the user’s sparse checkout are run', async () => {
  const y = yard({
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

test('where a test edits another test and hides it from git, the verdict is not-run and the file is named', async () => {
  const y = yard({
    files: {
      'gate.sh': 'for t in tests/*.sh; do sh "$t" || exit 1; done\n',
      'tests/2.sh': 'test ! -e bad\n',
    },
    config: { retries: 0, gate: { commands: ['sh gate.sh'], branch: 'never', reruns: 0 } },
    tasks: [{ id: 'a' }],
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
    },
    leaves: waiting,
  });
  const run = await y.ym('run', y.plan);
  expect(run.code).not.toBe(0);
  expect(y.landings()).toEqual({});
  const judged = (await y.events()).find(({ type }) => type === 'candidate-judged');
  expect(judged).toMatchObject({
    verdict: { id: 'not-run', failure: { kind: 'gate-changed-tree', files: ['tests/2.sh'] } },
  });
  expect(flat(run.stdout + run.stderr)).toContain('tests/2.sh');
});

test('an edit of the gate’s tree during the gate makes the verdict not-run; the next judgement is exact again', async () => {
  const y = yard({
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
  expect(ended.code).not.toBe(0);
  expect(flat(ended.stdout + ended.stderr)).toContain('names/total');
  expect(y.landings()).toEqual({});
  expect(await y.ymWith({ env }, 'resume')).toMatchObject({ code: 0 });
  expect(y.landings()).toEqual({ a: 1 });
  expect(existsSync(join(y.root, 'a.txt'))).toBe(true);
});
