// A worktree that is made exactly a commit, and what differs from the commit afterwards, with the user's own git settings in the way.
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { gitCli } from '../../src/git/cli.ts';
import type { Git } from '../../src/port/git.ts';
import { type TempRepo, tempRepo } from './temp-repo.ts';

let repo: TempRepo;
let git: Git;
let dir: string;

const write = (path: string, text: string): void => {
  mkdirSync(join(dir, path, '..'), { recursive: true });
  writeFileSync(join(dir, path), text);
};
const has = (path: string): boolean => existsSync(join(dir, path));
const read = (path: string): string => readFileSync(join(dir, path), 'utf8');

beforeEach(async () => {
  repo = tempRepo({ '.gitignore': 'dist/\nnode_modules/\n', 'a.txt': 'a\n', 'deep/b.txt': 'b\n' });
  git = gitCli(repo.root);
  onTestFinished(async () => {
    await git.close();
  });
  dir = join(repo.base, 'tree');
});

/** A worktree of the gate, exactly the commit. */
async function made(): Promise<void> {
  await git.addWorktree(dir, 'HEAD', { empty: true });
  await git.exactly(dir, 'HEAD', []);
}

describe('a worktree that is made exactly a commit', () => {
  test('has every file, although the user’s checkout is sparse', async () => {
    repo.git('sparse-checkout', 'set', '--no-cone', 'a.txt');
    await made();
    expect(has('deep/b.txt')).toBe(true);
    // A test may use git as well.
    repo.gitIn(dir, 'reset', '--hard', '-q');
    expect(has('deep/b.txt')).toBe(true);
    expect(await git.differing(dir, 'HEAD')).toEqual([]);
  });

  test('is compared although a git that was killed meanwhile left its lock', async () => {
    await made();
    writeFileSync(join(`${dir}.view`, 'compared-index.lock'), '');
    write('a.txt', 'other\n');
    expect(await git.differing(dir, 'HEAD')).toEqual(['a.txt']);
  });

  test('has every file after the index was told to skip one', async () => {
    await made();
    for (const flag of ['--skip-worktree', '--assume-unchanged']) {
      repo.gitIn(dir, 'update-index', flag, 'a.txt');
      write('a.txt', 'x\n');
      expect(await git.differing(dir, 'HEAD')).toEqual(['a.txt']);
      await git.exactly(dir, 'HEAD', []);
      expect(await git.differing(dir, 'HEAD')).toEqual([]);
    }
  });

  test('has nothing else, ignored or not, whatever the user excludes', async () => {
    repo.write('.git/info/exclude', 'mine\n');
    await made();
    for (const path of ['dist/x', 'mine', 'new/file', 'deep/new', 'node_modules/x/.git/HEAD']) {
      write(path, 'x\n');
    }
    await git.exactly(dir, 'HEAD', []);
    for (const path of ['dist', 'mine', 'new', 'deep/new', 'node_modules']) {
      expect({ path, there: has(path) }).toEqual({ path, there: false });
    }
  });

  test('keeps what it is told to, also below a folder that nobody tracks', async () => {
    await made();
    for (const path of ['node_modules/a', 'pkg/node_modules/a', 'pkg/other', 'dist/a']) {
      write(path, 'x\n');
    }
    await git.exactly(dir, 'HEAD', ['/node_modules', '/pkg/node_modules']);
    expect(has('node_modules/a') && has('pkg/node_modules/a')).toBe(true);
    expect(has('pkg/other') || has('dist')).toBe(false);
    write('a.txt', 'x\n');
    write('new', 'x\n');
    await git.exactly(dir, 'HEAD', 'all');
    expect(has('new')).toBe(true);
    expect(await git.differing(dir, 'HEAD')).toEqual([]);
  });
});

