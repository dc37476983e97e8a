import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { tempFolder } from '../../test/rig/temp-folder.ts';
import { readIndex } from './clone.ts';

let dir: string;
const git = (...args: string[]): string =>
  execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b', ...args], {
    cwd: dir,
    encoding: 'utf8',
  });
const read = (idBytes = 20) => readIndex(readFileSync(join(dir, '.git', 'index')), idBytes);
const tree = (): string => git('rev-parse', 'HEAD^{tree}').trim();

function make(...how: string[]): void {
  git('init', '-q', ...how);
  for (const name of ['a', 'abc', 'b'.repeat(200), 'ünï', 'z'])
    writeFileSync(join(dir, name), name);
  git('add', '-A');
  git('commit', '-qm', 'x');
}

beforeEach(() => {
  dir = tempFolder();
});

describe('an index file', () => {
  for (const version of ['2', '3', '4']) {
    it(`of version ${version} names the tree that was committed`, () => {
      make();
      git('update-index', '--index-version', version);
      git('commit', '-q', '--allow-empty', '-m', 'y');
      expect(read()).toEqual({ tree: tree() });
    });
  }

  it('of a repository with long ids does so too', () => {
    make('--object-format=sha256');
    expect(read(32)).toEqual({ tree: tree() });
  });

  it('names no tree while something is staged', () => {
    make();
    writeFileSync(join(dir, 'a'), 'changed');
    git('add', 'a');
    expect(read()).toEqual({ tree: undefined });
  });

  it('is not used with a flag that hides changes, split, or damaged', () => {
    make();
    const spoil: (() => void)[] = [
      () => git('update-index', '--assume-unchanged', 'a'),
      () => {
        git('update-index', '--no-assume-unchanged', 'a');
        git('update-index', '--skip-worktree', 'abc');
      },
      () => {
        git('update-index', '--no-skip-worktree', 'abc');
        git('update-index', '--split-index');
      },
      () => writeFileSync(join(dir, '.git', 'index'), 'DIRC'),
      () =>
        writeFileSync(join(dir, '.git', 'index'), Buffer.from('44495243000000020000ffff00', 'hex')),
    ];
    for (const step of spoil) {
      step();
      expect(read()).toBeUndefined();
    }
  });
});
