// A repository that an agent makes inside its worktree and does not commit goes back to the agent.
import { expect, test } from 'vitest';
import { shell } from '../../rig/project.ts';
import { testProject } from '../../rig.ts';

test('a nested repository goes back to its agent once, and lands as plain files', async () => {
  const y = testProject({
    tasks: [{ id: 'a' }],
    script: {
      a: [[shell('git init -q inner && echo 1 > inner/x')], [shell('rm -rf inner/.git')]],
    },
  });
  expect(await y.ym('run', y.plan)).toMatchObject({ code: 0 });
  expect(y.git('ls-tree', '-r', '--name-only', 'main')).toContain('inner/x');
  const why = (await y.ym('why', 'a')).stdout.replace(/\s+/g, ' ');
  expect(why).toContain('told about the nested repository inner');
});

test('nested repositories that stay are named, and their files stay in the worktree', async () => {
  const y = testProject({
    tasks: [{ id: 'a' }],
    config: { retries: 0 },
    script: {
      a: [
        [shell('git init -q inner && echo 1 > inner/x'), shell('git init -q "k\u00e4se lib"')],
        [shell('true')],
      ],
    },
    leaves: ['worktrees', 'state'],
  });
  expect((await y.ym('run', y.plan)).code).toBe(1);
  const { failure } = await y.task('a');
  expect(failure).toMatchObject({
    kind: 'nested-repository',
    what: 'The agent left git repositories inside its worktree: inner, k\u00e4se lib.',
  });
  const why = (await y.ym('why', 'a')).stdout.replace(/\s+/g, ' ');
  expect(why).toContain('told about the nested repository inner, k\u00e4se lib');
  expect(why).toMatch(/its work is left in \S+/);
});
