// Merges that are left to somebody, in worktrees of real git.
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
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

const branch = 'yard/r1/t-1';
const lines = (first = 'line 0'): string =>
  `${Array.from({ length: 10 }, (_, i) => (i === 0 ? first : `line ${i}`)).join('\n')}\n`;

let repo: TempRepo;
let git: Git;
let dir: string;
let view: string;
let head: string;
let theirs: string;

beforeEach(async () => {
  repo = tempRepo({ 'a.txt': lines(), 'b.txt': 'b\n', '.gitignore': 'out/\n' });
  git = gitCli(repo.root);
  dir = join(repo.base, 'pool', 'ym-r-1');
  view = `${dir}.view`;
  await git.addWorktree(dir, 'main');
  writeFileSync(join(dir, 'a.txt'), lines('theirs'));
  writeFileSync(join(dir, 'new.txt'), 'n\n');
  theirs = await git.commitAll(dir, 'theirs');
  await git.point(dir, 'main', branch);
  writeFileSync(join(dir, 'a.txt'), lines('ours'));
  head = await git.commitAll(dir, 'ours');
});
afterEach(async () => {
  await git.close();
});

const conflict = { id: 'conflict', files: ['a.txt'] };

describe('a merge that is begun', () => {
  it('marks only the lines that contradict each other', async () => {
    expect(await git.beginMerge(dir, theirs)).toEqual(conflict);
    const text = readFileSync(join(dir, 'a.txt'), 'utf8');
    expect(text).toMatch(/^<{7} HEAD\nours\n\|{7} .+\nline 0\n={7}\ntheirs\n>{7} .+\nline 1\n/);
    expect(text.endsWith('line 9\n')).toBe(true);
    expect(readFileSync(join(dir, 'new.txt'), 'utf8')).toBe('n\n');
    expect(repo.gitIn(dir, 'ls-files', '--unmerged')).toContain('a.txt');
  });

  it('is a plain merge, whatever the configuration makes of one', async () => {
    const settings = {
      'merge.ff': 'only',
      'merge.verifySignatures': 'true',
      'merge.autoStash': 'true',
      'merge.stat': 'true',
      'pull.twohead': 'ours',
      'commit.gpgSign': 'true',
      [`branch.${branch}.mergeOptions`]: '--squash --ff-only',
    };
    for (const [name, value] of Object.entries(settings)) repo.git('config', name, value);
    expect(await git.beginMerge(dir, theirs)).toEqual(conflict);
    expect(readFileSync(join(dir, 'a.txt'), 'utf8')).toContain('<<<<<<<');
    writeFileSync(join(dir, 'a.txt'), lines('both'));
    const made = await git.commitAll(dir, 'both');
    expect((await git.commit(made)).parents).toEqual([head, theirs]);
  });

  it('is not resolved by what git remembers of another one', async () => {
    repo.git('config', 'rerere.enabled', 'true');
    repo.git('config', 'rerere.autoUpdate', 'true');
    for (const _time of ['taught', 'asked']) {
      expect(await git.beginMerge(dir, theirs)).toEqual(conflict);
      expect(readFileSync(join(dir, 'a.txt'), 'utf8')).toContain('<<<<<<<');
      writeFileSync(join(dir, 'a.txt'), lines('both'));
      repo.gitIn(dir, 'add', 'a.txt');
      repo.gitIn(dir, 'commit', '-q', '-m', 'both');
      await git.moveRefs([{ ref: `refs/heads/${branch}`, to: head }]);
      await git.point(dir, head, branch);
    }
  });

  it('runs no hook', async () => {
    const trace = join(repo.base, 'trace');
    for (const name of ['pre-merge-commit', 'post-merge', 'prepare-commit-msg', 'post-checkout']) {
      const file = join(repo.root, '.git', 'hooks', name);
      mkdirSync(join(repo.root, '.git', 'hooks'), { recursive: true });
      writeFileSync(file, `#!/bin/sh\necho ${name} >>'${trace}'\n`);
      chmodSync(file, 0o755);
    }
    await git.beginMerge(dir, theirs);
    expect(existsSync(trace)).toBe(false);
  });

  it('keeps ignored files, and the checkout of the person as it is', async () => {
    mkdirSync(join(dir, 'out'));
    writeFileSync(join(dir, 'out', 'built'), 'x\n');
    repo.write('a.txt', 'mine\n');
    await git.beginMerge(dir, theirs);
    expect(readFileSync(join(dir, 'out', 'built'), 'utf8')).toBe('x\n');
    expect(readFileSync(join(repo.root, 'a.txt'), 'utf8')).toBe('mine\n');
    expect(existsSync(join(repo.root, '.git', 'MERGE_HEAD'))).toBe(false);
  });

  it('is not stopped by a lock of a process that died', async () => {
    for (const name of ['index.lock', 'HEAD.lock']) {
      writeFileSync(join(view, name), '');
      utimesSync(join(view, name), 1, 1);
    }
    expect(await git.beginMerge(dir, theirs)).toEqual(conflict);
  });
});

