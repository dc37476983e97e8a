// The store is in the git folder: `git clean` cannot reach it, and every worktree of a repository shares it.
import { existsSync, readdirSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { print, type TestProject, testProject, touch, waitFor, write } from '../../rig.ts';

const twoTasks = {
  tasks: [{ id: 'a' }, { id: 'b', after: ['a'] }],
  script: {
    a: [[print('a speaks'), write('a.txt', 'a\n'), touch('a'), waitFor('go')]],
    b: [[write('b.txt', 'b\n')]],
  },
};

async function pathsOf(y: TestProject, ...name: string[]): Promise<Record<string, string>> {
  const { code, stdout, stderr } = await y.ym('where', ...name, '--json');
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  const { schema: _schema, ...paths } = JSON.parse(stdout);
  return paths;
}

test('`git clean -fdx` during and between runs loses nothing', async () => {
  const y = testProject(twoTasks);
  y.write('.gitignore', '*.log\n');
  const run = y.start('run', y.plan);
  await y.seen('a');
  y.git('clean', '-fdxq');
  y.signal('go');
  expect(await run.end()).toMatchObject({ code: 0 });
  const events = await y.events();
  y.git('clean', '-fdxq');
  expect(await y.events()).toEqual(events);
  expect((await y.status()).counts).toMatchObject({ landed: 2 });
  expect((await y.ym('log', 'a')).stdout).toContain('a speaks');
});

test('a linked worktree shares the store of its repository', async () => {
  const y = testProject({ ...twoTasks, config: { target: 'main' } });
  y.signal('go');
  const linked = join(y.base, 'linked');
  y.git('worktree', 'add', '-q', linked, '-b', 'mine');
  expect(await y.ymWith({ cwd: linked }, 'run', y.plan)).toMatchObject({ code: 0 });
  expect(y.landings()).toEqual({ a: 1, b: 1 });
  expect(readdirSync(linked).filter((name) => name.includes('yardmaster'))).toEqual([
    'yardmaster.yaml',
  ]);
  const { stdout } = await y.ymWith({ cwd: linked }, 'where');
  expect(stdout).toContain(join(realpathSync(y.root), '.git', 'yardmaster', 'yard.db'));
  expect((await y.status()).counts).toMatchObject({ landed: 2 });
});

test('a worktree of a bare repository keeps its store in the bare repository', async () => {
  const y = testProject(twoTasks);
  y.signal('go');
  const bare = join(y.base, 'bare.git');
  const linked = join(y.base, 'linked');
  y.git('clone', '-q', '--bare', y.root, bare);
  y.git('--git-dir', bare, 'worktree', 'add', '-q', linked, 'main');
  y.git('--git-dir', bare, 'config', 'user.name', 'Test Person');
  y.git('--git-dir', bare, 'config', 'user.email', 'test@example.invalid');
  expect(await y.ymWith({ cwd: linked }, 'run', y.plan)).toMatchObject({ code: 0 });
  expect(y.git('--git-dir', bare, 'show', 'main:b.txt')).toBe('b\n');
  expect(existsSync(join(bare, 'yardmaster', 'yard.db'))).toBe(true);
  const refused = await y.ymWith({ cwd: bare }, 'where');
  expect(refused).toMatchObject({ code: 3 });
  expect(refused.stderr).toContain('bare repository');
});

test('where names paths that can be opened: of the project, a run, a task and its worktree', async () => {
  const y = testProject(twoTasks);
  const run = y.start('run', y.plan);
  await y.seen('a');
  const project = await pathsOf(y);
  const store = join(realpathSync(y.root), '.git', 'yardmaster');
  expect(project).toMatchObject({ store: join(store, 'yard.db'), runs: join(store, 'runs') });
  const [id = ''] = readdirSync(project.runs ?? '');
  const ofRun = await pathsOf(y, 'last');
  expect(ofRun).toMatchObject({ files: join(store, 'runs', id) });
  const { files = '', worktree = '' } = await pathsOf(y, 'a');
  expect(files).toBe(join(store, 'runs', id, 'attempts', 'a-1'));
  expect(worktree.startsWith(`${ofRun.worktrees}/`)).toBe(true);
  expect(project.worktrees && worktree.startsWith(project.worktrees)).toBe(true);
  for (const path of [project.store, files, join(worktree, 'a.txt')]) {
    expect(existsSync(path ?? '')).toBe(true);
  }
  expect((await y.ym('where', 'a')).stdout).toBe(`files      ${files}\nworktree   ${worktree}\n`);
  const early = await y.ym('where', 'b');
  expect(early).toMatchObject({ code: 2 });
  expect(early.stderr).toContain('b has no files');
  expect((await y.ym('where', 'nobody')).stderr).toContain('no task or run "nobody"');
  y.signal('go');
  const { code, stdout } = await run.end();
  expect(code).toBe(0);
  expect(stdout).toContain(`Files: ${join(store, 'runs', id)}`);
  expect(await pathsOf(y, 'a')).toEqual({ files });
});
