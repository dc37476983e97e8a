// Agents that leave their branch, their worktree or their task: nothing unjudged lands, nobody's branch moves, no work is lost.
import { expect, test } from 'vitest';
import {
  type Action,
  commit,
  exit,
  type TestProject,
  type Turns,
  testProject,
  write,
} from '../../rig.ts';

const shell = (line: string): Action => ({ run: { shell: line } });

type Options = NonNullable<Parameters<typeof testProject>[0]>;

interface Scene {
  readonly a: Turns;
  readonly b?: Turns;
  readonly gate?: string;
  readonly retries?: number;
  readonly target?: string;
  readonly leaves?: Options['leaves'];
}

function projectWith({ a, b, gate = 'true\n', retries = 0, target, leaves }: Scene): TestProject {
  return testProject({
    files: { 'list.txt': 'start\n', 'gate.sh': gate, '.gitignore': 'built/\n' },
    config: { retries, target },
    tasks: b === undefined ? [{ id: 'a' }] : [{ id: 'a' }, { id: 'b' }],
    script: b === undefined ? { a } : { a, b },
    leaves,
  });
}

test('edits that an agent leaves on the target itself never move it', async () => {
  const y = projectWith({
    a: [[shell('git checkout -q --ignore-other-worktrees main'), write('broken', 'x\n')]],
    gate: '! [ -e broken ]\n',
    target: 'main',
    leaves: ['branches'],
  });
  y.git('checkout', '-q', '-b', 'dev');
  const before = y.tip('main');
  expect(await y.ym('run', y.plan)).toMatchObject({ code: 1 });
  expect(y.tip('main')).toBe(before);
  expect(y.reflogGreen('main').red).toEqual([]);
});

test('edits that an agent leaves on a branch of a person do not move that branch', async () => {
  const y = projectWith({ a: [[shell('git checkout -q theirs'), write('a.txt', 'a\n')]] });
  y.git('branch', 'theirs');
  const before = y.tip('theirs');
  await y.ym('run', y.plan);
  expect(y.tip('theirs')).toBe(before);
});

test('a worktree that the agent removed is not replaced by what the person is working on', async () => {
  const y = projectWith({
    a: [[write('a.txt', 'a\n'), commit('Work'), shell('cd /; rm -rf "$YARD_WORKTREE"')]],
    target: 'main',
  });
  y.git('checkout', '-q', '-b', 'dev');
  y.write('unfinished.txt', 'not yet\n');
  y.commit('Unfinished work of a person');
  expect(await y.ym('run', y.plan)).toMatchObject({ code: 0 });
  expect(y.git('ls-tree', '--name-only', 'main')).not.toContain('unfinished.txt');
  expect(y.git('show', 'main:a.txt')).toBe('a\n');
});

test('a task whose agent only took over what others landed has not landed', async () => {
  const y = projectWith({
    a: [[write('a.txt', 'a\n')]],
    b: [[{ waitFor: { file: 'a-landed', ms: 20_000 } }, shell('git merge -q --ff-only main')]],
    retries: 0,
  });
  const run = y.start('run', y.plan, '--jobs', '2');
  await y.untilStatus(
    ({ tasks }) => tasks.some(({ id, state }) => id === 'a' && state === 'landed'),
    'landed',
  );
  y.signal('a-landed');
  expect((await run.end()).code).toBe(1);
  expect(y.landings()).toEqual({ a: 1 });
  expect((await y.task('b')).failure?.kind).toBe('no-changes');
});

test('an empty commit is no work', async () => {
  const y = projectWith({ a: [[shell('git commit -q --allow-empty -m nothing')]] });
  expect(await y.ym('run', y.plan)).toMatchObject({ code: 1 });
  expect((await y.task('a')).failure?.kind).toBe('no-changes');
});

test('captured work is kept although the agent threw it away in its next turn', async () => {
  const y = projectWith({
    a: [
      [write('list.txt', 'a\n'), commit('First thoughts')],
      [shell('git reset -q --hard main'), exit(1)],
    ],
    gate: 'grep -q start list.txt\n',
    retries: 1,
    leaves: ['branches'],
  });
  expect(await y.ym('run', y.plan)).toMatchObject({ code: 1 });
  const [branch = ''] = y
    .git('for-each-ref', '--format=%(refname)', 'refs/heads/yard/')
    .split('\n');
  expect(y.git('log', '-1', '--format=%s', branch)).toBe('First thoughts\n');
});

test('what is green only where the agent worked does not land', async () => {
  const y = projectWith({
    a: [[write('a.txt', 'needs it\n'), write('built/it', 'x\n')]],
    gate: '! [ -e a.txt ] || [ -e built/it ]\n',
    leaves: ['branches'],
  });
  expect(await y.ym('run', y.plan)).toMatchObject({ code: 1 });
  expect(y.landings()).toEqual({});
  expect(await y.ym('verify')).toMatchObject({ code: 0 });
});
