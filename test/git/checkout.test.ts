// Checkouts of the user and ours, with real git.
import { spawn } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { gitCli } from '../../src/git/cli.ts';
import type { Git } from '../../src/port/git.ts';
import { kindOf, need } from '../conformance/git.ts';
import { type TempRepo, tempRepo } from './temp-repo.ts';

let repo: TempRepo;
let git: Git;
let dir: string;

beforeEach(() => {
  repo = tempRepo({ 'a.txt': 'a\n', 'b.txt': 'b\n', 'c.txt': 'c\n', '.gitignore': 'out/\n' });
  git = gitCli(repo.root);
  dir = join(repo.base, 'pool', 'ym-r-1');
});
afterEach(async () => {
  await git.close();
  repo.remove();
});

async function grow(edits: Record<string, string>, parent = 'main'): Promise<string> {
  await need(git.addWorktree(dir, parent));
  for (const [path, content] of Object.entries(edits)) writeFileSync(join(dir, path), content);
  const commit = await need(git.commitAll(dir, 'grow'));
  await need(git.removeWorktree(dir));
  return commit;
}

/** All that a person could call theirs in a checkout, as bytes. */
function everything(): Record<string, string> {
  const found: Record<string, string> = {};
  const walk = (folder: string): void => {
    for (const name of readdirSync(join(repo.root, folder)).sort()) {
      const path = join(folder, name);
      if (path === join('.git', 'objects') || path === join('.git', 'worktrees')) continue;
      if (statSync(join(repo.root, path)).isDirectory()) walk(path);
      else found[path] = readFileSync(join(repo.root, path), 'base64');
    }
  };
  walk('.');
  return found;
}

function dirtyCheckout(): void {
  repo.write('stashed.txt', 's\n');
  repo.git('stash', '-q', '-u');
  repo.write('b.txt', 'staged\n');
  repo.git('add', 'b.txt');
  repo.write('b.txt', 'staged and edited\n');
  repo.write('untracked.txt', 'u\n');
  repo.write('out/ignored.txt', 'i\n');
}

describe("a person's checkout", () => {
  for (const autostash of ['false', 'true']) {
    it(`is left byte for byte where git refuses to move it (merge.autostash=${autostash})`, async () => {
      repo.git('config', 'merge.autostash', autostash);
      const next = await grow({ 'a.txt': 'next\n', 'b.txt': 'next\n' });
      dirtyCheckout();
      const before = everything();
      const result = await need(git.fastForward(repo.root, 'main', next));
      expect(result.id === 'refused' && result.cause).toContain('b.txt');
      expect(everything()).toEqual(before);
    });

    it(`keeps its edits, index and stash where it moves (merge.autostash=${autostash})`, async () => {
      repo.git('config', 'merge.autostash', autostash);
      const next = await grow({ 'a.txt': 'next\n', 'new.txt': 'n\n' });
      dirtyCheckout();
      const look = (): string =>
        repo.git('status', '--porcelain=v2') + repo.git('diff') + repo.git('diff', '--cached');
      const [before, stash] = [look(), repo.git('stash', 'list')];
      expect(await need(git.fastForward(repo.root, 'main', next))).toEqual({ id: 'moved' });
      expect(repo.git('rev-parse', 'main').trim()).toBe(next);
      expect(readFileSync(join(repo.root, 'a.txt'), 'utf8')).toBe('next\n');
      expect(look()).toBe(before);
      expect(repo.git('stash', 'list')).toBe(stash);
      expect(existsSync(join(repo.root, '.git', 'MERGE_HEAD'))).toBe(false);
    });
  }

  it('is left alone by a merge, clean or not', async () => {
    const one = await grow({ 'a.txt': 'one\n' });
    const two = await grow({ 'a.txt': 'two\n' });
    const three = await grow({ 'b.txt': 'three\n' });
    dirtyCheckout();
    const before = everything();
    expect((await need(git.merge(one, two))).id).toBe('conflict');
    expect((await need(git.merge(one, three))).id).toBe('clean');
    expect(everything()).toEqual(before);
  });

  it('is not moved in the middle of something', async () => {
    const next = await grow({ 'a.txt': 'next\n' });
    const side = await grow({ 'b.txt': 'side\n' });
    repo.write('b.txt', 'main\n');
    repo.commit('mine');
    try {
      repo.git('merge', side);
    } catch (error) {
      expect(String(error)).toContain('Command failed');
    }
    const before = everything();
    expect(await need(git.fastForward(repo.root, 'main', next))).toMatchObject({ id: 'refused' });
    expect(everything()).toEqual(before);
  });

  it('keeps its ignored files where a file would take the place of their folder', async () => {
    const file = await grow({ '.gitignore': '', out: 'a file\n' });
    const next = await grow({ '.gitignore': 'out/\n' }, file);
    repo.write('out/keys.txt', 'mine\n');
    const before = everything();
    expect(await need(git.fastForward(repo.root, 'main', next))).toMatchObject({ id: 'refused' });
    expect(everything()).toEqual(before);
  });

  it('keeps an ignored file where a folder would take its place', async () => {
    await need(git.addWorktree(dir, 'main'));
    mkdirSync(join(dir, 'keys'));
    writeFileSync(join(dir, 'keys', 'k.txt'), 'theirs\n');
    const next = await need(git.commitAll(dir, 'a folder'));
    await need(git.removeWorktree(dir));
    writeFileSync(join(repo.root, '.git', 'info', 'exclude'), 'keys\n');
    repo.write('keys', 'mine\n');
    const before = everything();
    expect(await need(git.fastForward(repo.root, 'main', next))).toMatchObject({ id: 'refused' });
    expect(everything()).toEqual(before);
  });

  it('is not moved while its index is locked, and the lock stays', async () => {
    const next = await grow({ 'a.txt': 'next\n' });
    const lock = join(repo.root, '.git', 'index.lock');
    writeFileSync(lock, '');
    const result = await need(git.fastForward(repo.root, 'main', next));
    expect(result.id === 'refused' && result.cause).toContain('index.lock');
    expect(existsSync(lock)).toBe(true);
  });

  it('is never taken for a worktree of ours', async () => {
    expect(await kindOf(git.point(repo.root, 'main'))).toBe('worktree-failed');
  });
});

