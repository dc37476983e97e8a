// The git of an attempt before a person works in its folder: it runs nothing that the agent told it to.
import { execFileSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { gitCli } from '../../src/git/cli.ts';
import type { Git } from '../../src/port/git.ts';
import { type TempRepo, tempRepo } from './temp-repo.ts';

let repo: TempRepo;
let git: Git;
let dir: string;
let clone: string;
let ran: string;
let planted: string;

beforeEach(async () => {
  repo = tempRepo({ 'a.txt': 'a\n' });
  writeFileSync(join(repo.root, '.git/info/exclude'), '*.log\n');
  git = gitCli(repo.root);
  dir = join(repo.base, 'pool', 'ym-r-1');
  clone = `${dir}.git`;
  ran = join(repo.base, 'ran');
  planted = join(repo.base, 'planted');
  writeFileSync(planted, `#!/bin/sh\necho "$0" >>'${ran}'\n`, { mode: 0o755 });
  await git.addWorktree(dir, 'main', { empty: true });
  await git.point(dir, 'main', 'yard/r/t-1');
});
afterEach(async () => {
  await git.close();
});

/** Commands that a person types in the folder. */
function work(): void {
  writeFileSync(join(dir, 'a.txt'), 'by hand\n');
  repo.gitIn(dir, 'status', '--short');
  repo.gitIn(dir, '--no-pager', 'diff');
  repo.gitIn(dir, 'add', '-A');
  repo.gitIn(dir, 'commit', '-qm', 'by hand');
}

it('stays as it is if the agent has not changed it, whatever the user changes in the repository', async () => {
  repo.git('config', 'merge.conflictStyle', 'diff3');
  expect(await git.resetSettings(dir)).toBeUndefined();
  work();
  expect(await git.resetSettings(dir)).toBeUndefined();
});

it('runs no hook, monitor, filter, alias or diff program of the agent, and keeps what it had', async () => {
  for (const [key, value] of [
    ['core.fsmonitor', planted],
    ['diff.external', planted],
    ['filter.x.clean', planted],
    ['alias.st', `!${planted}`],
    ['core.hooksPath', repo.base],
  ] as const) {
    repo.gitIn(dir, 'config', key, value);
  }
  writeFileSync(join(clone, 'hooks/pre-commit'), readFileSync(planted), { mode: 0o755 });
  writeFileSync(join(clone, 'info/attributes'), '* filter=x\n');
  writeFileSync(join(clone, 'info/exclude'), 'a.txt\n');
  const kept = (await git.resetSettings(dir)) ?? '';
  work();
  expect(existsSync(ran)).toBe(false);
  expect(readFileSync(join(kept, 'config'), 'utf8')).toContain('fsmonitor');
  expect(readdirSync(join(kept, 'hooks'))).toEqual(['pre-commit']);
  expect(readFileSync(join(kept, 'info/exclude'), 'utf8')).toBe('a.txt\n');
  expect(readFileSync(join(clone, 'info/exclude'), 'utf8')).toBe('*.log\n');
  expect(repo.gitIn(dir, 'config', 'user.name').trim()).toBe('Test Person');
  repo.gitIn(dir, 'config', 'core.fsmonitor', planted);
  expect(await git.resetSettings(dir)).not.toBe(kept);
});

it('finds its settings nowhere else', async () => {
  const other = join(repo.base, 'other');
  execFileSync('git', ['init', '-q', '--bare', other]);
  execFileSync('git', ['-C', other, 'config', 'core.fsmonitor', planted]);
  writeFileSync(join(clone, 'commondir'), `${other}\n`);
  rmSync(join(clone, 'info'), { recursive: true });
  symlinkSync(join(other, 'info'), join(clone, 'info'));
  await git.resetSettings(dir);
  work();
  expect(existsSync(ran)).toBe(false);
  expect(existsSync(join(other, 'info'))).toBe(true);
});

it.each(['the folder has another git', 'its git is a link'])(
  'is its own again if %s',
  async (way) => {
    const other = join(repo.base, 'other.git');
    if (way === 'its git is a link') {
      renameSync(clone, other);
      symlinkSync(other, clone);
      execFileSync('git', ['-C', other, 'config', 'core.fsmonitor', planted]);
    } else {
      rmSync(join(dir, '.git'));
      mkdirSync(join(dir, '.git'));
      execFileSync('git', ['init', '-q', dir]);
      repo.gitIn(dir, 'config', 'core.fsmonitor', planted);
    }
    expect(await git.resetSettings(dir)).toBeDefined();
    rmSync(ran, { force: true });
    work();
    expect(existsSync(ran)).toBe(false);
    expect(repo.gitIn(dir, 'branch', '--show-current').trim()).toBe('yard/r/t-1');
  },
);