describe('what differs from a commit', () => {
  test('is a file of another content with the old times and size, mode, or none', async () => {
    await made();
    write('a.txt', 'x\n');
    utimesSync(join(dir, 'a.txt'), 1, 1);
    chmodSync(join(dir, '.gitignore'), 0o755);
    rmSync(join(dir, 'deep/b.txt'));
    expect(await git.differing(dir, 'HEAD')).toEqual(['.gitignore', 'a.txt', 'deep/b.txt']);
  });

  test('is found although a test committed or staged its edit', async () => {
    await made();
    write('a.txt', 'x\n');
    repo.gitIn(dir, 'add', '-A');
    const { commit } = await git.commit('HEAD');
    expect(await git.differing(dir, commit)).toEqual(['a.txt']);
    repo.gitIn(dir, 'commit', '-q', '-m', 'x');
    expect(await git.differing(dir, commit)).toEqual(['a.txt']);
  });

  test('is nothing where files were written again, or others were added', async () => {
    await made();
    write('a.txt', 'a\n');
    write('new.txt', 'n\n');
    expect(await git.differing(dir, 'HEAD')).toEqual([]);
  });
});

describe('a worktree of an agent', () => {
  test('has every file, and takes new ones anywhere, although the user’s checkout is sparse', async () => {
    repo.git('sparse-checkout', 'set', '--no-cone', 'a.txt');
    await git.addWorktree(dir, 'HEAD', { empty: true });
    await git.point(dir, 'HEAD', 'work');
    expect(has('deep/b.txt')).toBe(true);
    write('deep/new.txt', 'n\n');
    const commit = await git.commitAll(dir, 'Work');
    expect(repo.git('ls-tree', '-r', '--name-only', commit)).toContain('deep/new.txt');
  });

  test('keeps what a set-up did apart from the work', async () => {
    await git.addWorktree(dir, 'HEAD', { empty: true });
    await git.point(dir, 'HEAD', 'work');
    write('a.txt', 'set up\n');
    for (const path of ['libs/x', 'made.lock', 'touched.lock', 'dist/out']) write(path, 'x\n');
    const left = ['libs/', 'made.lock', 'touched.lock'];
    expect(await git.setAside(dir)).toEqual(left);
    expect(await git.status(dir)).toMatchObject({ dirty: false });
    write('touched.lock', 'by the agent\n');
    write('work.txt', 'w\n');
    const commit = await git.commitAll(dir, 'Work');
    const changed = repo.git('diff', '--name-only', 'HEAD', commit).trim().split('\n');
    expect(changed).toEqual(['touched.lock', 'work.txt']);
    expect(repo.gitIn(dir, 'status', '--porcelain').trim()).toBe('?? made.lock');
  });

  test('has the files of a set-up again after a reset, whatever a gate did to them, until it gets another branch', async () => {
    await git.addWorktree(dir, 'HEAD', { empty: true });
    await git.point(dir, 'HEAD', 'work');
    const products = ['libs/x', 'kept.lock', 'changed.lock', 'removed.lock', 'deep/in.lock'];
    for (const path of [...products, 'work.lock']) write(path, 'x\n');
    symlinkSync('kept.lock', join(dir, 'link.lock'));
    await git.setAside(dir);
    write('work.lock', 'by the agent\n');
    const commit = await git.commitAll(dir, 'Work');
    write('changed.lock', 'by the gate\n');
    rmSync(join(dir, 'removed.lock'));
    write('trash.txt', 't\n');
    await git.point(dir, commit, 'work');
    for (const path of products) expect(read(path)).toBe('x\n');
    expect(readlinkSync(join(dir, 'link.lock'))).toBe('kept.lock');
    expect(read('work.lock')).toBe('by the agent\n');
    expect(has('trash.txt')).toBe(false);
    expect(await git.status(dir)).toMatchObject({ dirty: false });
    await git.point(dir, 'HEAD', 'other');
    expect(products.filter(has)).toEqual(['libs/x']);
  });

  test('does not get the files of a set-up through a link that leads elsewhere', async () => {
    await git.addWorktree(dir, 'HEAD', { empty: true });
    await git.point(dir, 'HEAD', 'work');
    write('deep/made.lock', 'x\n');
    await git.setAside(dir);
    rmSync(join(dir, 'deep'), { recursive: true });
    repo.write('elsewhere/file', 'f\n');
    symlinkSync(join(repo.root, 'elsewhere'), join(dir, 'deep'));
    repo.gitIn(dir, 'add', 'deep');
    repo.gitIn(dir, 'commit', '-qm', 'Link');
    const commit = await git.headOf(dir);
    await git.point(dir, commit, 'work');
    expect(readdirSync(join(repo.root, 'elsewhere'))).toEqual(['file']);
  });
});