describe('a merge that cannot begin', () => {
  it('leaves nothing of a merge behind where git is in the middle of something else', async () => {
    writeFileSync(join(view, 'CHERRY_PICK_HEAD'), `${theirs}\n`);
    expect(await kindOf(outcomeOf(git.beginMerge(dir, theirs)))).toBe('worktree-failed');
    expect(existsSync(join(view, 'MERGE_HEAD'))).toBe(false);
    expect(readFileSync(join(dir, 'a.txt'), 'utf8')).toBe(lines('ours'));
  });

  it('does not strike a repository around a worktree that leads nowhere', async () => {
    const outer = tempRepo({ 'outer.txt': 'o\n' });
    try {
      const inside = join(outer.root, 'pool', 'ym-r-2');
      await git.addWorktree(inside, head);
      rmSync(join(inside, '.git'), { recursive: true });
      await git.beginMerge(inside, theirs);
      rmSync(`${inside}.view`, { recursive: true });
      expect(await kindOf(outcomeOf(git.beginMerge(inside, theirs)))).toBe('worktree-failed');
      expect(existsSync(join(outer.root, '.git', 'MERGE_HEAD'))).toBe(false);
    } finally {
    }
  });
});

describe('a commit that is picked', () => {
  it('merges within a file, line by line, as a cherry-pick does', async () => {
    await git.point(dir, head, branch);
    writeFileSync(join(dir, 'a.txt'), lines('ours').replace('line 9', 'end'));
    const change = await git.commitAll(dir, 'end');
    const picked = await git.pick(theirs, change);
    await git.point(dir, theirs);
    repo.gitIn(dir, 'cherry-pick', change);
    const tree = repo.gitIn(dir, 'rev-parse', 'HEAD^{tree}').trim();
    expect(picked).toEqual({ id: 'clean', tree });
  });

  it('takes place in no checkout and moves no ref', async () => {
    const look = (): string => repo.git('for-each-ref') + repo.git('status', '--porcelain=v2');
    const before = look();
    expect(await git.pick(head, theirs)).toEqual(conflict);
    expect((await git.pick('main', theirs)).id).toBe('clean');
    expect(look()).toBe(before);
    expect((await git.status(dir)).head).toBe(head);
  });

  it('names a file by its own name where a folder is in its place', async () => {
    await git.point(dir, 'main');
    rmSync(join(dir, 'b.txt'));
    mkdirSync(join(dir, 'b.txt'));
    writeFileSync(join(dir, 'b.txt', 'x'), 'x\n');
    const onto = await git.commitAll(dir, 'a folder');
    await git.point(dir, 'main');
    writeFileSync(join(dir, 'b.txt'), 'changed\n');
    const change = await git.commitAll(dir, 'a file');
    expect(await git.pick(onto, change)).toEqual({ id: 'conflict', files: ['b.txt'] });
  });
});
