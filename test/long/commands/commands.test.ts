// The commands that bring tasks in, and those that need no run.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { testProject } from '../../rig.ts';

const planWithAgents = `tasks:
  - { id: a, title: One, agent: nobody }
  - { id: b, title: Two, agent: claude }
`;

test('`ym import` warns of an agent that the config does not have', async () => {
  const y = testProject();
  writeFileSync(join(y.base, 'plan.yaml'), planWithAgents);
  const done = await y.ym('import', '../plan.yaml');
  expect(done).toMatchObject({ code: 0, stdout: 'Added 2\n' });
  expect(done.stderr).toContain('a asks for the agent "nobody"');
  expect(done.stderr.trimEnd().split('\n')).toHaveLength(1);
});

test('`ym edit` changes a task whole or not at all, by options and in an editor', async () => {
  const y = testProject({ tasks: [{ id: 'a' }, { id: 'b', after: ['a'] }] });
  await y.ym('import', y.plan);
  expect((await y.ym('edit', 'a', '--title', 'Better', '--priority', '0')).stdout).toBe(
    'Changed a\n',
  );
  expect(await y.json('show', 'a')).toMatchObject({ task: { title: 'Better', priority: 0 } });
  const circle = await y.ym('edit', 'a', '--title', 'Worse', '--after', 'b');
  expect(circle.code).toBe(2);
  expect(circle.stderr).toMatch(/depend on each other/);
  expect((await y.ym('edit', 'a')).stderr).toContain('no terminal');
  expect(await y.json('show', 'a')).toMatchObject({ task: { title: 'Better', after: [] } });
  const terminal = y.terminal(`VISUAL= EDITOR="sed -i s/Better/Best/" ym edit a`);
  expect(await terminal.end()).toBe(0);
  expect(await y.json('show', 'a')).toMatchObject({ task: { title: 'Best', priority: 0 } });
});

test('`ym tasks` can be narrowed to states, and its end may be cut off by a pipe', async () => {
  const y = testProject({ tasks: Array.from({ length: 3000 }, (_, at) => ({ id: `t${at}` })) });
  await y.ym('import', y.plan);
  await y.ym('skip', 't7');
  const { tasks } = await y.json('tasks', '--state', 'skipped');
  expect(tasks).toMatchObject([{ id: 't7', state: 'skipped' }]);
  expect((await y.ym('tasks', '--state', 'failed')).stdout).toContain('No task is in that state');
  const piped = y.shell('ym tasks | head -1');
  expect(piped).toMatchObject({ status: 0, stderr: '' });
  expect(piped.stdout.split('\n')).toHaveLength(2);
});

test('`ym verify` judges the target as it is, and says it by its exit status', async () => {
  const y = testProject();
  expect(await y.ym('verify')).toMatchObject({ code: 0, stderr: '' });
  const before = y.snapshotOfCheckout();
  y.write('red', 'only in the checkout, not on the target\n');
  expect((await y.ym('verify')).code).toBe(0);
  y.commit('Red');
  const red = await y.ym('verify');
  expect(red.code).toBe(5);
  expect(red.stdout + red.stderr).toContain('there is a file called red');
  expect(y.snapshotOfCheckout().refs).toEqual(before.refs);
  expect(y.leftovers().worktrees).toEqual([]);
});

test('completions know the commands and are taken by the shell', async () => {
  const y = testProject();
  for (const shell of ['bash', 'zsh', 'fish']) {
    const made = await y.ym('completions', shell);
    expect(made).toMatchObject({ code: 0, stderr: '' });
    for (const word of ['run', 'resume', 'prune']) expect(made.stdout).toContain(word);
  }
  writeFileSync(join(y.base, 'ym.bash'), (await y.ym('completions', 'bash')).stdout);
  const tried = y.shell('bash -c ". ../ym.bash && complete -p ym"');
  expect(tried).toMatchObject({ status: 0, stderr: '' });
});
