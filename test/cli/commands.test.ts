// The commands that bring tasks in and set a project up.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { planText, write, type Yard, yard } from '../rig.ts';

/** What a command that must succeed prints as JSON. */
async function jsonOf(y: Yard, ...args: string[]) {
  const done = await y.ym(...args, '--json');
  expect({ args, code: done.code, stderr: done.stderr }).toEqual({ args, code: 0, stderr: '' });
  return JSON.parse(done.stdout);
}

test('`ym init` writes a config that works with the gate it finds', async () => {
  const y = yard({ files: { 'package.json': '{ "scripts": { "test": "sh gate.sh" } }' } });
  y.git('rm', '-q', 'yardmaster.yaml');
  y.commit('No config');
  const made = await y.ym('init', '--yes');
  expect(made).toMatchObject({ code: 0, stderr: '' });
  expect(y.read('yardmaster.yaml')).toContain('npm test');
  expect(await jsonOf(y, 'config', 'get', 'gate.commands')).toMatchObject({ value: ['npm test'] });
  const again = await y.ym('init', '--yes');
  expect(again).toMatchObject({ code: 2, stdout: '' });
  expect(again.stderr).toContain('--force');
  y.write('yardmaster.yaml', 'jobs: 3\n');
  expect(await y.ym('init', '--yes', '--force')).toMatchObject({ code: 0 });
  expect(y.read('yardmaster.yaml')).not.toContain('jobs: 3');
});

