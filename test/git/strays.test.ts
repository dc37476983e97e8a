// Commits that an agent leaves on other branches, on tags or in the stash of its own git.
import { execFileSync } from 'node:child_process';
import { rmSync, writeFileSync } from 'node:fs';
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

describe('the git of an attempt', () => {
  it('hands over older stash entries and commits that only a tag holds, and keeps branches in the way of others', async () => {
    await start();
    for (const text of ['one\n', 'two\n']) {
      writeFileSync(join(dir, 'a.txt'), text);
      repo.gitIn(dir, 'stash', '-q');
    }
    repo.gitIn(dir, 'commit', '-q', '--allow-empty', '-m', 'tagged');
    repo.gitIn(dir, 'tag', '-a', '-m', 'x', 'mine');
    repo.gitIn(dir, 'reset', '-q', '--hard', 'HEAD~1');
    repo.gitIn(dir, 'branch', 'feature/foo');
    expect(await git.strays(dir)).toHaveLength(3);
    repo.git('branch', 'feature');
    await git.point(dir, 'main', branch);
    expect(repo.gitIn(dir, 'branch', '--list', 'feature/foo')).toContain('feature/foo');
    rmSync(join(`${dir}.git`, 'packed-refs'), { force: true });
    execFileSync('mkfifo', [join(`${dir}.git`, 'packed-refs')]);
    expect(await kindOf(outcomeOf(git.strays(dir)))).toBe('worktree-failed');
  });

  it('loses no commit on other branches or in the stash: they are handed over', async () => {
    await start();
    writeFileSync(join(dir, 'a.txt'), 'stashed\n');
    repo.gitIn(dir, 'stash', '-q');
    repo.gitIn(dir, 'checkout', '-q', '-b', 'side');
    writeFileSync(join(dir, 'b.txt'), 'side\n');
    repo.gitIn(dir, 'commit', '-qam', 'side');
    repo.gitIn(dir, 'checkout', '-q', branch);
    const [stash, side] = [
      repo.gitIn(dir, 'rev-parse', 'stash'),
      repo.gitIn(dir, 'rev-parse', 'side'),
    ];
    const found = await git.strays(dir);
    expect([...found].sort()).toEqual([stash.trim(), side.trim()].sort());
    for (const commit of found) repo.git('cat-file', '-e', `${commit}^{tree}`);
    expect(await git.strays(dir)).toEqual(found);
  });

  it('hands over no commit that the work contains, nor what was fetched', async () => {
    await start();
    repo.gitIn(dir, 'branch', 'before');
    writeFileSync(join(dir, 'a.txt'), 'x\n');
    repo.gitIn(dir, 'commit', '-qam', 'one');
    repo.gitIn(dir, 'branch', 'middle');
    repo.gitIn(dir, 'update-ref', 'refs/remotes/origin/x', 'HEAD');
    writeFileSync(join(dir, 'a.txt'), 'y\n');
    await git.commitAll(dir, 'two');
    expect(await git.strays(dir)).toEqual([]);
  });

  it('is read without a change: commits and files that were not captured are named', async () => {
    await start();
    writeFileSync(join(dir, 'a.txt'), 'stashed\n');
    repo.gitIn(dir, 'stash', '-q');
    writeFileSync(join(dir, 'a.txt'), 'x\n');
    repo.gitIn(dir, 'commit', '-qam', 'one');
    writeFileSync(join(dir, 'käse.txt'), 'x\n');
    const made = ['HEAD', 'stash'].map((name) => repo.gitIn(dir, 'rev-parse', name).trim());
    const objects = repo.git('count-objects');
    const found = await git.uncaptured(dir);
    expect(found.paths).toEqual(['a.txt', 'käse.txt']);
    expect([...found.commits].sort()).toEqual([...made].sort());
    expect(repo.git('count-objects')).toBe(objects);
    await git.commitAll(dir, 'two');
    expect(await git.uncaptured(dir)).toEqual({ paths: [], commits: made.slice(1) });
  });
});
