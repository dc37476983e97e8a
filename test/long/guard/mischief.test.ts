// Agents that do to their worktree what nobody asked for: the work still counts, or the failure is said.
import { expect, test } from 'vitest';
import { type Action, type TestProject, type Turns, testProject, write } from '../../rig.ts';

const shell = (line: string): Action => ({ run: { shell: line } });

function projectWith(turns: Turns, more: Readonly<Record<string, unknown>> = {}): TestProject {
  return testProject({
    files: { 'list.txt': 'start\n' },
    config: { retries: 0, ...more },
    tasks: [{ id: 'a' }, { id: 'after-it', after: ['a'] }],
    script: { a: turns, 'after-it': [[write('after.txt', 'after\n')]] },
  });
}

test('an agent that removes its own worktree fails alone, and prune takes the rest away', async () => {
  const y = projectWith([[shell('rm -rf -- "$PWD"')]]);
  expect(await y.ym('run', y.plan)).toMatchObject({ code: 1 });
  const { state, failure } = await y.task('a');
  expect(state).toBe('failed');
  expect(failure?.what.length).toBeGreaterThan(10);
  expect(await y.ym('prune', '--apply')).toMatchObject({ code: 0, stderr: '' });
});

test('work in a worktree that its agent cut off from git is saved before anything is removed', async () => {
  const y = testProject({
    config: { retries: 0 },
    tasks: [{ id: 'a' }],
    script: { a: [[write('a.txt', 'precious\n'), shell('rm .git')]] },
    leaves: ['branches', 'kept'],
  });
  await y.ym('run', y.plan);
  expect(await y.ym('prune', '--apply')).toMatchObject({ code: 0, stderr: '' });
  const { branches, kept } = y.leftovers();
  const texts = [...branches, ...kept, 'main'].map((ref) =>
    y.git('ls-tree', '--name-only', ref).includes('a.txt') ? y.show('a.txt', ref) : '',
  );
  expect(texts).toContain('precious\n');
});

test('titles and files of any shape come through whole', async () => {
  const title = 'Say “grüße” — 100 % $HOME `id` "quoted" \'single\' \\ back';
  const y = testProject({
    tasks: [{ id: 'A.b_c-1', title }],
    script: {
      default: [[shell('printf "\\0\\377" > bin; ln -s gate.sh link; chmod +x names/total')]],
    },
  });
  expect(await y.ym('run', y.plan)).toMatchObject({ code: 0 });
  expect(y.git('log', '-1', '--format=%B', 'main^2')).toContain(title);
  expect(y.landings()).toEqual({ 'A.b_c-1': 1 });
  expect(y.git('ls-tree', 'main', 'link', 'names/total')).toMatch(/^120000.*\n100755/);
});

test('a worktree that its agent replaced by a link is not used again, and what the link leads to is left alone', async () => {
  const y = testProject({
    config: { retries: 0, jobs: 1 },
    tasks: [{ id: 'a' }, { id: 'b', after: [] }],
    script: {
      a: [
        [
          shell(
            'cd /; mv "$YARD_WORKTREE" "$YARD_WORKTREE.moved"; ln -s "$YARD_PROJECT" "$YARD_WORKTREE"',
          ),
        ],
      ],
      b: [[write('b.txt', 'b\n')]],
    },
    leaves: ['branches', 'kept', 'worktrees', 'state'],
  });
  y.write('precious.txt', 'not committed\n');
  await y.ym('run', y.plan);
  expect(y.landings()).toEqual({ b: 1 });
  expect(y.read('precious.txt')).toBe('not committed\n');
});
