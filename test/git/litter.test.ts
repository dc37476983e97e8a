import { appendFileSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { gitCli } from '../../src/git/cli.ts';
import type { Git } from '../../src/git/git.ts';
import { type Litter, litterIn } from '../../src/worktree/litter.ts';
import { tempRepo } from './temp-repo.ts';

let git: Git;
let dir: string;
let litter: Litter;

const write = (path: string, text: string): void => {
  mkdirSync(join(dir, path, '..'), { recursive: true });
  writeFileSync(join(dir, path), text);
};

/** A worktree of a repository that ignores some files. */
beforeEach(async () => {
  const repo = tempRepo();
  repo.write('.gitignore', 'node_modules/\n*.cache\n');
  repo.commit('what is ignored');
  git = gitCli(repo.root);
  onTestFinished(async () => {
    await git.close();
    repo.remove();
  });
  dir = join(repo.base, 'tree');
  const added = await git.addWorktree(dir, 'HEAD');
  expect(added.ok).toBe(true);
  litter = litterIn(git);
});

describe('what git ignores in the worktree of a gate', () => {
  test('is as it was left where there is nothing', async () => {
    expect(await litter.look(dir)).toBe('as-left');
  });

  test('is not known where somebody else left it, as after a crash', async () => {
    write('node_modules/x/index.js', '1');
    expect(await litter.look(dir)).toBe('unknown');
  });

  test('is as it was left until somebody changes it', async () => {
    write('node_modules/x/index.js', '1');
    await litter.leave(dir);
    expect(await litter.look(dir)).toBe('as-left');
    write('node_modules/.bin/node', '#!/bin/sh\n');
    expect(await litter.look(dir)).toBe('changed');
  });

  test('is changed by a new text of the same length, by a new mode, and by what is gone', async () => {
    write('node_modules/x/index.js', '1');
    write('a.cache', '1');
    await litter.leave(dir);
    appendFileSync(join(dir, 'a.cache'), '2');
    expect(await litter.look(dir)).toBe('changed');
    await litter.leave(dir);
    rmSync(join(dir, 'node_modules/x/index.js'));
    expect(await litter.look(dir)).toBe('changed');
  });

  test('is not what git tracks, nor what it would add', async () => {
    await litter.leave(dir);
    write('src/new.js', '1');
    expect(await litter.look(dir)).toBe('as-left');
  });

  test('is listed by its highest folder, and removed on demand', async () => {
    write('node_modules/x/index.js', '1');
    write('deep/a.cache', '1');
    write('kept.txt', '1');
    const found = await git.ignored(dir);
    expect(found.ok && found.value).toEqual(
      expect.arrayContaining(['deep/a.cache', 'node_modules/']),
    );
    expect(found.ok && found.value).not.toContain('kept.txt');
    expect(await git.scrub(dir)).toMatchObject({ ok: true });
    expect(await git.ignored(dir)).toEqual({ ok: true, value: [] });
  });
});

describe('a commit', () => {
  test('was made on a branch where its history says so, and not where it came by a merge', async () => {
    const repo = tempRepo();
    const own = gitCli(repo.root);
    onTestFinished(async () => {
      await own.close();
      repo.remove();
    });
    repo.git('switch', '-q', '-c', 'side');
    repo.write('b.txt', 'b\n');
    const made = repo.commit('made here');
    repo.git('switch', '-q', 'main');
    repo.git('merge', '-q', '--ff-only', 'side');
    expect(await own.wasMadeOn('side', made)).toEqual({ ok: true, value: true });
    expect(await own.wasMadeOn('main', made)).toEqual({ ok: true, value: false });
    expect(await own.wasMadeOn('nowhere', made)).toEqual({ ok: true, value: false });
  });
});
