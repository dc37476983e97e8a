// The size of work while an agent changes files: counted by our own git, which reads only.
import { mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { gitCli } from '../../src/git/cli.ts';
import { viewOf } from '../../src/model/branch.ts';
import { outcomeOf } from '../../src/model/trouble.ts';
import { workSizeLimits } from '../../src/model/work-size.ts';
import type { Git } from '../../src/port/git.ts';
import { type TempRepo, tempRepo } from './temp-repo.ts';

let repo: TempRepo;
let git: Git;
let dir: string;
let base: string;

beforeEach(async () => {
  repo = tempRepo({ 'a.txt': 'one\ntwo\nthree\n', 'b.txt': 'b\n', '.gitignore': 'out/\n' });
  git = gitCli(repo.root);
  dir = join(repo.base, 'pool', 'ym-r-1');
  base = repo.git('rev-parse', 'main').trim();
  await git.addWorktree(dir, base, { empty: true });
  await git.point(dir, base, 'yard/r/t-1');
});
afterEach(async () => {
  await git.close();
});

const write = (path: string, text: string | Uint8Array): void => {
  mkdirSync(join(dir, path, '..'), { recursive: true });
  writeFileSync(join(dir, path), text);
};

it('counts changed, removed and new files, and leaves out ignored ones', async () => {
  expect(await git.workSize(dir, base)).toEqual({ count: 0, added: 0, removed: 0 });
  write('a.txt', 'one\n2\nthree\nfour\n');
  rmSync(join(dir, 'b.txt'));
  write('deep/new.txt', 'x\ny\nno line break at the end');
  write('out/ignored.txt', 'x\n');
  expect(await git.workSize(dir, base)).toEqual({ count: 3, added: 5, removed: 2 });
});

it('counts commits of the agent and captured work together with what came later', async () => {
  write('a.txt', 'one\ntwo\nthree\nfour\n');
  write('new.txt', 'x\n');
  repo.gitIn(dir, 'add', '.');
  repo.gitIn(dir, 'commit', '-qm', 'mine');
  expect(await git.workSize(dir, base)).toEqual({ count: 2, added: 2, removed: 0 });
  const captured = await git.commitAll(dir, 'work');
  write('later.txt', 'x\n');
  expect(await git.workSize(dir, base)).toEqual({ count: 3, added: 3, removed: 0 });
  expect(await git.workSize(dir, captured)).toEqual({ count: 1, added: 1, removed: 0 });
});

it('counts no lines of binary files and links, and follows no link', async () => {
  write('picture.bin', Buffer.from([1, 0, 10, 10, 10]));
  symlinkSync('/dev/zero', join(dir, 'endless'));
  symlinkSync(join(repo.root, 'a.txt'), join(dir, 'linked.txt'));
  expect(await git.workSize(dir, base)).toEqual({ count: 3, added: 0, removed: 0 });
});

it('counts a bounded part of long new files', async () => {
  write('long.txt', 'x\n'.repeat(workSizeLimits.bytes));
  const { added } = await git.workSize(dir, base);
  expect(added).toBe(workSizeLimits.bytes / 2);
});

it('runs nothing that the agent wrote, and writes nothing', async () => {
  const ran = join(repo.base, 'ran');
  repo.gitIn(dir, 'config', 'diff.external', `touch ${ran} #`);
  repo.gitIn(dir, 'config', 'diff.mine.textconv', `touch ${ran} #`);
  repo.gitIn(dir, 'config', 'filter.mine.clean', `touch ${ran}; cat`);
  repo.gitIn(dir, 'config', 'core.fsmonitor', `touch ${ran} #`);
  write('.gitattributes', '*.txt diff=mine filter=mine\n');
  write('a.txt', 'one\n');
  const index = join(viewOf(dir), 'index');
  const before = readFileSync(index);
  expect(await git.workSize(dir, base)).toEqual({ count: 2, added: 1, removed: 2 });
  expect(readFileSync(index)).toEqual(before);
  expect(() => readFileSync(ran)).toThrow();
});

it('gives up where git takes too long', async () => {
  repo.git('config', 'filter.slow.clean', 'sleep 30; cat');
  write('.gitattributes', '*.txt filter=slow\n');
  write('a.txt', 'one\n');
  const begin = performance.now();
  const found = await outcomeOf(git.workSize(dir, base));
  expect(found).toMatchObject({ ok: false, failure: { kind: 'git-failed' } });
  expect(performance.now() - begin).toBeLessThan(10_000);
});
