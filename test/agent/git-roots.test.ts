import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { codex, gitRoots } from '../../src/agent/codex.ts';
import { gitCli } from '../../src/git/cli.ts';
import type { Git } from '../../src/port/git.ts';
import { tempFolder } from '../rig/temp-folder.ts';
import { turn } from './turn.ts';

describe('what a commit in a worktree writes outside of it', () => {
  let scratched: string;
  let port: Git;
  let place: string;
  beforeEach(() => {
    scratched = tempFolder();
    place = scratched;
    const who = ['-c', 'user.name=A', '-c', 'user.email=a@example.invalid'];
    const git = (...args: string[]): void => {
      execFileSync('git', ['-C', place, ...who, ...args], { stdio: 'ignore' });
    };
    git('init', '--quiet', 'main');
    git('-C', 'main', 'commit', '--quiet', '--allow-empty', '--message=Start');
    port = gitCli(join(place, 'main'));
  });
  afterEach(async () => {
    await port.close();
  });

  it('is its own git, and nothing of the repository', async () => {
    const worktree = join(place, 'tree');
    await port.addWorktree(worktree, 'HEAD');
    expect(gitRoots(worktree)).toEqual([`${worktree}.git`]);
  });

  it('is named for the sandbox as one list', async () => {
    const worktree = join(place, 'tree "x"');
    await port.addWorktree(worktree, 'HEAD');
    const argv = codex.argv(turn({ worktree }), { name: 'mine', args: [], sandbox: 'auto' });
    const roots = argv.find((word) => word.includes('writable_roots='))?.split('=')[1] ?? '';
    expect(JSON.parse(roots)).toEqual([`${worktree}.git`]);
  });

  it('is nothing where there is no worktree', () => {
    expect(gitRoots(place)).toEqual([]);
  });
});
