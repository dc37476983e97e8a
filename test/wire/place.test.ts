import { execFileSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { gitCli } from '../../src/git/cli.ts';
import { ok } from '../../src/model/failure.ts';
import { tried } from '../../src/model/trouble.ts';
import { stateDir } from '../../src/process/stored-machine.ts';
import { findPlace } from '../../src/wire/place.ts';
import { tempFolder } from '../rig/temp-folder.ts';

let dir: string;

beforeEach(() => {
  dir = tempFolder();
});

function git(cwd: string, ...args: string[]): void {
  const identity = ['-c', 'user.name=x', '-c', 'user.email=x@example.invalid'];
  execFileSync('git', [...identity, ...args], { cwd, stdio: 'pipe' });
}

function repository(name = 'repo'): string {
  const root = join(dir, name);
  mkdirSync(root);
  git(root, 'init', '-q', '-b', 'main');
  git(root, 'commit', '-q', '--allow-empty', '-m', 'start');
  return root;
}

describe('the place of a project', () => {
  test('is found from the worktree of an attempt, and from a folder in it', async () => {
    const root = repository();
    const port = gitCli(root);
    const worktree = join(dir, 'pool', 'ym-r-1');
    await port.addWorktree(worktree, 'main');
    await port.close();
    mkdirSync(join(worktree, 'a'));
    expect(findPlace(join(worktree, 'a'))).toMatchObject({ root, commonDir: join(root, '.git') });
  });

  test('is found from its root and from any folder below', () => {
    const root = repository();
    mkdirSync(join(root, 'a', 'b'), { recursive: true });
    for (const from of [root, join(root, 'a'), join(root, 'a', 'b')]) {
      expect(findPlace(from)).toEqual({
        root,
        commonDir: join(root, '.git'),
        dir: join(root, '.git', 'yardmaster'),
        storeFile: join(root, '.git', 'yardmaster', 'yard.db'),
      });
    }
  });

  test('is one for all worktrees of a repository, each with its own root', () => {
    const root = repository();
    const linked = join(dir, 'linked');
    git(root, 'worktree', 'add', '-q', linked);
    const place = findPlace(linked);
    expect(place?.root).toBe(linked);
    expect(place?.dir).toBe(join(root, '.git', 'yardmaster'));
    expect(place?.commonDir).toBe(join(root, '.git'));
  });

  test('is found where the git folder lies elsewhere', () => {
    const root = join(dir, 'apart');
    mkdirSync(root);
    git(root, 'init', '-q', '--separate-git-dir', join(dir, 'store.git'));
    expect(findPlace(root)).toMatchObject({
      root,
      commonDir: join(dir, 'store.git'),
      dir: join(dir, 'store.git', 'yardmaster'),
    });
  });

  test('is nowhere outside of a repository, and a stray .git folder is none', () => {
    expect(findPlace(dir)).toBeUndefined();
    mkdirSync(join(dir, '.git'));
    expect(findPlace(dir)).toBeUndefined();
  });
});

describe('the folder for worktrees', () => {
  test('is the one that is named, else the usual one, else below the home folder', () => {
    expect(
      tried(() => stateDir({ YARDMASTER_STATE_DIR: '/x', XDG_STATE_HOME: '/y', HOME: '/z' })),
    ).toEqual(ok('/x'));
    expect(tried(() => stateDir({ XDG_STATE_HOME: '/y', HOME: '/z' }))).toEqual(
      ok('/y/yardmaster'),
    );
    expect(tried(() => stateDir({ HOME: '/z' }))).toEqual(ok('/z/.local/state/yardmaster'));
  });
});
