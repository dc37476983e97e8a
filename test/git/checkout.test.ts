// Checkouts of the user and ours, with real git.
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
import { outcomeOf } from '../../src/model/trouble.ts';
import type { Git } from '../../src/port/git.ts';
import { kindOf } from '../conformance/git.ts';
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
});

async function grow(edits: Record<string, string>, parent = 'main'): Promise<string> {
  await git.addWorktree(dir, parent);
  for (const [path, content] of Object.entries(edits)) writeFileSync(join(dir, path), content);
  const commit = await git.commitAll(dir, 'grow');
  await git.removeWorktree(dir);
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
      const result = await git.fastForward(repo.root, 'main', next);
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
      expect(await git.fastForward(repo.root, 'main', next)).toEqual({ id: 'moved' });
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
    expect((await git.merge(one, two)).id).toBe('conflict');
    expect((await git.merge(one, three)).id).toBe('clean');
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
    expect(await git.fastForward(repo.root, 'main', next)).toMatchObject({ id: 'refused' });
    expect(everything()).toEqual(before);
  });

  it('keeps its ignored files where a file would take the place of their folder', async () => {
    const file = await grow({ '.gitignore': '', out: 'a file\n' });
    const next = await grow({ '.gitignore': 'out/\n' }, file);
    repo.write('out/keys.txt', 'mine\n');
    const before = everything();
    expect(await git.fastForward(repo.root, 'main', next)).toMatchObject({ id: 'refused' });
    expect(everything()).toEqual(before);
  });

  it('keeps an ignored file where a folder would take its place', async () => {
    await git.addWorktree(dir, 'main');
    mkdirSync(join(dir, 'keys'));
    writeFileSync(join(dir, 'keys', 'k.txt'), 'theirs\n');
    const next = await git.commitAll(dir, 'a folder');
    await git.removeWorktree(dir);
    writeFileSync(join(repo.root, '.git', 'info', 'exclude'), 'keys\n');
    repo.write('keys', 'mine\n');
    const before = everything();
    expect(await git.fastForward(repo.root, 'main', next)).toMatchObject({ id: 'refused' });
    expect(everything()).toEqual(before);
  });

  it('is not moved while its index is locked, and the lock stays', async () => {
    const next = await grow({ 'a.txt': 'next\n' });
    const lock = join(repo.root, '.git', 'index.lock');
    writeFileSync(lock, '');
    const result = await git.fastForward(repo.root, 'main', next);
    expect(result).toMatchObject({ id: 'locked', by: { file: lock, isOurs: false } });
    expect(existsSync(lock)).toBe(true);
  });

  it('is never taken for a worktree of ours', async () => {
    expect(await kindOf(outcomeOf(git.point(repo.root, 'main')))).toBe('worktree-failed');
  });
});

