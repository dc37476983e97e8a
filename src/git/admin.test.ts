import { mkdirSync, rmSync, statSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { tempFolder } from '../../test/rig/temp-folder.ts';
import {
  clearLocks,
  dropOperations,
  exists,
  gitDirOf,
  headOf,
  locksOf,
  operationIn,
  realDir,
  rebasedBranch,
  textOf,
} from './admin.ts';

let base: string;
let common: string;

beforeEach(() => {
  base = tempFolder();
  common = join(base, 'repo', '.git');
  mkdirSync(common, { recursive: true });
});

function put(path: string, text: string): string {
  const file = join(base, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
  return file;
}

describe('files of git', () => {
  it('are undefined if the file does not exist', async () => {
    expect(await textOf(join(base, 'none'))).toBeUndefined();
    expect(await textOf(join(put('file', 'x'), 'below'))).toBeUndefined();
    expect(await textOf(base)).toBeUndefined();
    expect(await exists(join(base, 'none'))).toBe(false);
  });

  it('read the branch from HEAD; none if it is detached or missing', async () => {
    put('on/HEAD', 'ref: refs/heads/feature/x\n');
    put('off/HEAD', `${'a'.repeat(40)}\n`);
    expect(await headOf(join(base, 'on'))).toEqual({ branch: 'feature/x' });
    expect(await headOf(join(base, 'off'))).toEqual({});
    expect(await headOf(join(base, 'none'))).toEqual({});
  });

  it('lead from a checkout to its git folder, by an absolute or relative path', async () => {
    put('abs/.git', 'gitdir: /some/where\n');
    put('rel/.git', 'gitdir: ../repo/.git/worktrees/rel\n');
    put('junk/.git', 'nonsense');
    expect(await gitDirOf(join(base, 'abs'))).toBe('/some/where');
    expect(await gitDirOf(join(base, 'rel'))).toBe(join(common, 'worktrees', 'rel'));
    expect(await gitDirOf(join(base, 'junk'))).toBeUndefined();
    expect(await gitDirOf(join(base, 'repo'))).toBe(common);
    expect(await gitDirOf(join(base, 'none'))).toBeUndefined();
  });

  it('give the real path of folders, those not there yet included', async () => {
    mkdirSync(join(base, 'real'));
    symlinkSync(join(base, 'real'), join(base, 'link'));
    expect(await realDir(join(base, 'link'))).toBe(join(base, 'real'));
    expect(await realDir(join(base, 'link', 'a', 'b'))).toBe(join(base, 'real', 'a', 'b'));
  });

  it('name the operation in progress and the branch being rebased', async () => {
    expect(await operationIn(common)).toBeUndefined();
    put('repo/.git/MERGE_HEAD', 'x');
    expect(await operationIn(common)).toBe('merge');
    put('repo/.git/rebase-merge/head-name', 'refs/heads/main\n');
    expect(await operationIn(common)).toBe('rebase');
    expect(await rebasedBranch(common)).toBe('main');
    await dropOperations(common);
    expect(await rebasedBranch(common)).toBeUndefined();
  });
});

describe('locks', () => {
  it('go when they are old, or from the future', async () => {
    const [index = '', head = ''] = locksOf(common);
    for (const [lock, time] of [
      [index, 1],
      [head, Date.now() / 1000 + 3600],
    ] as const) {
      writeFileSync(lock, '');
      utimesSync(lock, time, time);
    }
    await clearLocks(locksOf(common));
    expect(await exists(index)).toBe(false);
    expect(await exists(head)).toBe(false);
  });

  it('are waited for while they are fresh', async () => {
    const lock = put('fresh.lock', '');
    // The clock stands still, so the lock never becomes old: only its removal ends the wait.
    vi.useFakeTimers({ toFake: ['Date'], now: Math.ceil(statSync(lock).mtimeMs) });
    onTestFinished(() => void vi.useRealTimers());
    const clearing = clearLocks([lock]);
    expect(await exists(lock)).toBe(true);
    rmSync(lock);
    await clearing;
  }, 15_000);
});
