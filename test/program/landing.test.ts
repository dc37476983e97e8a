// The train: what lands, what comes back, and that the target is green at every moment.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import {
  append,
  commit,
  remove,
  type TestProject,
  type TestProjectOptions,
  testProject,
  touch,
  waitFor,
  write,
} from '../rig.ts';

/** What the agent of a turn was told. */
function promptOf(y: TestProject, task: string, attempt: number, turn: number): string {
  const runs = join(y.root, '.git', 'yardmaster', 'runs');
  const [run = ''] = readdirSync(runs);
  return readFileSync(
    join(runs, run, 'attempts', `${task}-${attempt}`, `turn-${turn}.prompt.md`),
    'utf8',
  );
}

/** `rename` and `use` are green alone and red together, whichever comes first. */
const greenAloneRedTogether = {
  tasks: [{ id: 'rename', priority: 1 }, { id: 'use' }],
  script: {
    rename: [
      [touch('r'), waitFor('u'), remove('names/total'), write('names/sum', '')],
      [write('uses/receipt', 'sum\n')],
    ],
    use: [
      [touch('u'), waitFor('r'), write('uses/receipt', 'total\n')],
      [write('uses/receipt', 'sum\n')],
    ],
  },
} as const satisfies TestProjectOptions;

test('of branches that are green alone and red together the second comes back with the evidence', async () => {
  const y = testProject(greenAloneRedTogether);
  const run = await y.ym('run', y.plan);
  expect(run).toMatchObject({ code: 0, stderr: '' });
  const [, second = ''] = y.landed();
  expect([...y.landed()].sort()).toEqual(['rename', 'use']);
  expect(y.show('uses/receipt')).toBe('sum\n');
  const prompt = promptOf(y, second, 1, 2);
  expect(prompt).toContain('# Your work came back');
  expect(prompt).toContain('uses/receipt uses total, which is not there');
  expect(promptOf(y, second, 1, 1)).not.toContain('came back');
  expect(y.reflogGreen()).toMatchObject({ red: [], values: { length: 3 } });
});

test('a conflict goes back to its own agent, which resolves it', async () => {
  const y = testProject({
    files: { 'list.txt': 'start\n' },
    tasks: [{ id: 'a' }, { id: 'b' }],
    script: {
      a: [
        [touch('a'), waitFor('b'), append('list.txt', 'a\n')],
        [{ mergeTarget: { branch: 'main', resolve: 'union' } }],
      ],
      b: [
        [touch('b'), waitFor('a'), append('list.txt', 'b\n')],
        [{ mergeTarget: { branch: 'main', resolve: 'union' } }],
      ],
    },
  });
  expect(await y.ym('run', y.plan)).toMatchObject({ code: 0 });
  const [, second = ''] = y.landed();
  expect(promptOf(y, second, 1, 2)).toMatch(/does not merge[\s\S]*- list\.txt/);
  expect(y.show('list.txt').split('\n').sort()).toEqual(['', 'a', 'b', 'start']);
  expect(y.reflogGreen()).toMatchObject({ red: [] });
});

test('a commit that a person makes meanwhile stays, and work is judged on top of it', async () => {
  const y = testProject({
    tasks: [{ id: 'a' }],
    script: { a: [[touch('working'), waitFor('go'), write('a.txt', 'a\n')]] },
  });
  const run = y.start('run', y.plan);
  await y.seen('working');
  y.write('mine.txt', 'mine\n');
  const mine = y.commit('By hand');
  y.signal('go');
  expect(await run.end()).toMatchObject({ code: 0 });
  expect(y.git('rev-list', 'main').split('\n')).toContain(mine);
  expect(y.tip('main^1')).toBe(mine);
  expect([y.read('mine.txt'), y.read('a.txt')]).toEqual(['mine\n', 'a\n']);
  expect(y.reflogGreen()).toMatchObject({ red: [] });
});

test('a landing waits for a dirty file in its way, and everything else goes on', async () => {
  const y = testProject({
    files: { 'shared.txt': 'old\n', 'other.txt': 'old\n' },
    tasks: [{ id: 'a' }],
    script: { a: [[write('shared.txt', 'new\n')]] },
  });
  y.write('shared.txt', 'my edit\n');
  y.write('other.txt', 'my other edit\n');
  const before = y.tip();
  const run = y.start('run', y.plan);
  await y.untilStatus(
    ({ train }) => train.some((entry) => entry.failure?.kind === 'checkout-in-the-way'),
    'a landing that waits',
  );
  expect(y.tip()).toBe(before);
  expect(y.read('shared.txt')).toBe('my edit\n');
  y.git('checkout', '--', 'shared.txt');
  expect(await run.end()).toMatchObject({ code: 0 });
  expect(y.read('shared.txt')).toBe('new\n');
  expect(y.read('other.txt')).toBe('my other edit\n');
});

test('a task starts when all it depends on has landed, from a tree that has it all', async () => {
  const look = { run: { shell: 'ls *.txt > "seen-by-$YARD_TASK" || true' } };
  const y = testProject({
    tasks: [
      { id: 'bottom', after: ['left', 'right'] },
      { id: 'left', after: ['top'] },
      { id: 'right', after: ['top'] },
      { id: 'top' },
    ],
    script: {
      default: [[look, { run: { shell: 'echo 1 > "$YARD_TASK.txt"' } }, commit('One more')]],
    },
  });
  expect(await y.ym('run', y.plan)).toMatchObject({ code: 0 });
  expect(y.landed()[0]).toBe('top');
  expect(y.landed()[3]).toBe('bottom');
  expect(y.show('seen-by-bottom')).toBe('left.txt\nright.txt\ntop.txt\n');
  expect(y.show('seen-by-left')).toContain('top.txt');
  const order = (await y.events()).flatMap((event) => {
    if (event.type === 'attempt-started' && event.id === 'bottom') return ['started'];
    return event.type === 'landed' ? event.entries.map((entry) => entry.id) : [];
  });
  expect(order.indexOf('started')).toBe(3);
  expect(y.reflogGreen()).toMatchObject({ red: [], values: { length: 5 } });
});

test('a target that is red by itself stops the run, and the run goes on when it is fixed', async () => {
  const y = testProject({
    tasks: [{ id: 'a' }],
    script: { a: [[write('a.txt', 'a\n')]] },
    leaves: ['branches'],
  });
  y.write('red', '');
  const red = y.commit('Red');
  const run = await y.ym('run', y.plan);
  expect(run.code).toBe(3);
  expect(y.tip()).toBe(red);
  const { run: ended, spend } = await y.status();
  expect(ended?.stop).toMatchObject({ failure: { kind: 'target-red' } });
  expect(run.stdout).toContain('The target itself fails the gate');
  // The agent did nothing wrong, so it is not asked again for what the target has.
  expect(spend.starts).toBe(1);
  y.git('rm', '-q', 'red');
  y.commit('Green again');
  expect(await y.ym('resume')).toMatchObject({ code: 0 });
  expect(y.landings()).toEqual({ a: 1 });
});
