import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { codex, gitRoots } from '../../src/agent/codex.ts';
import { type Scratch, scratch } from '../process/scratch.ts';
import { turn } from './turn.ts';

describe('what a commit in a worktree writes outside of it', () => {
  let scratched: Scratch;
  let place: string;
  const git = (...args: string[]): void => {
    const who = ['-c', 'user.name=A', '-c', 'user.email=a@example.invalid'];
    execFileSync('git', ['-C', place, ...who, ...args], { stdio: 'ignore' });
  };
  beforeEach(() => {
    scratched = scratch();
    place = scratched.dir;
    git('init', '--quiet', 'main');
    git('-C', 'main', 'commit', '--quiet', '--allow-empty', '--message=Start');
  });
  afterEach(() => scratched.remove());

  it('are its own folder of the repository and the shared ones, but neither hooks nor settings', () => {
    git('-C', 'main', 'worktree', 'add', '--quiet', join(place, 'tree'));
    const shared = join(place, 'main', '.git');
    expect(gitRoots(join(place, 'tree'))).toEqual([
      join(shared, 'worktrees', 'tree'),
      join(shared, 'objects'),
      join(shared, 'refs'),
      join(shared, 'logs'),
    ]);
  });

  it('is named for the sandbox as one list', () => {
    const worktree = join(place, 'tree "x"');
    git('-C', 'main', 'worktree', 'add', '--quiet', '--detach', worktree);
    const argv = codex.argv(turn({ worktree }), {
      name: 'mine',
      args: [],
      sandbox: 'auto',
    });
    const roots = argv.find((word) => word.includes('writable_roots='))?.split('=')[1] ?? '';
    expect(JSON.parse(roots)).toEqual(gitRoots(worktree));
  });

  it('is the folder of the repository itself where that is not linked', () => {
    expect(gitRoots(join(place, 'main'))).toEqual([join(place, 'main', '.git')]);
  });

  it('is nothing where there is no repository', () => {
    expect(gitRoots(place)).toEqual([]);
  });
});