test('`ym add` stores one task with all that was said about it', async () => {
  const y = yard();
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

test('`ym import` stores nothing on a dry run, then all, then only what changed', async () => {
  const y = yard({ tasks: [{ id: 'a' }, { id: 'b', after: ['a'] }] });
  const dry = await jsonOf(y, 'import', y.plan, '--dry-run');
  expect(dry).toEqual({ dryRun: true, added: ['a', 'b'], changed: [], same: [] });
  expect(await jsonOf(y, 'tasks')).toMatchObject({ tasks: [] });
  expect(y.has('.yardmaster/yard.db')).toBe(false);
  expect(await jsonOf(y, 'import', y.plan)).toMatchObject({ added: ['a', 'b'] });
  expect(await jsonOf(y, 'import', y.plan)).toMatchObject({ added: [], same: ['a', 'b'] });
  expect(await y.events()).toHaveLength(2);
  y.writeTasks([{ id: 'a', title: 'A, said better' }, { id: 'b', after: ['a'] }, { id: 'c' }]);
  expect(await jsonOf(y, 'import', y.plan)).toMatchObject({
    added: ['c'],
    changed: ['a'],
    same: ['b'],
  });
  expect((await y.ym('show', 'a')).stdout).toContain('A, said better');
});

test('`ym import` warns of an agent that the config does not have', async () => {
  const y = yard();
  writeFileSync(join(y.base, 'plan.yaml'), 'tasks:\n  - { id: a, title: One, agent: nobody }\n');
  const done = await y.ym('import', '../plan.yaml');
  expect(done).toMatchObject({ code: 0, stdout: 'Added 1\n' });
  expect(done.stderr).toContain('a asks for the agent "nobody"');
});

test('tasks come from YAML, TOML, Markdown folders and standard input as well', async () => {
  const y = yard();
  writeFileSync(join(y.base, 'plan.yaml'), 'tasks:\n  - { id: from-yaml, title: One }\n');
  writeFileSync(join(y.base, 'plan.toml'), '[[tasks]]\nid = "from-toml"\ntitle = "Two"\n');
  y.write('tasks/from-md.md', '---\nafter: [from-yaml]\n---\n# Three\n\nThe body.\n');
  const stdin = planText([{ id: 'from-stdin' }]);
  const done = await y.ymWith({ stdin }, 'import', '../plan.yaml', '../plan.toml', 'tasks', '-');
  expect(done).toMatchObject({ code: 0, stderr: '' });
  const { tasks } = await jsonOf(y, 'tasks');
  const ids = tasks.map((task: { id: string }) => task.id);
  expect(ids).toEqual(['from-yaml', 'from-toml', 'from-md', 'from-stdin']);
});

test('`ym tasks` can be narrowed to states, and its end may be cut off by a pipe', async () => {
  const y = yard({ tasks: Array.from({ length: 3000 }, (_, at) => ({ id: `t${at}` })) });
  await y.ym('import', y.plan);
  await y.ym('skip', 't7');
  const { tasks } = await jsonOf(y, 'tasks', '--state', 'skipped');
  expect(tasks).toMatchObject([{ id: 't7', state: 'skipped' }]);
  expect((await y.ym('tasks', '--state', 'failed')).stdout).toContain('No task is in a state');
  const piped = y.shell('ym tasks | head -1');
  expect(piped).toMatchObject({ status: 0, stderr: '' });
  expect(piped.stdout.split('\n')).toHaveLength(2);
});

test('`ym plan` shows the order and the critical path, of stored tasks and of a file', async () => {
  const y = yard({ tasks: [{ id: 'c', after: ['b'] }, { id: 'b', after: ['a'] }, { id: 'a' }] });
  const fromFile = await y.ym('plan', y.plan);
  expect(fromFile).toMatchObject({ code: 0, stderr: '' });
  expect(fromFile.stdout).toMatch(/a.*→.*b.*→.*c/);
  expect(await y.ym('import', y.plan)).toMatchObject({ code: 0 });
  const stored = await jsonOf(y, 'plan');
  expect(JSON.stringify(stored)).toContain('["a","b","c"]');
});

test('`ym run --dry-run` prints what would be done first and changes nothing', async () => {
  const y = yard({
    tasks: [{ id: 'a', title: 'The first' }, { id: 'b' }, { id: 'c' }, { id: 'd', after: ['a'] }],
  });
  const before = { ...y.snapshotOfCheckout(), main: y.tip() };
  const dry = await y.ym('run', y.plan, '--dry-run');
  expect(dry).toMatchObject({ code: 0, stderr: '' });
  expect(dry.stdout).toMatch(/claim\s+slot 1\s+a\s+The first/);
  expect(dry.stdout).toContain('1 more');
  expect(await jsonOf(y, 'run', y.plan, '--dry-run')).toMatchObject([
    { type: 'claim', id: 'a', slot: 1 },
    { type: 'claim', id: 'b', slot: 2 },
  ]);
  expect({ ...y.snapshotOfCheckout(), main: y.tip() }).toEqual(before);
  expect(await jsonOf(y, 'tasks')).toMatchObject({ tasks: [] });
});

test('`ym config` tells values with their origin, and sets them where people read them', async () => {
  const y = yard();
  expect(await jsonOf(y, 'config', 'get', 'jobs')).toMatchObject({
    value: 2,
    origin: 'project file',
  });
  expect((await y.ym('config', 'set', 'jobs', '8')).code).toBe(0);
  expect((await y.ym('config', 'get', 'jobs')).stdout).toBe('8\n');
  const env = { YARDMASTER_JOBS: '3' };
  const listed = await y.ymWith({ env }, 'config', 'list', '--json');
  const rows: { key: string }[] = JSON.parse(listed.stdout);
  expect(rows.find(({ key }) => key === 'jobs')).toMatchObject({ value: 3, origin: 'environment' });
  const list = (await y.ymWith({ env }, 'config', 'list')).stdout;
  expect(list).toMatch(/gate\.commands\s+\["sh gate\.sh"\]/);
  expect(list).not.toMatch(/^(gate|agents) /m);
  expect(list).toMatch(/worktree\.pool\s+auto \(8 for 3 jobs\)/);
  expect((await y.ym('config', 'get', 'gate')).stdout).toContain('sh gate.sh');
});

test('`ym config set` says what is wrong with what was typed, and clears a key', async () => {
  const y = yard();
  const before = y.read('yardmaster.yaml');
  const much = await y.ym('config', 'set', 'jobs', '99');
  expect(much).toMatchObject({ code: 2, stdout: '' });
  expect(much.stderr).toContain('"jobs" is 99');
  expect(much.stderr).not.toContain('yardmaster.yaml:');
  const nothing = await y.ym('config', 'set', 'jobs');
  expect(nothing.stderr).toContain('No value was given for "jobs"');
  expect(y.read('yardmaster.yaml')).toBe(before);
  expect(await y.ym('config', 'set', 'jobs', '')).toMatchObject({ code: 0, stderr: '' });
  expect(await jsonOf(y, 'config', 'get', 'jobs')).toMatchObject({ origin: 'default' });
});

test('`ym doctor` finds nothing wrong, or says how to mend each thing that is', async () => {
  const y = yard({ tasks: [{ id: 'a' }], script: { a: [[write('a.txt', 'a\n')]] } });
  await y.ym('run', y.plan);
  const well = await jsonOf(y, 'doctor');
  expect(well.ok).toBe(true);
  const names = well.checks.map((check: { name: string }) => check.name);
  expect(names).toEqual(expect.arrayContaining(['git', 'identity', 'gate', 'agent', 'store']));
  y.git('config', '--unset', 'user.name');
  await y.ym('config', 'set', 'gate.commands', '["no-such-program"]');
  const ill = await y.ym('doctor');
  expect(ill.code).toBe(3);
  expect(ill.stdout).toContain('git config user.name');
  expect(ill.stdout).toContain('no-such-program');
  const told = JSON.parse((await y.ym('doctor', '--json')).stdout);
  expect(told).toMatchObject({ ok: false });
});

test('`ym doctor` only notes an agent that is broken and not chosen, and knows a script without its permission', async () => {
  const y = yard();
  y.write('agent.sh', '#!/bin/sh\n');
  await y.ym('config', 'set', 'agents.spare', '{"use":"command","command":["./agent.sh"]}');
  const spare = await y.ym('doctor');
  expect(spare).toMatchObject({ code: 0 });
  expect(spare.stdout).toMatch(/^! agent .*may not be executed/m);
  expect(spare.stdout).toContain('chmod +x ./agent.sh');
  await y.ym('config', 'set', 'agent', 'spare');
  expect((await y.ym('doctor')).code).toBe(3);
});

test('`ym verify` judges the target as it is, and says it by its exit status', async () => {
  const y = yard();
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
  const y = yard();
  for (const shell of ['bash', 'zsh', 'fish']) {
    const made = await y.ym('completions', shell);
    expect(made).toMatchObject({ code: 0, stderr: '' });
    for (const word of ['run', 'resume', 'prune']) expect(made.stdout).toContain(word);
  }
  writeFileSync(join(y.base, 'ym.bash'), (await y.ym('completions', 'bash')).stdout);
  const tried = y.shell('bash -c ". ../ym.bash && complete -p ym"');
  expect(tried).toMatchObject({ status: 0, stderr: '' });
});

test('help and version answer everywhere, without a repository', async () => {
  const y = yard();
  const { version } = JSON.parse(
    readFileSync(new URL('../../package.json', import.meta.url), 'utf8'),
  );
  const call = { cwd: y.home };
  expect((await y.ymWith(call, '--version')).stdout).toContain(version);
  const help = await y.ymWith(call, 'help');
  expect(help.code).toBe(0);
  for (const word of ['run', 'resume', 'status', 'prune']) expect(help.stdout).toContain(word);
  expect((await y.ymWith(call, 'run', '--help')).stdout).toContain('--max-attempts');
  expect((await y.ymWith(call, 'help', 'run')).stdout).toContain('--max-attempts');
});