describe('a worktree of ours', () => {
  it('is made again after its making was killed at any moment', async () => {
    for (let i = 0; i < 400; i += 1) repo.write(`many/${i}.txt`, `${'x'.repeat(2_000)}${i}`);
    const commit = repo.commit('many files');
    const admin = join(repo.root, '.git', 'worktrees', 'ym-r-1');
    const moments = [
      join(admin, 'locked'),
      join(dir, '.git'),
      join(admin, 'HEAD'),
      join(admin, 'index.lock'),
      join(dir, 'many', '200.txt'),
      join(admin, 'index'),
    ];
    for (const moment of moments) {
      const child = spawn('git', ['worktree', 'add', '--detach', '--force', dir, commit], {
        cwd: repo.root,
        stdio: 'ignore',
        detached: true,
      });
      const ended = new Promise((resolve) => child.on('exit', resolve));
      // Without a pause between two looks, so that the kill comes as close to the moment as it can.
      while (child.exitCode === null && !existsSync(moment)) await new Promise(setImmediate);
      if (child.pid !== undefined && child.exitCode === null) process.kill(-child.pid, 'SIGKILL');
      await ended;
      await need(git.addWorktree(dir, commit));
      expect(await need(git.status(dir))).toEqual({ head: commit, dirty: false });
      expect(await need(git.worktrees())).toEqual([dir]);
      expect(readdirSync(join(repo.root, '.git', 'worktrees'))).toHaveLength(1);
      await need(git.removeWorktree(dir));
      expect(existsSync(dir)).toBe(false);
    }
  });

  it('is made again over each kind of half that a kill leaves', async () => {
    const admin = join(repo.root, '.git', 'worktrees', 'ym-r-1');
    const halves: (() => void)[] = [
      () => rmSync(dir, { recursive: true }),
      () => writeFileSync(join(admin, 'locked'), 'initializing'),
      () => rmSync(join(admin, 'HEAD')),
      () => rmSync(join(admin, 'commondir')),
      () => {
        rmSync(dir, { recursive: true });
        writeFileSync(join(admin, 'gitdir'), '');
        writeFileSync(join(admin, 'locked'), 'initializing');
      },
      () => {
        rmSync(dir, { recursive: true });
        rmSync(admin, { recursive: true });
        mkdirSync(dir);
      },
    ];
    for (const half of halves) {
      await need(git.addWorktree(dir, 'main'));
      half();
      await need(git.addWorktree(dir, 'main'));
      expect((await need(git.status(dir))).dirty).toBe(false);
      expect(readdirSync(join(repo.root, '.git', 'worktrees'))).toEqual(['ym-r-1']);
    }
  });

  it('is not cleared where it lost its index and holds files: they may be work', async () => {
    const index = join(repo.root, '.git', 'worktrees', 'ym-r-1', 'index');
    for (const empty of [false, true]) {
      await need(git.addWorktree(dir, 'main', { empty }));
      rmSync(index, { force: true });
      writeFileSync(join(dir, 'a.txt'), 'work\n');
      expect(await kindOf(git.addWorktree(dir, 'main'))).toBe('worktree-failed');
      expect(readFileSync(join(dir, 'a.txt'), 'utf8')).toBe('work\n');
      await need(git.removeWorktree(dir));
    }
  });

  it('is filled where it has neither index nor files', async () => {
    await need(git.addWorktree(dir, 'main', { empty: true }));
    await need(git.addWorktree(dir, 'main'));
    expect(readFileSync(join(dir, 'a.txt'), 'utf8')).toBe('a\n');
    expect((await need(git.status(dir))).dirty).toBe(false);
  });

  it("is made and removed without touching the person's own entries", async () => {
    const theirs = join(repo.base, 'unmounted');
    repo.git('worktree', 'add', '-q', '--detach', theirs);
    rmSync(theirs, { recursive: true });
    await need(git.addWorktree(dir, 'main'));
    await need(git.removeWorktree(dir));
    expect(await need(git.worktrees())).toEqual([theirs]);
  });

  it('is not cut off from its work by an agent that removes its .git file', async () => {
    await need(git.addWorktree(dir, 'main'));
    writeFileSync(join(dir, 'a.txt'), 'work\n');
    rmSync(join(dir, '.git'));
    for (const verb of [git.point(dir, 'main'), git.status(dir)]) {
      expect(await kindOf<unknown>(verb)).toBe('worktree-failed');
    }
    expect(await kindOf(git.addWorktree(dir, 'main'))).toBe('worktree-failed');
    expect(readFileSync(join(dir, 'a.txt'), 'utf8')).toBe('work\n');
    expect((await need(git.status(dir))).dirty).toBe(true);
  });

  it('is not reset in a repository around it when it leads nowhere', async () => {
    const outer = tempRepo({ 'outer.txt': 'o\n' });
    try {
      const inside = join(outer.root, 'pool', 'ym-r-2');
      await need(git.addWorktree(inside, 'main'));
      rmSync(join(inside, '.git'));
      outer.write('outer.txt', 'precious\n');
      expect(await kindOf(git.point(inside, 'main'))).toBe('worktree-failed');
      expect(readFileSync(join(outer.root, 'outer.txt'), 'utf8')).toBe('precious\n');
    } finally {
      outer.remove();
    }
  });

  it('removes no folder that is not a worktree', async () => {
    const folder = join(repo.base, 'precious');
    mkdirSync(folder);
    writeFileSync(join(folder, 'x'), 'x');
    expect(await kindOf(git.removeWorktree(folder))).toBe('worktree-failed');
    expect(await kindOf(git.removeWorktree(repo.base))).toBe('worktree-failed');
    expect(existsSync(join(folder, 'x'))).toBe(true);
  });

  it('is not stopped by locks of a process that died', async () => {
    await need(git.addWorktree(dir, 'main'));
    const admin = join(repo.root, '.git', 'worktrees', 'ym-r-1');
    const leave = (): void => {
      const branches = join(repo.root, '.git', 'refs', 'heads', 'yard', 'r');
      mkdirSync(branches, { recursive: true });
      const locks = [
        join(admin, 'index.lock'),
        join(admin, 'HEAD.lock'),
        join(branches, 't-1.lock'),
      ];
      for (const lock of locks) {
        writeFileSync(lock, '');
        utimesSync(lock, 1, 1);
      }
    };
    leave();
    await need(git.point(dir, 'main', 'yard/r/t-1'));
    leave();
    await need(git.point(dir, 'main'));
    writeFileSync(join(admin, 'index.lock'), '');
    writeFileSync(join(dir, 'a.txt'), 'x\n');
    await need(git.commitAll(dir, 'past a fresh lock'));
  });

  it('is clean again after an agent left a rebase, a merge and a repository in it', async () => {
    const one = await grow({ 'a.txt': 'one\n' });
    await need(git.addWorktree(dir, one));
    writeFileSync(join(dir, 'a.txt'), 'two\n');
    repo.gitIn(dir, 'commit', '-qam', 'two');
    for (const begin of [
      ['rebase', '-q', '--onto', 'main', 'HEAD~1'],
      ['cherry-pick', 'main~0'],
    ]) {
      try {
        repo.gitIn(dir, ...begin);
      } catch (error) {
        expect(String(error)).toContain('Command failed');
      }
    }
    mkdirSync(join(dir, 'nested'));
    repo.gitIn(join(dir, 'nested'), 'init', '-q');
    await need(git.point(dir, 'main', 'yard/r/t-1'));
    expect(repo.gitIn(dir, 'status')).not.toMatch(/rebas|cherry|merg/);
    expect(existsSync(join(dir, 'nested'))).toBe(false);
    expect((await need(git.status(dir))).dirty).toBe(false);
  });

  it('concludes a merge that an agent left, with both parents', async () => {
    const one = await grow({ 'a.txt': 'one\n' });
    const two = await grow({ 'a.txt': 'two\n' });
    await need(git.addWorktree(dir, one));
    try {
      repo.gitIn(dir, 'merge', two);
    } catch (error) {
      expect(String(error)).toContain('Command failed');
    }
    writeFileSync(join(dir, 'a.txt'), 'both\n');
    const commit = await need(git.commitAll(dir, 'both'));
    expect((await need(git.commit(commit))).parents).toEqual([one, two]);
  });

  it('moves no branch by way of a name of ours that was made to stand for it', async () => {
    const start = repo.git('rev-parse', 'main').trim();
    await need(git.addWorktree(dir, 'main'));
    await need(git.point(dir, 'main', 'yard/r/t-1'));
    repo.gitIn(dir, 'symbolic-ref', 'refs/heads/yard/r/t-1', 'refs/heads/main');
    writeFileSync(join(dir, 'a.txt'), 'x\n');
    const commit = await need(git.commitAll(dir, 'work', 'yard/r/t-1'));
    expect(repo.git('rev-parse', 'main').trim()).toBe(start);
    expect((await need(git.commit(commit))).parents).toEqual([start]);
  });

  it('starts no history on a branch without a commit', async () => {
    await need(git.addWorktree(dir, 'main'));
    repo.gitIn(dir, 'checkout', '-q', '--orphan', 'fresh');
    expect(await kindOf(git.commitAll(dir, 'work'))).toBe('git-failed');
    expect(repo.git('branch', '--list', 'fresh')).toBe('');
  });

  it('is not committed while a repository in it holds what would be lost, however often it is tried', async () => {
    await need(git.addWorktree(dir, 'main'));
    const inner = join(dir, 'inner');
    repo.gitIn(dir, 'init', '-q', inner);
    writeFileSync(join(inner, 'x'), '1\n');
    repo.gitIn(inner, 'add', 'x');
    repo.gitIn(inner, '-c', 'user.name=a', '-c', 'user.email=a@b', 'commit', '-qm', 'inside');
    for (let tries = 0; tries < 2; tries += 1) {
      const done = await git.commitAll(dir, 'work');
      const failure = done.ok ? undefined : done.failure;
      expect(failure).toMatchObject({
        kind: 'git-failed',
        stderr: expect.stringContaining('inner'),
      });
    }
    expect(readFileSync(join(inner, 'x'), 'utf8')).toBe('1\n');
    rmSync(join(inner, '.git'), { recursive: true });
    const commit = await need(git.commitAll(dir, 'work'));
    expect(repo.git('show', `${commit}:inner/x`)).toBe('1\n');
  });

  it('may lie behind a symbolic link', async () => {
    mkdirSync(join(repo.base, 'real'));
    symlinkSync(join(repo.base, 'real'), join(repo.base, 'link'));
    const linked = join(repo.base, 'link', 'ym-r-3');
    await need(git.addWorktree(linked, 'main'));
    await need(git.point(linked, 'main', 'yard/r/t-3'));
    await need(git.addWorktree(linked, 'main'));
    await need(git.removeWorktree(linked));
    expect(await need(git.worktrees())).toEqual([]);
  });

  it('keeps names that hold line breaks, quotes or no text at all', async () => {
    const names = ['new\nline', 'quo"te', ' space ', '-dash', 'ta\tb', 'ünï', 'n'.repeat(200)];
    await need(git.addWorktree(dir, 'main'));
    for (const name of names) writeFileSync(join(dir, name), 'x\n');
    writeFileSync(Buffer.concat([Buffer.from(`${dir}/`), Buffer.from([0x66, 0xff, 0xfe])]), 'x\n');
    expect((await need(git.status(dir))).dirty).toBe(true);
    const commit = await need(git.commitAll(dir, 'names'));
    const changed = (await need(git.changes('main', commit))).map(({ path }) => path);
    expect(changed).toHaveLength(names.length + 1);
    for (const name of names) expect(changed).toContain(name);
    await need(git.point(dir, 'main'));
    expect(existsSync(join(dir, 'new\nline'))).toBe(false);
    const other = await grow({ 'new\nline': 'other\n' });
    expect(await need(git.merge(commit, other))).toEqual({ id: 'conflict', files: ['new\nline'] });
  });
});
