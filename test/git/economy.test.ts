// Number of git processes per operation, counted by a wrapper around git.
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { gitCli } from '../../src/git/cli.ts';
import type { Git } from '../../src/port/git.ts';
import { type TempRepo, tempRepo } from './temp-repo.ts';

let repo: TempRepo;
let git: Git;
let log: string;

beforeEach(() => {
  repo = tempRepo();
  const bin = join(repo.base, 'bin');
  log = join(repo.base, 'calls');
  mkdirSync(bin);
  writeFileSync(log, '');
  const path = process.env.PATH ?? '';
  const script = `#!/bin/sh\necho "$*" >>'${log}'\nPATH='${path}' exec git "$@"\n`;
  writeFileSync(join(bin, 'git'), script);
  chmodSync(join(bin, 'git'), 0o755);
  git = gitCli(repo.root, { ...process.env, PATH: `${bin}:${path}` });
});
afterEach(async () => {
  await git.close();
});

async function costOf(work: () => Promise<unknown>): Promise<number> {
  const count = (): number => readFileSync(log, 'utf8').split('\n').length - 1;
  const before = count();
  await work();
  return count() - before;
}

describe('the verbs', () => {
  it('cost no more git processes than they need', async () => {
    const dir = join(repo.base, 'w');
    const branch = 'yard/r/t-1';
    expect(await costOf(() => git.inspect())).toBe(3);
    const start = (await git.resolve('main')) ?? '';
    expect(await costOf(() => git.resolve('main'))).toBe(0);
    expect(await costOf(() => git.commit(start))).toBe(0);
    expect(await costOf(() => git.checkoutOf('main'))).toBe(0);
    expect(await costOf(() => git.addWorktree(dir, start, { empty: true }))).toBe(1);
    expect(await costOf(() => git.hasWorktree(dir))).toBe(0);
    expect(await costOf(() => git.point(dir, start, branch))).toBe(1);
    expect(await costOf(() => git.point(dir, start, 'yard/r/t-2'))).toBe(2);
    writeFileSync(join(dir, 'a.txt'), 'work\n');
    expect(await costOf(() => git.status(dir))).toBe(1);
    let work = '';
    const commit = async (): Promise<void> => {
      work = await git.commitAll(dir, 'work');
    };
    expect(await costOf(commit)).toBe(3);
    repo.gitIn(dir, 'commit', '-q', '--allow-empty', '-m', 'by the agent');
    expect(await costOf(() => git.status(dir))).toBe(3);
    expect(await costOf(() => git.status(dir))).toBe(1);
    const keep = 'refs/yard/keep/r/t-1';
    expect(await costOf(() => git.moveRefs([{ ref: keep, to: work }]))).toBe(1);
    expect(await costOf(() => git.moveRefs([{ ref: keep, to: start }]))).toBe(0);
    expect(await costOf(() => git.merge(start, work))).toBe(1);
    const { tree } = await git.commit(work);
    let candidate = '';
    const buildCandidate = async (): Promise<void> => {
      candidate = await git.commitTree(tree, [start, work], 'merge');
    };
    expect(await costOf(buildCandidate)).toBe(1);
    expect(await costOf(() => git.isAncestor(start, candidate))).toBe(0);
    expect(await costOf(() => git.fastForward(repo.root, 'main', candidate))).toBe(1);
    expect(await costOf(() => git.point(dir, candidate))).toBe(2);
    expect(await costOf(() => git.removeWorktree(dir))).toBe(0);
  });

  it('cost none where only commits are read', async () => {
    repo.write('a.txt', 'one\n');
    const one = repo.commit('one');
    repo.write('deep/b.txt', 'two\n');
    const two = repo.commit('two');
    await git.resolve('main');
    const [change] = await git.changes(one, two);
    const read: (() => Promise<unknown>)[] = [
      () => git.changes(`${one}~1`, two),
      () => git.blob(change?.after?.id ?? ''),
      () => git.file(two, 'deep/b.txt'),
      () => git.file(two, 'none'),
      () => git.mergeBase(one, one),
      () => git.mergeBase(one, two),
      () => git.mergeBase(two, one),
      () => git.isAncestor(`${one}~1`, two),
      () => git.pick(one, two),
      () => git.push('origin', []),
    ];
    for (const verb of read) expect(await costOf(verb)).toBe(0);
  });

  it('cost a process or two where git has to think', async () => {
    const dir = join(repo.base, 'w');
    const start = repo.git('rev-parse', 'main').trim();
    repo.write('b.txt', 'one\n');
    repo.commit('one');
    repo.write('c.txt', 'two\n');
    const two = repo.commit('two');
    await git.addWorktree(dir, start);
    writeFileSync(join(dir, 'a.txt'), 'work\n');
    const work = await git.commitAll(dir, 'work');
    expect(await costOf(() => git.mergeBase(work, two))).toBe(1);
    expect(await costOf(() => git.log(start, two, 5))).toBe(1);
    expect(await costOf(() => git.stat(start, two))).toBe(1);
    expect(await costOf(() => git.pick(work, two))).toBe(2);
    expect(await costOf(() => git.pick(work, start))).toBe(5);
    expect(await costOf(() => git.beginMerge(dir, two))).toBe(4);
  });
});
