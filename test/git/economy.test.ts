// Number of git processes per operation, counted by a wrapper around git.
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { gitCli } from '../../src/git/cli.ts';
import type { Git } from '../../src/port/git.ts';
import { need } from '../conformance/git.ts';
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
  repo.remove();
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
    expect(await costOf(() => need(git.inspect()))).toBe(3);
    const start = (await need(git.resolve('main'))) ?? '';
    expect(await costOf(() => need(git.resolve('main')))).toBe(0);
    expect(await costOf(() => need(git.commit(start)))).toBe(0);
    expect(await costOf(() => need(git.checkoutOf('main')))).toBe(0);
    expect(await costOf(() => need(git.addWorktree(dir, start, { empty: true })))).toBe(1);
    expect(await costOf(() => need(git.hasWorktree(dir)))).toBe(0);
    expect(await costOf(() => need(git.point(dir, start, branch)))).toBe(1);
    expect(await costOf(() => need(git.point(dir, start, 'yard/r/t-2')))).toBe(2);
    writeFileSync(join(dir, 'a.txt'), 'work\n');
    expect(await costOf(() => need(git.status(dir)))).toBe(1);
    let work = '';
    const commit = async (): Promise<void> => {
      work = await need(git.commitAll(dir, 'work'));
    };
    expect(await costOf(commit)).toBe(3);
    repo.gitIn(dir, 'commit', '-q', '--allow-empty', '-m', 'by the agent');
    expect(await costOf(() => need(git.status(dir)))).toBe(3);
    expect(await costOf(() => need(git.status(dir)))).toBe(1);
    const keep = 'refs/yard/keep/r/t-1';
    expect(await costOf(() => need(git.moveRefs([{ ref: keep, to: work }])))).toBe(1);
    expect(await costOf(() => need(git.moveRefs([{ ref: keep, to: start }])))).toBe(0);
    expect(await costOf(() => need(git.merge(start, work)))).toBe(1);
    const { tree } = await need(git.commit(work));
    let candidate = '';
    const buildCandidate = async (): Promise<void> => {
      candidate = await need(git.commitTree(tree, [start, work], 'merge'));
    };
    expect(await costOf(buildCandidate)).toBe(1);
    expect(await costOf(() => need(git.isAncestor(start, candidate)))).toBe(0);
    expect(await costOf(() => need(git.fastForward(repo.root, 'main', candidate)))).toBe(1);
    expect(await costOf(() => need(git.point(dir, candidate)))).toBe(2);
    expect(await costOf(() => need(git.removeWorktree(dir)))).toBe(0);
  });

  it('cost none where only commits are read', async () => {
    repo.write('a.txt', 'one\n');
    const one = repo.commit('one');
    repo.write('deep/b.txt', 'two\n');
    const two = repo.commit('two');
    await need(git.resolve('main'));
    const [change] = await need(git.changes(one, two));
    const read: (() => Promise<unknown>)[] = [
      () => need(git.changes(`${one}~1`, two)),
      () => need(git.blob(change?.after?.id ?? '')),
      () => need(git.file(two, 'deep/b.txt')),
      () => need(git.file(two, 'none')),
      () => need(git.mergeBase(one, one)),
      () => need(git.mergeBase(one, two)),
      () => need(git.mergeBase(two, one)),
      () => need(git.isAncestor(`${one}~1`, two)),
      () => need(git.pick(one, two)),
      () => need(git.push('origin', [])),
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
    await need(git.addWorktree(dir, start));
    writeFileSync(join(dir, 'a.txt'), 'work\n');
    const work = await need(git.commitAll(dir, 'work'));
    expect(await costOf(() => need(git.mergeBase(work, two)))).toBe(1);
    expect(await costOf(() => need(git.log(start, two, 5)))).toBe(1);
    expect(await costOf(() => need(git.stat(start, two)))).toBe(1);
    expect(await costOf(() => need(git.pick(work, two)))).toBe(2);
    expect(await costOf(() => need(git.pick(work, start)))).toBe(5);
    expect(await costOf(() => need(git.beginMerge(dir, two)))).toBe(4);
  });
});