describe('a worktree of ours', () => {
  it('is made again over each kind of half that a kill leaves', async () => {
    const view = `${dir}.view`;
    const halves: (() => void)[] = [
      () => rmSync(dir, { recursive: true }),
      () => rmSync(join(dir, '.git'), { recursive: true }),
      () => rmSync(join(`${dir}.git`, 'HEAD')),
      () => rmSync(join(`${dir}.git`, 'objects'), { recursive: true }),
      () => {
        rmSync(dir, { recursive: true });
        rmSync(join(view, 'HEAD'));
      },
      () => {
        rmSync(dir, { recursive: true });
        rmSync(view, { recursive: true });
        mkdirSync(dir);
      },
    ];
    for (const half of halves) {
      await git.addWorktree(dir, 'main');
      half();
      await git.addWorktree(dir, 'main');
      expect((await git.status(dir)).dirty).toBe(false);
      expect(repo.gitIn(dir, 'status', '--porcelain')).toBe('');
      expect(existsSync(join(repo.root, '.git', 'worktrees'))).toBe(false);
    }
  });

  it('is not cleared where it lost its index and holds files: they may be work', async () => {
    const index = join(`${dir}.view`, 'index');
    for (const empty of [false, true]) {
      await git.addWorktree(dir, 'main', { empty });
      rmSync(index, { force: true });
      writeFileSync(join(dir, 'a.txt'), 'work\n');
      expect(await kindOf(outcomeOf(git.addWorktree(dir, 'main')))).toBe('worktree-failed');
      expect(readFileSync(join(dir, 'a.txt'), 'utf8')).toBe('work\n');
      await git.removeWorktree(dir);
    }
  });

  it('is filled where it has neither index nor files', async () => {
    await git.addWorktree(dir, 'main', { empty: true });
    await git.addWorktree(dir, 'main');
    expect(readFileSync(join(dir, 'a.txt'), 'utf8')).toBe('a\n');
    expect((await git.status(dir)).dirty).toBe(false);
  });

  it("leaves the repository's list of worktrees alone", async () => {
    const theirs = join(repo.base, 'unmounted');
    repo.git('worktree', 'add', '-q', '--detach', theirs);
    const before = repo.git('worktree', 'list');
    await git.addWorktree(dir, 'main');
    expect(repo.git('worktree', 'list')).toBe(before);
    await git.removeWorktree(dir);
    expect(repo.git('worktree', 'list')).toBe(before);
  });

  it('keeps its work when an agent removes its .git folder, or makes another repository of it', async () => {
    for (const init of [false, true]) {
      await git.addWorktree(dir, 'main');
      writeFileSync(join(dir, 'a.txt'), 'work\n');
      rmSync(join(dir, '.git'), { recursive: true });
      if (init) {
        repo.gitIn(dir, 'init', '-q', '-b', 'fresh');
        repo.gitIn(dir, 'add', '-A');
        repo.gitIn(dir, '-c', 'user.name=a', '-c', 'user.email=a@b', 'commit', '-qm', 'again');
      }
      expect(await kindOf(outcomeOf(git.addWorktree(dir, 'main')))).toBe('worktree-failed');
      const commit = await git.commitAll(dir, 'work');
      expect(repo.git('show', `${commit}:a.txt`)).toBe('work\n');
      expect(readFileSync(join(dir, 'a.txt'), 'utf8')).toBe('work\n');
      await git.removeWorktree(dir);
    }
  });

  it('is ours again, with its work as changes, after our view of it was removed', async () => {
    await git.addWorktree(dir, 'main');
    writeFileSync(join(dir, 'a.txt'), 'work\n');
    repo.gitIn(dir, 'commit', '-qam', 'by the agent');
    writeFileSync(join(dir, 'b.txt'), 'more\n');
    rmSync(`${dir}.view`, { recursive: true });
    for (const verb of [
      outcomeOf(git.point(dir, 'main')),
      outcomeOf(git.status(dir)),
      outcomeOf(git.addWorktree(dir, 'main')),
    ]) {
      expect(await kindOf<unknown>(verb)).toBe('worktree-failed');
    }
    await git.addWorktree(dir, 'main', { empty: true, adopt: true });
    const commit = await git.commitAll(dir, 'work');
    expect(repo.git('log', '--format=%s', `main..${commit}`)).toBe('work\nby the agent\n');
    expect(repo.git('show', `${commit}:b.txt`)).toBe('more\n');
  });

  it('has its commits again after the agent removed the folder, if it is known to be ours', async () => {
    await git.addWorktree(dir, 'main');
    await git.point(dir, 'main', 'yard/r/t-1');
    writeFileSync(join(dir, 'a.txt'), 'work\n');
    repo.gitIn(dir, 'commit', '-qam', 'by the agent');
    rmSync(dir, { recursive: true });
    await git.addWorktree(dir, 'main', { empty: true, adopt: true });
    expect(readFileSync(join(dir, 'a.txt'), 'utf8')).toBe('work\n');
    const { head, branch, dirty } = await git.status(dir);
    expect({ branch, dirty }).toEqual({ branch: 'yard/r/t-1', dirty: false });
    expect(repo.git('log', '-1', '--format=%s', head)).toBe('by the agent\n');
  });

  it('is never confused with what a link leads to', async () => {
    await git.addWorktree(dir, 'main');
    rmSync(dir, { recursive: true });
    repo.write('a.txt', 'precious\n');
    symlinkSync(repo.root, dir);
    for (const verb of [
      outcomeOf(git.point(dir, 'main')),
      outcomeOf(git.commitAll(dir, 'x')),
      outcomeOf(git.status(dir)),
    ]) {
      expect(await kindOf<unknown>(verb)).toBe('worktree-failed');
    }
    expect(readFileSync(join(repo.root, 'a.txt'), 'utf8')).toBe('precious\n');
  });

  it('removes no folder that is not a worktree', async () => {
    const folder = join(repo.base, 'precious');
    mkdirSync(folder);
    writeFileSync(join(folder, 'x'), 'x');
    expect(await kindOf(outcomeOf(git.removeWorktree(folder)))).toBe('worktree-failed');
    expect(await kindOf(outcomeOf(git.removeWorktree(repo.base)))).toBe('worktree-failed');
    expect(existsSync(join(folder, 'x'))).toBe(true);
  });

  it('is not stopped by locks of a process that died', async () => {
    await git.addWorktree(dir, 'main');
    const view = `${dir}.view`;
    const branches = join(repo.root, '.git', 'refs', 'heads', 'yard', 'r');
    mkdirSync(branches, { recursive: true });
    const leave = (): void => {
      const locks = [
        ...[view, `${dir}.git`].flatMap((folder) => [
          join(folder, 'index.lock'),
          join(folder, 'HEAD.lock'),
        ]),
        join(branches, 't-1.lock'),
      ];
      for (const lock of locks) {
        writeFileSync(lock, '');
        utimesSync(lock, 1, 1);
      }
    };
    leave();
    await git.point(dir, 'main', 'yard/r/t-1');
    leave();
    await git.point(dir, 'main');
    repo.gitIn(dir, 'commit', '-q', '--allow-empty', '-m', 'by the agent');
    writeFileSync(join(view, 'index.lock'), '');
    writeFileSync(join(dir, 'a.txt'), 'x\n');
    const commit = await git.commitAll(dir, 'past a fresh lock');
    const ref = 'refs/heads/yard/r/t-1';
    expect(await git.moveRefs([{ ref, to: commit }])).toEqual({ id: 'moved' });
  });

  it('is clean again after an agent left a rebase, a merge and a repository in it', async () => {
    const one = await grow({ 'a.txt': 'one\n' });
    await git.addWorktree(dir, one);
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
    await git.point(dir, 'main', 'yard/r/t-1');
    expect(repo.gitIn(dir, 'status')).not.toMatch(/rebas|cherry|merg/);
    expect(existsSync(join(dir, 'nested'))).toBe(false);
    expect((await git.status(dir)).dirty).toBe(false);
  });

  it('concludes a merge that an agent left, with both parents', async () => {
    const one = await grow({ 'a.txt': 'one\n' });
    const two = await grow({ 'a.txt': 'two\n' });
    await git.addWorktree(dir, one);
    try {
      repo.gitIn(dir, 'merge', two);
    } catch (error) {
      expect(String(error)).toContain('Command failed');
    }
    writeFileSync(join(dir, 'a.txt'), 'both\n');
    const commit = await git.commitAll(dir, 'both');
    expect((await git.commit(commit)).parents).toEqual([one, two]);
  });

  it('moves no branch of the repository, whatever is done in it', async () => {
    const refs = repo.git('for-each-ref');
    await git.addWorktree(dir, 'main');
    await git.point(dir, 'main', 'yard/r/t-1');
    repo.gitIn(dir, 'symbolic-ref', 'refs/heads/yard/r/t-1', 'refs/heads/main');
    writeFileSync(join(dir, 'a.txt'), 'x\n');
    repo.gitIn(dir, 'commit', '-qam', 'on main');
    repo.gitIn(dir, 'branch', '-f', 'another');
    await git.commitAll(dir, 'work');
    expect(repo.git('for-each-ref')).toBe(refs);
  });

  it('starts no history of its own: work on a branch without a commit has the last commit as its parent', async () => {
    await git.addWorktree(dir, 'main');
    repo.gitIn(dir, 'checkout', '-q', '--orphan', 'fresh');
    writeFileSync(join(dir, 'a.txt'), 'x\n');
    const commit = await git.commitAll(dir, 'work');
    const start = repo.git('rev-parse', 'main').trim();
    expect((await git.commit(commit)).parents).toEqual([start]);
    expect(repo.git('branch', '--list', 'fresh')).toBe('');
  });

  it('is not committed while a repository in it holds what would be lost, however often it is tried', async () => {
    await git.addWorktree(dir, 'main');
    const inner = join(dir, 'inner');
    repo.gitIn(dir, 'init', '-q', inner);
    writeFileSync(join(inner, 'x'), '1\n');
    repo.gitIn(inner, 'add', 'x');
    repo.gitIn(inner, '-c', 'user.name=a', '-c', 'user.email=a@b', 'commit', '-qm', 'inside');
    for (let tries = 0; tries < 2; tries += 1) {
      const done = await outcomeOf(git.commitAll(dir, 'work'));
      const failure = done.ok ? undefined : done.failure;
      expect(failure).toEqual({ kind: 'nested-repository', dir, paths: ['inner'] });
    }
    expect(readFileSync(join(inner, 'x'), 'utf8')).toBe('1\n');
    rmSync(join(inner, '.git'), { recursive: true });
    const commit = await git.commitAll(dir, 'work');
    expect(repo.git('show', `${commit}:inner/x`)).toBe('1\n');
  });

  it('may lie behind a symbolic link', async () => {
    mkdirSync(join(repo.base, 'real'));
    symlinkSync(join(repo.base, 'real'), join(repo.base, 'link'));
    const linked = join(repo.base, 'link', 'ym-r-3');
    await git.addWorktree(linked, 'main');
    await git.point(linked, 'main', 'yard/r/t-3');
    await git.addWorktree(linked, 'main');
    await git.removeWorktree(linked);
    expect(existsSync(linked)).toBe(false);
  });

  it('keeps names that hold line breaks, quotes or no text at all', async () => {
    const names = ['new\nline', 'quo"te', ' space ', '-dash', 'ta\tb', 'ünï', 'n'.repeat(200)];
    await git.addWorktree(dir, 'main');
    for (const name of names) writeFileSync(join(dir, name), 'x\n');
    writeFileSync(Buffer.concat([Buffer.from(`${dir}/`), Buffer.from([0x66, 0xff, 0xfe])]), 'x\n');
    expect((await git.status(dir)).dirty).toBe(true);
    const commit = await git.commitAll(dir, 'names');
    const changed = (await git.changes('main', commit)).map(({ path }) => path);
    expect(changed).toHaveLength(names.length + 1);
    for (const name of names) expect(changed).toContain(name);
    await git.point(dir, 'main');
    expect(existsSync(join(dir, 'new\nline'))).toBe(false);
    const other = await grow({ 'new\nline': 'other\n' });
    expect(await git.merge(commit, other)).toEqual({ id: 'conflict', files: ['new\nline'] });
  });
});
