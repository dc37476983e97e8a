// The commands that bring tasks in, and those that need no run.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { planText, type TestProject, testProject } from '../../rig.ts';

/** What a command that must succeed prints as JSON. */
async function jsonOf(y: TestProject, ...args: string[]) {
  const done = await y.ym(...args, '--json');
  expect({ args, code: done.code, stderr: done.stderr }).toEqual({ args, code: 0, stderr: '' });
  return JSON.parse(done.stdout);
}

test('`ym add` stores one task with all that was said about it', async () => {
  const y = testProject();
  expect(await y.ym('add', 'Add the search endpoint', '--priority', '1')).toMatchObject({
    code: 0,
  });
  const args = ['add', 'Document search', '--id', 'docs', '--after', 'add-the-search-endpoint'];
  const more = ['--label', 'epic:search,model:opus', '--path', 'docs/**', '--check', 'true'];
  expect(await y.ym(...args, ...more, '--type', 'docs', '--body', 'All of it.')).toMatchObject({
    code: 0,
  });
  expect(await jsonOf(y, 'show', 'docs')).toMatchObject({
    task: {
      id: 'docs',
      title: 'Document search',
      body: 'All of it.',
      after: ['add-the-search-endpoint'],
      labels: ['epic:search', 'model:opus'],
      paths: ['docs/**'],
      checks: ['true'],
      type: 'docs',
    },
  });
  expect(await jsonOf(y, 'tasks')).toMatchObject({
    tasks: [
      { id: 'add-the-search-endpoint', state: 'ready', priority: 1 },
      { id: 'docs', state: 'open', waitsFor: ['add-the-search-endpoint'] },
    ],
  });
  const body = await y.ymWith({ stdin: 'From a pipe.\n' }, 'add', 'Piped', '--body-file', '-');
  expect(body).toMatchObject({ code: 0 });
  expect((await y.ym('show', 'piped')).stdout).toContain('From a pipe.');
});

const planWithAgents = `tasks:
  - { id: a, title: One, agent: nobody }
  - { id: b, title: Two, agent: claude }
`;

test('tasks that a source no longer has are named, and canceled on request', async () => {
  const y = testProject({ tasks: [{ id: 'a' }, { id: 'b' }, { id: 'c' }] });
  await y.ym('import', y.plan);
  await y.ym('add', 'By hand', '--id', 'by-hand');
  y.writeTasks([{ id: 'a' }]);
  for (const args of [['import'], ['run', '--dry-run']]) {
    const again = await y.ym(...args, y.plan);
    expect(again.code).toBe(0);
    expect(again.stderr).toMatch(
      /no longer in \S*plan\.json: b, c; they stay open; `--prune-removed` cancels them\.\n/,
    );
  }
  const pruned = await y.ym('import', y.plan, '--prune-removed');
  expect(pruned.stderr).toMatch(/no longer in \S*plan\.json: b, c; they are canceled\.\n/);
  expect((await y.ym('import', y.plan)).stderr).toBe('');
  expect((await y.status()).tasks.map(({ id, state }) => `${id} ${state}`)).toEqual([
    'a ready',
    'b canceled',
    'c canceled',
    'by-hand ready',
  ]);
  expect((await y.ym('show', 'a')).stdout).toMatch(/^source +\S*plan\.json$/m);
});

test('`ym import` warns of an agent that the config does not have', async () => {
  const y = testProject();
  writeFileSync(join(y.base, 'plan.yaml'), planWithAgents);
  const done = await y.ym('import', '../plan.yaml');
  expect(done).toMatchObject({ code: 0, stdout: 'Added 2\n' });
  expect(done.stderr).toContain('a asks for the agent "nobody"');
  expect(done.stderr.trimEnd().split('\n')).toHaveLength(1);
});

test('tasks come from YAML, TOML, checklists, Markdown folders and standard input as well', async () => {
  const y = testProject();
  writeFileSync(join(y.base, 'plan.yaml'), 'tasks:\n  - { id: from-yaml, title: One }\n');
  writeFileSync(join(y.base, 'plan.toml'), '[[tasks]]\nid = "from-toml"\ntitle = "Two"\n');
  y.write('tasks/from-md.md', '---\nafter: [from-yaml]\n---\n# Three\n\nThe body.\n');
  const stdin = planText([{ id: 'from-stdin' }]);
  y.write('TODO.md', '- [ ] Four\n  - [ ] Größe\n- [x] Done\n');
  const files = ['../plan.yaml', '../plan.toml', 'tasks', 'TODO.md'];
  const done = await y.ymWith({ stdin }, 'import', ...files, '-');
  expect(done).toMatchObject({ code: 0, stderr: '' });
  expect((await y.ym('add', '検索')).stdout).toBe('Added task-7\n');
  const refused = await y.ym('add', 'x', '--id', 'a b');
  expect(refused.stderr).toContain('"a b" cannot be an id. A space is not allowed in an id.');
  const { tasks } = await jsonOf(y, 'tasks');
  const ids = tasks.map((task: { id: string }) => task.id);
  expect(ids).toEqual([
    'from-yaml',
    'from-toml',
    'from-md',
    'four',
    'groesse',
    'from-stdin',
    'task-7',
  ]);
  expect(tasks[3]).toMatchObject({ waitsFor: ['groesse'] });
});

