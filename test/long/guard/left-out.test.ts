// Work of agents in files that git ignores: it goes back to the agent once, and is kept after that.
import { execFileSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { flat, shell } from '../../rig/project.ts';
import { testProject, write } from '../../rig.ts';

const ignoring = {
  files: { '.gitignore': 'build/\n*.env\n', 'gate.sh': 'true\n' },
  tasks: [{ id: 'a' }],
  config: { gate: { commands: ['sh gate.sh'] }, retries: 0 },
};

test('work in ignored files goes back to its agent with their names, and lands when they are moved', async () => {
  const y = testProject({
    ...ignoring,
    script: {
      a: [
        [write('build/report.txt', 'work\n'), write('local.env', 'x\n')],
        [shell('mv build/report.txt report.txt')],
      ],
    },
  });
  expect(await y.ym('run', y.plan)).toMatchObject({ code: 0 });
  expect(y.show('report.txt')).toBe('work\n');
  const why = flat((await y.ym('why', 'a')).stdout);
  expect(why).toContain('nothing to commit; told about build, local.env');
});

test('work that stays in ignored files is kept in an archive, and why names it', async () => {
  const y = testProject({
    ...ignoring,
    script: { a: [[write('build/report.txt', 'work\n')], [shell('true')]] },
  });
  expect((await y.ym('run', y.plan)).code).toBe(1);
  const task = await y.task('a');
  expect(task.failure).toMatchObject({
    kind: 'no-changes',
    what: 'The agent left its work in ignored files, in its stash or on another branch, even after it was told to move it.',
  });
  const why = flat((await y.ym('why', 'a')).stdout);
  const archive = /Kept in (\S+)/.exec(why)?.[1] ?? why;
  expect(execFileSync('tar', ['-xzOf', archive, './build/report.txt'], { encoding: 'utf8' })).toBe(
    'work\n',
  );
});

test('work in the stash goes back to its agent, and is kept by a ref that why names', async () => {
  const stashes = shell('echo work > a.txt; git add -A; git stash -q');
  const y = testProject({
    ...ignoring,
    tasks: [{ id: 'a' }, { id: 'b' }],
    script: { a: [[stashes], [shell('git stash pop -q')]], b: [[stashes], [shell('true')]] },
    leaves: ['kept'],
  });
  expect((await y.ym('run', y.plan)).code).toBe(1);
  expect(y.landings()).toEqual({ a: 1 });
  const ref =
    /work kept as (refs\/yard\/keep\/\S+)/.exec(flat((await y.ym('why', 'b')).stdout))?.[1] ?? '';
  expect(y.git('show', `${ref}:a.txt`)).toBe('work\n');
});
