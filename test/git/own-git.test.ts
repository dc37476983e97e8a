// The git of an attempt: whatever is done with it concerns neither the repository, nor other attempts, nor the next one.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { gitCli } from '../../src/git/cli.ts';
import type { Git } from '../../src/port/git.ts';
import { type TempRepo, tempRepo } from './temp-repo.ts';

let repo: TempRepo;
let git: Git;
let dir: string;
const branch = 'yard/r/t-1';

beforeEach(async () => {
  repo = tempRepo({ 'a.txt': 'a\n', 'b.txt': 'b\n', '.gitignore': 'out/\n' });
  git = gitCli(repo.root);
  dir = join(repo.base, 'pool', 'ym-r-1');
});
afterEach(async () => {
  await git.close();
});

async function start(on = branch): Promise<void> {
  await git.addWorktree(dir, 'main', { empty: true });
  await git.point(dir, 'main', on);
}

const filesOf = (commit: string): string[] =>
  repo.git('ls-tree', '-r', '--name-only', commit).trim().split('\n');

function fails(...args: string[]): string {
  try {
    return `worked: ${repo.gitIn(dir, ...args)}`;
  } catch (error) {
    return String((error as { stderr: string }).stderr);
  }
}

describe('the git of an attempt', () => {
  it('knows branches, tags, remotes and identity of the repository, and can commit', async () => {
    repo.git('tag', 'v1');
    repo.git('remote', 'add', 'origin', 'https://example.invalid/x.git');
    repo.git('update-ref', 'refs/remotes/origin/main', 'main');
    repo.git('pack-refs', '--all');
    repo.git('branch', 'later');
    await start();
    expect(repo.gitIn(dir, 'describe', '--tags').trim()).toBe('v1');
    expect(repo.gitIn(dir, 'rev-list', '--count', 'origin/main..HEAD').trim()).toBe('0');
    expect(repo.gitIn(dir, 'branch', '--show-current').trim()).toBe(branch);
    expect(repo.gitIn(dir, 'rev-parse', 'later', 'main').trim().split('\n')).toHaveLength(2);
    expect(repo.gitIn(dir, 'status', '--porcelain')).toBe('');
    writeFileSync(join(dir, 'a.txt'), 'x\n');
    repo.gitIn(dir, 'commit', '-qam', 'by the agent');
    const { head, dirty } = await git.status(dir);
    expect(dirty).toBe(false);
    expect(repo.git('log', '-1', '--format=%an %s', head).trim()).toBe('Test Person by the agent');
    expect(fails('push', 'origin', 'HEAD:main')).toContain('attempts-do-not-push');
  });

  it('shows where the target is now when a merge begins, but leaves branches that the agent moved', async () => {
    repo.git('branch', 'topic');
    await start();
    writeFileSync(join(dir, 'b.txt'), 'x\n');
    repo.gitIn(dir, 'commit', '-qam', 'work');
    repo.gitIn(dir, 'branch', '-f', 'topic');
    const topic = repo.gitIn(dir, 'rev-parse', 'topic');
    repo.write('a.txt', 'theirs\n');
    const tip = repo.commit('theirs');
    repo.git('branch', '-f', 'topic');
    repo.git('branch', 'new');
    await git.beginMerge(dir, tip);
    expect(repo.gitIn(dir, 'rev-parse', 'main', 'new')).toBe(`${tip}\n${tip}\n`);
    expect(repo.gitIn(dir, 'rev-parse', 'topic')).toBe(topic);
  });

  it('has a stash of its own: popping it does not bring the stash of the user', async () => {
    repo.write('a.txt', 'of the user\n');
    repo.git('stash', '-q');
    await start();
    expect(repo.gitIn(dir, 'stash', 'list')).toBe('');
    expect(fails('stash', 'pop')).toMatch(/No stash entries|refs\/stash/);
    writeFileSync(join(dir, 'b.txt'), 'of the agent\n');
    repo.gitIn(dir, 'stash', '-q');
    repo.gitIn(dir, 'stash', 'pop', '-q');
    const commit = await git.commitAll(dir, 'work');
    expect(repo.git('show', `${commit}:a.txt`)).toBe('a\n');
    expect(repo.git('show', `${commit}:b.txt`)).toBe('of the agent\n');
    expect(repo.git('stash', 'list').trim().split('\n')).toHaveLength(1);
  });

  it('shares neither stash nor branches with another attempt', async () => {
    const other = join(repo.base, 'pool', 'ym-r-2');
    await start();
    await git.addWorktree(other, 'main');
    await git.point(other, 'main', 'yard/r/u-1');
    writeFileSync(join(dir, 'mine.txt'), 'mine\n');
    repo.gitIn(dir, 'stash', '-q', '-u');
    repo.gitIn(dir, 'branch', 'mine');
    expect(repo.gitIn(other, 'stash', 'list') + repo.gitIn(other, 'branch', '--list', 'mine')).toBe(
      '',
    );
  });

  it('hides no edit from us by flags, excludes or a sparse checkout', async () => {
    await start();
    repo.gitIn(dir, 'update-index', '--assume-unchanged', 'a.txt');
    repo.gitIn(dir, 'update-index', '--skip-worktree', 'b.txt');
    writeFileSync(join(`${dir}.git`, 'info', 'exclude'), '*\n');
    repo.gitIn(dir, 'config', 'core.excludesFile', join(dir, '.gitignore'));
    writeFileSync(join(dir, 'a.txt'), 'x\n');
    writeFileSync(join(dir, 'b.txt'), 'x\n');
    writeFileSync(join(dir, 'new.txt'), 'x\n');
    const commit = await git.commitAll(dir, 'work');
    expect(repo.git('diff', '--name-only', 'main', commit).trim().split('\n')).toEqual([
      'a.txt',
      'b.txt',
      'new.txt',
    ]);
  });

  it('keeps ignored files that the agent added by force, committed or not', async () => {
    await start();
    mkdirSync(join(dir, 'out'));
    for (const name of ['forced', 'left']) writeFileSync(join(dir, 'out', name), 'x\n');
    repo.gitIn(dir, 'add', '-f', 'out/forced');
    expect((await git.status(dir)).dirty).toBe(true);
    const commit = await git.commitAll(dir, 'work');
    expect(filesOf(commit)).toContain('out/forced');
    expect(filesOf(commit)).not.toContain('out/left');
    expect((await git.status(dir)).dirty).toBe(false);
    repo.gitIn(dir, 'status');
    expect((await git.status(dir)).dirty).toBe(false);
  });

  it('names ignored files and folders that were made since a time, without a look into older folders', async () => {
    await start();
    const make = (path: string): number => {
      rmSync(join(dir, path), { recursive: true, force: true });
      mkdirSync(join(dir, path), { recursive: true });
      writeFileSync(join(dir, path, 'x'), 'x\n');
      return statSync(join(dir, path)).birthtimeMs;
    };
    const since = make('out');
    // The clock of the file system has ticks.
    while (make('deep/out') <= since);
    writeFileSync(join(dir, 'out', 'later'), 'x\n');
    const found = await git.status(dir, since);
    expect(found).toMatchObject({ dirty: false, ignored: ['deep/out/'] });
    expect(await git.status(dir)).not.toHaveProperty('ignored');
  });

  it('shows an edit of the same size that came in the second of its last commit, also a second later', async () => {
    await start();
    // Git compares whole seconds. It must be late in none, or the steps do not fit into one.
    const toNext = 1000 - (Date.now() % 1000);
    await new Promise((resolve) => setTimeout(resolve, toNext));
    writeFileSync(join(dir, 'b.txt'), 'y\n');
    repo.gitIn(dir, 'commit', '-qam', 'by the agent');
    writeFileSync(join(dir, 'b.txt'), 'z\n');
    await new Promise((resolve) => setTimeout(resolve, 1000));
    expect((await git.status(dir)).dirty).toBe(true);
  });

  it('is created again for the next attempt: nothing of the last one survives', async () => {
    await start();
    writeFileSync(join(dir, 'a.txt'), 'stashed\n');
    repo.gitIn(dir, 'stash', '-q');
    repo.gitIn(dir, 'branch', 'left');
    repo.gitIn(dir, 'config', 'core.hooksPath', '/evil');
    repo.gitIn(dir, 'update-index', '--skip-worktree', 'b.txt');
    writeFileSync(join(`${dir}.git`, 'info', 'exclude'), '*\n');
    writeFileSync(join(`${dir}.git`, 'hooks', 'pre-commit'), '#!/bin/sh\nexit 1\n');
    chmodSync(join(`${dir}.git`, 'hooks', 'pre-commit'), 0o755);
    await git.point(dir, 'main', 'yard/r/u-1');
    expect(repo.gitIn(dir, 'stash', 'list') + repo.gitIn(dir, 'branch', '--list', 'left')).toBe('');
    expect(repo.gitIn(dir, 'ls-files', '-v')).not.toMatch(/^[a-zS] /m);
    writeFileSync(join(dir, 'new.txt'), 'x\n');
    expect(repo.gitIn(dir, 'status', '--porcelain')).toBe('?? new.txt\n');
    repo.gitIn(dir, 'add', '-A');
    repo.gitIn(dir, 'commit', '-qm', 'no hook of before');
  });

  it('writes nothing through links that an agent puts in its way', async () => {
    const outside = join(repo.base, 'outside');
    mkdirSync(outside);
    for (const name of ['a', 'b', 'c']) writeFileSync(join(outside, name), 'mine\n');
    await start();
    const own = `${dir}.git`;
    const heads = join(own, 'refs', 'heads');
    rmSync(join(heads, 'yard'), { recursive: true });
    symlinkSync(join(repo.root, '.git', 'refs', 'heads'), join(heads, 'yard'));
    for (const [at, name] of [
      [join(own, 'HEAD.new'), 'a'],
      [join(dir, '.git.new'), 'b'],
      [join(own, 'index.lock'), 'c'],
    ] as const) {
      symlinkSync(join(outside, name), at);
    }
    rmSync(join(own, 'index'));
    symlinkSync(join(outside, 'a'), join(own, 'index'));
    const refs = repo.git('for-each-ref');
    writeFileSync(join(dir, 'a.txt'), 'x\n');
    await git.commitAll(dir, 'work');
    await git.point(dir, 'main', branch);
    await git.point(dir, 'main', 'yard/r/u-1');
    for (const name of ['a', 'b', 'c']) {
      expect(readFileSync(join(outside, name), 'utf8')).toBe('mine\n');
    }
    expect(repo.git('for-each-ref')).toBe(refs);
  });

  it('is made again if its making was cut short', async () => {
    await start();
    rmSync(join(`${dir}.view`, 'clone-made'));
    rmSync(join(`${dir}.git`, 'config'));
    await git.point(dir, 'main', branch);
    expect(repo.gitIn(dir, 'log', '-1', '--format=%s').trim()).toBe('start');
    writeFileSync(join(`${dir}.view`, 'HEAD'), '');
    expect(await git.hasWorktree(dir)).toBe(false);
  });

  it('may have an index of any size, and pipes for files', async () => {
    await start();
    writeFileSync(join(dir, 'a.txt'), 'x\n');
    repo.gitIn(dir, 'commit', '-qam', 'by the agent');
    truncateSync(join(`${dir}.git`, 'index'), 3 * 1024 ** 3);
    execFileSync('mkfifo', [join(dir, '.git.new'), join(`${dir}.git`, 'MERGE_HEAD')]);
    expect((await git.status(dir)).dirty).toBe(false);
    await git.point(dir, 'main', branch);
  });

  it('may collect garbage, and the user may too', async () => {
    await start();
    for (const text of ['one\n', 'two\n']) {
      writeFileSync(join(dir, 'a.txt'), text);
      repo.gitIn(dir, 'commit', '-qam', text);
    }
    repo.gitIn(dir, 'gc', '-q', '--prune=now');
    repo.git('gc', '-q', '--prune=now');
    writeFileSync(join(dir, 'a.txt'), 'three\n');
    const commit = await git.commitAll(dir, 'three');
    expect(repo.git('rev-list', '--count', `main..${commit}`).trim()).toBe('3');
  });

  it('may be damaged: its files are still captured', async () => {
    const damages: (() => void)[] = [
      () => rmSync(join(`${dir}.git`, 'objects'), { recursive: true }),
      () => writeFileSync(join(`${dir}.git`, 'HEAD'), 'junk'),
      () => writeFileSync(join(`${dir}.git`, 'index'), 'junk'),
      () => rmSync(join(`${dir}.git`, 'refs'), { recursive: true }),
    ];
    for (const [at, damage] of damages.entries()) {
      await start(`yard/r/t-${at + 1}`);
      writeFileSync(join(dir, 'a.txt'), `${at}\n`);
      repo.gitIn(dir, 'commit', '-qam', 'lost');
      damage();
      const commit = await git.commitAll(dir, 'work');
      expect(repo.git('show', `${commit}:a.txt`)).toBe(`${at}\n`);
      await git.point(dir, commit, `yard/r/t-${at + 1}`);
      expect(repo.gitIn(dir, 'status', '--porcelain')).toBe('');
      await git.removeWorktree(dir);
    }
  });

  it('runs nothing of an agent when we read its work', async () => {
    await start();
    const trace = join(repo.base, 'trace');
    const run = `sh -c 'touch ${trace}; cat'`;
    const configure = (at: string): void => {
      for (const key of ['filter.x.clean', 'filter.x.smudge', 'filter.x.process', 'core.fsmonitor'])
        repo.gitIn(at, 'config', key, run);
      repo.gitIn(at, 'config', 'diff.external', run);
      repo.gitIn(at, 'config', 'filter.x.required', 'false');
    };
    const inner = join(dir, 'sub');
    mkdirSync(inner);
    repo.gitIn(inner, 'init', '-q');
    writeFileSync(join(inner, 'x.txt'), 'x\n');
    repo.gitIn(inner, 'add', '-A');
    repo.gitIn(inner, '-c', 'user.name=a', '-c', 'user.email=a@b', 'commit', '-qm', 'inner');
    repo.gitIn(dir, 'add', 'sub');
    repo.gitIn(dir, 'commit', '-qm', 'a gitlink');
    configure(inner);
    writeFileSync(join(inner, '.git', 'info', 'attributes'), '* filter=x\n');
    writeFileSync(join(inner, 'x.txt'), 'changed\n');
    writeFileSync(
      join(dir, '.gitmodules'),
      '[submodule "sub"]\n\tpath = sub\n\tignore = none\n\turl = x\n',
    );
    writeFileSync(join(dir, '.gitattributes'), '* filter=x\n');
    configure(dir);
    rmSync(trace, { force: true });
    writeFileSync(join(dir, 'a.txt'), 'x\n');
    await git.status(dir);
    const commit = await git.commitAll(dir, 'work');
    await git.differing(dir, commit);
    await git.untracked(dir);
    await git.strays(dir);
    await git.point(dir, commit, branch);
    await git.exactly(dir, 'main', []);
    expect(filesOf(commit)).toContain('a.txt');
    expect(existsSync(trace)).toBe(false);
  });

  it('has the identity that your config includes for the folder of the project only', async () => {
    const home = join(repo.base, 'home');
    mkdirSync(home);
    writeFileSync(
      join(home, 'work.inc'),
      '[user]\n\tname = At Work\n\temail = work@example.invalid\n',
    );
    const condition = `[includeIf "gitdir:${repo.root}/"]\n\tpath = ${join(home, 'work.inc')}\n`;
    writeFileSync(join(home, '.gitconfig'), `[user]\n\tname = At Home\n${condition}`);
    repo.git('config', '--unset', 'user.name');
    repo.git('config', '--unset', 'user.email');
    const env = { ...process.env, HOME: home, GIT_CONFIG_GLOBAL: join(home, '.gitconfig') };
    const mine = gitCli(repo.root, env);
    await mine.addWorktree(dir, 'main', { empty: true });
    await mine.point(dir, 'main', branch);
    writeFileSync(join(dir, 'a.txt'), 'x\n');
    execFileSync('git', ['commit', '-qam', 'by the agent'], { cwd: dir, env });
    writeFileSync(join(dir, 'b.txt'), 'x\n');
    const commit = await mine.commitAll(dir, 'by the engine');
    await mine.close();
    const authors = repo.git('log', '--format=%an <%ae> %s', `main..${commit}`).trim().split('\n');
    expect(authors).toEqual([
      'At Work <work@example.invalid> by the engine',
      'At Work <work@example.invalid> by the agent',
    ]);
  });

  it('hands over what Git LFS stored for its commits, but nothing under a false name', async () => {
    await start();
    const names = ['large\n', 'forged\n'].map((text, at) => {
      const hash = createHash('sha256').update(text).digest('hex');
      const folder = join(`${dir}.git`, 'lfs', 'objects', hash.slice(0, 2), hash.slice(2, 4));
      mkdirSync(folder, { recursive: true });
      writeFileSync(join(folder, hash), at === 0 ? text : 'something else\n');
      return join('lfs', 'objects', hash.slice(0, 2), hash.slice(2, 4), hash);
    });
    writeFileSync(join(dir, 'a.txt'), 'pointer\n');
    repo.gitIn(dir, 'commit', '-qam', 'a pointer');
    await git.status(dir);
    const there = names.map((name) => existsSync(join(repo.root, '.git', name)));
    expect(there).toEqual([true, false]);
  });

  it('runs the hooks that the user has installed when an agent commits', async () => {
    const hook = join(repo.root, '.git', 'hooks', 'pre-commit');
    mkdirSync(join(repo.root, '.git', 'hooks'), { recursive: true });
    writeFileSync(hook, '#!/bin/sh\necho refused by the hook >&2\nexit 1\n');
    chmodSync(hook, 0o755);
    await start();
    expect(fails('commit', '-q', '--allow-empty', '-m', 'x')).toContain('refused by the hook');
    writeFileSync(join(dir, 'a.txt'), 'x\n');
    await git.commitAll(dir, 'our own commits run no hooks');
  });

  it('works in a shallow repository, and in one with a path that needs quoting', async () => {
    repo.write('a.txt', 'more\n');
    repo.commit('more');
    const shallow = join(repo.base, 'a "quoted" : path');
    repo.gitIn(repo.base, 'clone', '-q', '--depth=1', `file://${repo.root}`, shallow);
    repo.gitIn(shallow, 'config', 'user.name', 'a');
    repo.gitIn(shallow, 'config', 'user.email', 'a@b');
    const other = gitCli(shallow);
    const tree = join(shallow, '..', 'w : "x"', 'ym-r-1');
    await other.addWorktree(tree, 'HEAD');
    await other.point(tree, 'HEAD', branch);
    writeFileSync(join(tree, 'a.txt'), 'x\n');
    repo.gitIn(tree, 'commit', '-qam', 'by the agent');
    writeFileSync(join(tree, 'b.txt'), 'x\n');
    const commit = await other.commitAll(tree, 'work');
    expect(repo.gitIn(shallow, 'log', '--format=%s', commit).trim().split('\n')).toHaveLength(3);
    await other.close();
  });

  it('concludes a merge that we began, gives one up, or makes one of its own', async () => {
    await start();
    writeFileSync(join(dir, 'a.txt'), 'ours\n');
    const ours = await git.commitAll(dir, 'ours');
    repo.write('a.txt', 'theirs\n');
    const theirs = repo.commit('theirs');
    expect(await git.beginMerge(dir, theirs)).toMatchObject({ id: 'conflict' });
    expect(repo.gitIn(dir, 'status')).toContain('both modified');
    writeFileSync(join(dir, 'a.txt'), 'both\n');
    repo.gitIn(dir, 'commit', '-qam', 'merged');
    const { head, dirty } = await git.status(dir);
    expect(dirty).toBe(false);
    expect((await git.commit(head)).parents).toEqual([ours, theirs]);
    await git.point(dir, ours, branch);
    await git.beginMerge(dir, theirs);
    repo.gitIn(dir, 'merge', '--abort');
    writeFileSync(join(dir, 'b.txt'), 'x\n');
    const alone = await git.commitAll(dir, 'no merge');
    expect((await git.commit(alone)).parents).toEqual([ours]);
  });
});

it('a worktree leaves nothing in the repository but objects', async () => {
  const names = (): string =>
    ['worktrees', 'index', 'HEAD', 'config', 'packed-refs']
      .map((name) => join(repo.root, '.git', name))
      .map((file) => (existsSync(file) ? readFileSync(file, 'base64') : 'none'))
      .join('\n');
  const before = names() + repo.git('for-each-ref');
  await start();
  writeFileSync(join(dir, 'a.txt'), 'x\n');
  await git.commitAll(dir, 'work');
  await git.removeWorktree(dir);
  expect(names() + repo.git('for-each-ref')).toBe(before);
  expect(existsSync(`${dir}.view`)).toBe(false);
});