test('`ym edit` changes a task whole or not at all, by options and in an editor', async () => {
  const y = testProject({ tasks: [{ id: 'a' }, { id: 'b', after: ['a'] }] });
  await y.ym('import', y.plan);
  expect((await y.ym('edit', 'a', '--title', 'Better', '--priority', '0')).stdout).toBe(
    'Changed a\n',
  );
  expect(await jsonOf(y, 'show', 'a')).toMatchObject({ task: { title: 'Better', priority: 0 } });
  const circle = await y.ym('edit', 'a', '--title', 'Worse', '--after', 'b');
  expect(circle.code).toBe(2);
  expect(circle.stderr).toMatch(/depend on each other/);
  expect((await y.ym('edit', 'a')).stderr).toContain('no terminal');
  expect(await jsonOf(y, 'show', 'a')).toMatchObject({ task: { title: 'Better', after: [] } });
  const terminal = y.terminal(`VISUAL= EDITOR="sed -i s/Better/Best/" ym edit a`);
  expect(await terminal.end()).toBe(0);
  expect(await jsonOf(y, 'show', 'a')).toMatchObject({ task: { title: 'Best', priority: 0 } });
});

test('`ym rm` takes a task out of the lists, and only runs that are asked for it count it', async () => {
  const y = testProject({ tasks: [{ id: 'a' }, { id: 'b', after: ['a'] }] });
  await y.ym('import', y.plan);
  const refused = await y.ym('rm', 'a');
  expect(refused.code).toBe(2);
  expect(refused.stderr).toContain('Other tasks wait for a: b');
  expect((await y.ym('rm', 'a', '--dependents')).stdout).toBe('Removed a\nRemoved b\n');
  expect(await jsonOf(y, 'tasks', '--all')).toMatchObject({ tasks: [] });
  expect(await y.ym('run', '--scope', 'ready')).toMatchObject({ code: 0 });
  expect((await y.ym('why', 'a')).stdout).toContain('ym rm');
  const named = await y.ym('run', y.plan);
  expect(named).toMatchObject({ code: 1 });
  expect(named.stdout).toContain('a  canceled  ym retry a');
});

test('`ym tasks` can be narrowed to states, and its end may be cut off by a pipe', async () => {
  const y = testProject({ tasks: Array.from({ length: 3000 }, (_, at) => ({ id: `t${at}` })) });
  await y.ym('import', y.plan);
  await y.ym('skip', 't7');
  const { tasks } = await jsonOf(y, 'tasks', '--state', 'skipped');
  expect(tasks).toMatchObject([{ id: 't7', state: 'skipped' }]);
  expect((await y.ym('tasks', '--state', 'failed')).stdout).toContain('No task is in that state');
  const piped = y.shell('ym tasks | head -1');
  expect(piped).toMatchObject({ status: 0, stderr: '' });
  expect(piped.stdout.split('\n')).toHaveLength(2);
});

test('`ym plan` shows the order and the critical path, of stored tasks and of a file', async () => {
  const y = testProject({
    tasks: [{ id: 'c', after: ['b'] }, { id: 'b', after: ['a'] }, { id: 'a' }],
  });
  const fromFile = await y.ym('plan', y.plan);
  expect(fromFile).toMatchObject({ code: 0, stderr: '' });
  expect(fromFile.stdout).toMatch(/a.*→.*b.*→.*c/);
  expect(await y.ym('import', y.plan)).toMatchObject({ code: 0 });
  const stored = await jsonOf(y, 'plan');
  expect(JSON.stringify(stored)).toContain('["a","b","c"]');
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

test('`ym verify` is judged by the gate that the target has, and says so', async () => {
  const y = testProject();
  y.write('yardmaster.yaml', 'gate: { commands: ["false"] }\n');
  const verified = await y.ym('verify');
  expect(verified.code).toBe(0);
  expect(verified.stderr).toBe(
    'ym: yardmaster.yaml in your checkout sets gate.commands to ["false"], but runs use the value on main (["sh gate.sh"]). Commit your change to main to use it.\n',
  );
  expect(await y.ym('verify', '--quiet')).toMatchObject({ code: 0, stderr: '' });
  y.commit('Another gate');
  expect(await y.ym('verify')).toMatchObject({ code: 5, stderr: '' });
});

test('`ym verify` finds its gate among the files of the target', async () => {
  const y = testProject({
    config: { gate: undefined },
    files: { Makefile: 'test:\n\t@sh gate.sh\n' },
  });
  y.write('Makefile', 'test:\n\tfalse\nlint:\n\tfalse\n');
  expect(await y.ym('verify')).toMatchObject({ code: 0, stderr: '' });
});

test('`ym config` sets and shows what judges and how work lands', async () => {
  const y = testProject();
  const set = 'review.person=true,gate.slots=2,rules.max_files=40,pipeline.docs=["work","land"]';
  expect(await y.ym('config', 'set', set)).toMatchObject({ code: 0, stderr: '' });
  expect((await y.ym('config', 'get', 'review.person')).stdout).toBe('true\n');
  expect((await y.ym('config', 'get', 'pipeline.docs')).stdout).toBe('["work","land"]\n');
  const list = (await y.ym('config', 'list')).stdout;
  expect(list).toMatch(/gate\.slots +2 +yardmaster\.yaml/);
  expect(list).toMatch(/delivery\.how +land +default/);
  const slip = await y.ym('config', 'set', 'pipeline.docs', '["land","work"]');
  expect(slip.code).toBe(2);
  expect(slip.stderr).toContain('critique, tests, work, gate, review, land');
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
