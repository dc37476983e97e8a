// The train: what lands, what comes back, and that the target is green at every moment.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import {
  append,
  remove,
  type TestProject,
  testProject,
  touch,
  until,
  waitFor,
  write,
} from '../../rig.ts';

/** What the agent of a turn was told. */
function promptOf(y: TestProject, task: string, attempt: number, turn: number): string {
  const runs = join(y.root, '.git', 'yardmaster', 'runs');
  const [run = ''] = readdirSync(runs);
  return readFileSync(
    join(runs, run, 'attempts', `${task}-${attempt}`, `turn-${turn}.prompt.md`),
    'utf8',
  );
}

test('a branch that is red by itself goes back to its agent and lands when fixed', async () => {
  const y = testProject({
    tasks: [{ id: 'a' }],
    script: { a: [[write('red', ''), write('a.txt', 'a\n')], [remove('red')]] },
  });
  expect(await y.ym('run', y.plan)).toMatchObject({ code: 0 });
  expect(promptOf(y, 'a', 1, 2)).toContain('there is a file called red');
  expect(y.git('ls-tree', '--name-only', 'main')).not.toContain('red');
  expect(y.reflogGreen()).toMatchObject({ red: [], values: { length: 2 } });
});

test('a conflict that is never fixed blocks its task alone, and keeps its work', async () => {
  const y = testProject({
    files: { 'list.txt': 'start\n' },
    leaves: ['branches', 'kept'],
    tasks: [{ id: 'a', priority: 0 }, { id: 'b' }, { id: 'c' }],
    script: {
      a: [[touch('a'), waitFor('b'), append('list.txt', 'a\n')]],
      // Lands after `a` for certain: it ends only when `a` is on the target.
      b: [
        [touch('b'), waitFor('a-landed'), write('list.txt', 'start\nb\n')],
        [{ print: { text: 'I do not know how to merge this.' } }],
      ],
      c: [[write('c.txt', 'c\n')]],
    },
  });
  const run = y.start('run', y.plan, '--retries', '1');
  await until(() => y.landed().includes('a'), 'the landing of a');
  y.signal('a-landed');
  const ended = await run.end();
  expect(ended.code).toBe(1);
  expect([...y.landed()].sort()).toEqual(['a', 'c']);
  const b = await y.task('b');
  expect(b).toMatchObject({ state: 'blocked', failure: { kind: 'returned-too-often' } });
  expect(b.failure?.what).toContain('list.txt');
  expect(b.failure?.what).not.toMatch(/[0-9a-f]{40}/);
  const [branch = ''] = y.leftovers().branches;
  expect(y.show('list.txt', branch)).toBe('start\nb\n');
  expect(ended.stdout).toContain('list.txt');
  const turns = (await y.events()).filter(
    (event) => event.type === 'turn-started' && event.id === 'b',
  );
  expect(turns).toHaveLength(2);
  expect(y.reflogGreen()).toMatchObject({ red: [] });
});

test('a target that moves while its candidate is judged is not overwritten', async () => {
  const y = testProject({
    // Where the agent's work meets the person's first commit, the gate itself waits for the second one.
    files: {
      'gate.sh': `test -e a.txt && test -e first.txt || exit 0
touch "$STAGE/judging"
while test ! -e "$STAGE/go"; do sleep 0.02; done
`,
    },
    tasks: [{ id: 'a' }],
    script: { a: [[touch('working'), waitFor('first'), write('a.txt', 'a\n')]] },
  });
  const run = y.startWith({ env: { STAGE: y.stage } }, 'run', y.plan);
  await y.seen('working');
  y.write('first.txt', '1\n');
  const first = y.commit('By hand');
  y.signal('first');
  await y.seen('judging');
  y.write('second.txt', '2\n');
  const second = y.commit('By hand again');
  y.signal('go');
  expect(await run.end()).toMatchObject({ code: 0 });
  expect(y.tip('main^1')).toBe(second);
  expect(y.tip('main^1^1')).toBe(first);
  expect(y.landings()).toEqual({ a: 1 });
  expect(y.git('status', '--porcelain')).toBe('');
});

test('work lands on a branch that is checked out nowhere', async () => {
  const y = testProject({ tasks: [{ id: 'a' }], script: { a: [[write('a.txt', 'a\n')]] } });
  y.git('branch', 'release');
  const before = { ...y.snapshotOfCheckout('release'), main: y.tip() };
  expect(await y.ym('run', y.plan, '--target', 'release')).toMatchObject({ code: 0 });
  expect(y.landings('release')).toEqual({ a: 1 });
  expect({ ...y.snapshotOfCheckout('release'), main: y.tip() }).toEqual(before);
  expect(existsSync(join(y.root, 'a.txt'))).toBe(false);
  expect(y.reflogGreen('release')).toMatchObject({ red: [] });
});

test('checks of one task are asked beside the gate', async () => {
  const y = testProject({
    tasks: [{ id: 'a', checks: ['grep -q good a.txt'] }],
    script: { a: [[write('a.txt', 'bad\n')], [write('a.txt', 'good\n')]] },
  });
  expect(await y.ym('run', y.plan)).toMatchObject({ code: 0 });
  expect(y.show('a.txt')).toBe('good\n');
  expect(promptOf(y, 'a', 1, 2)).toContain('grep -q good a.txt');
});
