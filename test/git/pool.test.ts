// The pool of worktrees, on disk and in memory, and what is found of it later.
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { gitCli } from '../../src/git/cli.ts';
import type { Git } from '../../src/port/git.ts';
import { draftOf } from '../../src/process/whole-file.ts';
import { type Pool, worktreePool } from '../../src/worktree/pool.ts';
import { type Leftover, leftovers, prune } from '../../src/worktree/prune.ts';
import { kindOf, need } from '../conformance/git.ts';
import { MemoryGit } from '../memory/git.ts';
import { memoryPool, type PoolDisk } from '../memory/worktrees.ts';
import { type TempRepo, tempRepo } from './temp-repo.ts';

const project = 'repo-12345678';
const run = 'r1';

interface World {
  readonly git: Git;
  /** Opens the pool as a new process would. */
  open(): Promise<Pool>;
  write(dir: string, path: string, content: string): void;
  dispose(): Promise<void>;
}

async function onDisk(): Promise<World> {
  const repo = tempRepo({ 'a.txt': 'a\n', '.gitignore': 'out/\n' });
  const git = gitCli(repo.root);
  const stateDir = join(repo.base, 'state');
  return {
    git,
    open: () => need(worktreePool({ git, stateDir, project, run })),
    write: (dir, path, content) => writeFileSync(join(dir, path), content),
    dispose: async () => {
      await git.close();
    },
  };
}

async function inMemory(): Promise<World> {
  const git = new MemoryGit({ files: { 'a.txt': 'a\n', '.gitignore': 'out/\n' } });
  const disk: PoolDisk = new Map();
  return {
    git,
    open: () => need(memoryPool({ git, run, disk })),
    write: (dir, path, content) => git.write(dir, path, content),
    dispose: () => git.close(),
  };
}

for (const [name, make] of [
  ['on disk', onDisk],
  ['in memory', inMemory],
] as const) {
  describe(`a pool ${name}`, () => {
    let world: World;
    let pool: Pool;
    beforeEach(async () => {
      world = await make();
      pool = await world.open();
    });
    afterEach(() => world.dispose());

    it('gives each key a worktree of its own, and the same one again', async () => {
      const [one, two, again] = await Promise.all(
        ['a-1', 'b-1', 'a-1'].map((key) => need(pool.take(key))),
      );
      expect(one?.id).toBe('ym-r1-1');
      expect(two?.id).toBe('ym-r1-2');
      expect(again).toEqual(one);
      expect(await need(pool.take('a-1'))).toEqual(one);
      expect(pool.held().map(({ key }) => key)).toEqual(['a-1', 'b-1']);
    });

    it('gives a warm one before it makes a new one', async () => {
      const one = await need(pool.take('a-1'));
      await need(pool.take('b-1'));
      await need(pool.give('a-1'));
      await need(pool.give('a-1'));
      await need(pool.give('never-taken'));
      expect(await need(pool.take('c-1'))).toEqual(one);
      expect((await need(pool.take('d-1'))).id).toBe('ym-r1-3');
    });

    it('remembers after a crash what was taken for what', async () => {
      const one = await need(pool.take('a-1'));
      const two = await need(pool.take('b-1'));
      await need(pool.give('b-1'));
      const recovered = await world.open();
      expect(recovered.held()).toEqual([{ key: 'a-1', run: 'r1', worktree: one }]);
      expect(await need(recovered.take('a-1'))).toEqual(one);
      expect(await need(recovered.take('c-1'))).toEqual(two);
    });

    it('never gives a retired one again, and removes it with the others', async () => {
      const one = await need(pool.take('a-1'));
      await need(pool.retire('a-1'));
      await need(pool.retire('never-taken'));
      const two = await need(pool.take('a-1'));
      expect(two).not.toEqual(one);
      await need(pool.give('a-1'));
      expect(await need((await world.open()).take('b-1'))).toEqual(two);
      const { removed } = await need(pool.removeAll());
      expect(removed).toContainEqual(one);
    });

    it('keeps a worktree for candidates apart from those of attempts', async () => {
      const gate = await need(pool.gateTree());
      expect(await need(pool.take('gate'))).toEqual(gate);
      expect(await need(pool.take('a-1'))).not.toEqual(gate);
      expect(await need(pool.gateTree(1))).not.toEqual(gate);
      expect(pool.held()).toHaveLength(1);
    });

    it('makes a worktree again that an agent removed', async () => {
      const one = await need(pool.take('a-1'));
      await world.git.removeWorktree(one.dir);
      expect(await need(pool.take('a-1'))).toEqual(one);
      expect((await world.git.status(one.dir)).dirty).toBe(false);
    });

    it('removes what is free and clean, and leaves what is held', async () => {
      const held = await need(pool.take('a-1'));
      await need(pool.take('b-1'));
      await need(pool.gateTree());
      await need(pool.give('b-1'));
      const removal = await need(pool.removeAll());
      expect(removal.removed.map(({ id }) => id).sort()).toEqual(['ym-r1-2', 'ym-r1-3']);
      expect(removal.saved).toEqual([]);
      expect(await world.git.hasWorktree(held.dir)).toBe(true);
      for (const { dir } of removal.removed) {
        expect(await world.git.hasWorktree(dir)).toBe(false);
      }
      await need(pool.give('a-1'));
      await need(pool.removeAll());
      expect((await need(pool.removeAll())).removed).toEqual([]);
      expect(await world.git.hasWorktree(held.dir)).toBe(false);
      expect(await world.git.refs('refs/yard/')).toEqual([]);
    });

    it('writes down who has a worktree in the order in which it was taken and given', async () => {
      await need(pool.take('a-1'));
      const words = ['a', 'b', 'c', 'a-much-longer-key'].flatMap((key) => [key, key]);
      // Not waited for one by one: the engine gives back and takes in one breath.
      const moves: Promise<unknown>[] = [pool.give('a-1')];
      for (const [at, key] of words.entries()) {
        moves.push(at % 2 === 0 ? pool.take(key) : pool.give(key));
      }
      await Promise.all(moves);
      const last = await need(pool.take('last'));
      const again = await world.open();
      expect(again.held()).toEqual([{ key: 'last', run: 'r1', worktree: last }]);
    });

    it('removes what was given back with the litter in it, and leaves what is held alone', async () => {
      const one = await need(pool.take('a-1'));
      const two = await need(pool.take('b-1'));
      world.write(one.dir, 'litter.txt', 'of a gate\n');
      world.write(two.dir, 'a.txt', 'work\n');
      await need(pool.give('a-1'));
      const { removed, saved } = await need(pool.removeAll());
      expect(removed).toEqual([one]);
      expect(saved).toEqual([]);
      expect((await world.git.status(two.dir)).dirty).toBe(true);
    });

    it('saves commits that no ref has, and only those', async () => {
      const [one, two, three] = await Promise.all(
        ['a-1', 'b-1', 'c-1'].map((key) => need(pool.take(key))),
      );
      if (!one || !two || !three) throw new Error('Three were taken.');
      world.write(one.dir, 'a.txt', 'on no branch\n');
      const lost = await world.git.commitAll(one.dir, 'detached');
      await world.git.point(two.dir, 'main', 'yard/r1/b-1');
      world.write(two.dir, 'a.txt', 'on a branch\n');
      const work = await world.git.commitAll(two.dir, 'work');
      await world.git.moveRefs([{ ref: 'refs/heads/yard/r1/b-1', to: work }]);
      for (const key of ['a-1', 'b-1', 'c-1']) await need(pool.give(key));
      const { saved } = await need(pool.removeAll());
      expect(saved).toEqual([{ ref: 'refs/yard/keep/r1/leftover-1', commit: lost }]);
    });

    it('does not save what has landed, though its branch is gone', async () => {
      const { git } = world;
      const one = await need(pool.take('a-1'));
      await git.point(one.dir, 'main', 'yard/r1/a-1');
      world.write(one.dir, 'a.txt', 'work\n');
      const work = await git.commitAll(one.dir, 'work');
      const start = (await git.resolve('main')) ?? '';
      const { tree } = await git.commit(work);
      const landed = await git.commitTree(tree, [start, work], 'landed');
      const { root } = await git.inspect();
      await git.fastForward(root, 'main', landed);
      await git.moveRefs([{ ref: 'refs/heads/yard/r1/a-1' }]);
      await need(pool.give('a-1'));
      expect((await need(pool.removeAll())).saved).toEqual([]);
    });

    it('takes another name where one for saved work is taken', async () => {
      const start = (await world.git.resolve('main')) ?? '';
      await world.git.moveRefs([{ ref: 'refs/yard/keep/r1/leftover-1', to: start }]);
      const one = await need(pool.take('a-1'));
      world.write(one.dir, 'a.txt', 'work\n');
      await world.git.commitAll(one.dir, 'detached');
      await need(pool.give('a-1'));
      const { saved } = await need(pool.removeAll());
      expect(saved.map(({ ref }) => ref)).toEqual(['refs/yard/keep/r1/leftover-1.1']);
    });
  });
}

describe('a pool and the disk', () => {
  let repo: TempRepo;
  let git: Git;
  let stateDir: string;
  const open = (): Promise<Pool> => need(worktreePool({ git, stateDir, project, run }));
  const folder = (): string => join(stateDir, project, run);
  const list = (
    isAlive: (run: string) => boolean | undefined = () => false,
  ): Promise<readonly Leftover[]> => need(leftovers({ git, stateDir, project, isAlive }));

  beforeEach(() => {
    repo = tempRepo({ 'a.txt': 'a\n' });
    git = gitCli(repo.root);
    stateDir = join(repo.base, 'state');
  });
  afterEach(async () => {
    await git.close();
  });

  it('writes down whose a worktree is, beside it', async () => {
    const { dir } = await need((await open()).take('a-1'));
    expect(dir).toBe(join(folder(), 'ym-r1-1'));
    expect(JSON.parse(readFileSync(`${dir}.json`, 'utf8'))).toMatchObject({
      project,
      run,
      n: 1,
      repository: join(repo.root, '.git'),
      ready: true,
      key: 'a-1',
    });
    expect(readdirSync(folder()).filter((name) => name.endsWith('.tmp'))).toEqual([]);
  });

  it('finishes a worktree whose making was cut short', async () => {
    const pool = await open();
    const one = await need(pool.take('a-1'));
    const record = JSON.parse(readFileSync(`${one.dir}.json`, 'utf8'));
    for (const half of [
      () => rmSync(one.dir, { recursive: true }),
      () => rmSync(join(`${one.dir}.view`, 'HEAD')),
      () => rmSync(join(one.dir, '.git'), { recursive: true }),
      () => {},
    ]) {
      half();
      writeFileSync(`${one.dir}.json`, JSON.stringify({ ...record, ready: false }));
      const recovered = await open();
      expect(await need(recovered.take('a-1'))).toEqual(one);
      expect((await git.status(one.dir)).dirty).toBe(false);
    }
  });

  it('gives back to its key a worktree that was only cut off, with the work in it', async () => {
    const pool = await open();
    const one = await need(pool.take('a-1'));
    await git.point(one.dir, 'main', 'yard/r1/a-1');
    writeFileSync(join(one.dir, 'a.txt'), 'work\n');
    rmSync(join(one.dir, '.git'), { recursive: true });
    expect(await need(pool.take('a-1'))).toEqual(one);
    expect((await git.status(one.dir)).dirty).toBe(true);
    rmSync(`${one.dir}.view`, { recursive: true });
    expect(await need(pool.take('a-1'))).toEqual(one);
    expect(readFileSync(join(one.dir, 'a.txt'), 'utf8')).toBe('work\n');
    expect((await git.status(one.dir)).dirty).toBe(true);
  });

  it('reports a worktree that cannot be made, and gives no other folder for it', async () => {
    const pool = await open();
    const none = '0123456789012345678901234567890123456789';
    expect(await kindOf(pool.take('a-1', none))).toBe('worktree-failed');
    expect(pool.held()).toEqual([]);
    expect((await need(pool.take('a-1'))).id).toBe('ym-r1-1');
  });

  it('says so when its folder cannot be written', async () => {
    mkdirSync(stateDir);
    writeFileSync(join(stateDir, project), 'in the way');
    const opened = await worktreePool({ git, stateDir, project, run });
    const failure = opened.ok ? await kindOf(opened.value.take('a-1')) : opened.failure.kind;
    expect(failure).toBe('state-unwritable');
  });

  it('is not confused by records that were cut off or are of another run', async () => {
    mkdirSync(folder(), { recursive: true });
    writeFileSync(join(folder(), 'ym-r1-7.json'), '{"project": "re');
    writeFileSync(join(folder(), 'ym-r1-8.json'), '[]');
    const foreign = { project, run: 'r2', n: 9, repository: 'x', ready: true };
    writeFileSync(join(folder(), 'ym-r1-9.json'), JSON.stringify(foreign));
    expect((await need((await open()).take('a-1'))).id).toBe('ym-r1-1');
  });

  it('leaves no folder after everything was removed', async () => {
    const pool = await open();
    await need(pool.take('a-1'));
    await need(pool.give('a-1'));
    await need(pool.removeAll());
    expect(existsSync(folder())).toBe(false);
  });

  it('leaves no folder where a process was killed while it wrote a record', async () => {
    const pool = await open();
    const { dir } = await need(pool.take('a-1'));
    writeFileSync(draftOf(`${dir}.json`), '{');
    writeFileSync(draftOf(join(folder(), 'ym-r1-2.json')), '{');
    await need(pool.give('a-1'));
    await need(pool.removeAll());
    expect(existsSync(folder())).toBe(false);
    mkdirSync(folder(), { recursive: true });
    writeFileSync(draftOf(join(folder(), 'ym-r1-3.json')), '{');
    await prune({ git, stateDir, project }, await list());
    expect(existsSync(folder())).toBe(false);
  });

  it('lists what an ended run left, and removes it, twice, after saving work', async () => {
    const pool = await open();
    const one = await need(pool.take('a-1'));
    await git.point(one.dir, 'main', 'yard/r1/a-1');
    const start = (await git.resolve('main')) ?? '';
    await git.moveRefs([{ ref: 'refs/heads/yard/r1/a-1', to: start }]);
    const two = await need(pool.take('b-1'));
    writeFileSync(join(two.dir, 'a.txt'), 'work\n');
    const found = await list();
    expect(found.map(({ kind }) => kind)).toEqual(['worktree', 'worktree', 'folder', 'branch']);
    expect(found.map((each) => each.kind === 'worktree' && each.holdsWork)).toEqual([
      false,
      true,
      false,
      false,
    ]);
    const pruned = await prune({ git, stateDir, project }, found);
    expect(pruned.left).toEqual([]);
    expect(pruned.saved.map(({ ref }) => ref)).toEqual(['refs/yard/keep/r1/b-1.stray1']);
    expect(existsSync(join(stateDir, project))).toBe(false);
    const again = await prune({ git, stateDir, project }, found);
    expect(again.left).toEqual([]);
    expect(again.saved).toEqual([]);
  });

  it('saves a stash, and commits of an agent that removed its folder, before they are removed', async () => {
    const pool = await open();
    const [one, two] = [await need(pool.take('a-1')), await need(pool.take('b-1'))];
    for (const { dir } of [one, two]) {
      await git.point(dir, 'main', 'yard/r1/x-1');
      writeFileSync(join(dir, 'a.txt'), 'work\n');
    }
    repo.gitIn(one.dir, 'stash', '-q');
    repo.gitIn(two.dir, 'commit', '-qam', 'work');
    rmSync(two.dir, { recursive: true });
    const found = await list();
    expect(found.filter(({ kind }) => kind === 'worktree')).toMatchObject([
      { n: 1, holdsWork: true },
      { n: 2, holdsWork: true },
    ]);
    expect((await prune({ git, stateDir, project }, found)).left).toEqual([]);
    const kept = await git.refs('refs/yard/keep/');
    expect(kept.map(({ ref }) => ref)).toEqual([
      'refs/yard/keep/r1/a-1.stray1',
      'refs/yard/keep/r1/b-1.stray1',
    ]);
  });

  it('finds worktrees whose record is gone or damaged, and saves their work', async () => {
    const pool = await open();
    const [one, two] = [await need(pool.take('a-1')), await need(pool.take('b-1'))];
    for (const { dir } of [one, two]) writeFileSync(join(dir, 'a.txt'), `${dir}\n`);
    rmSync(`${one.dir}.json`);
    writeFileSync(`${two.dir}.json`, '{');
    const found = await list();
    expect(found.filter(({ kind }) => kind === 'worktree')).toMatchObject([
      { n: 1, holdsWork: true },
      { n: 2, holdsWork: true },
    ]);
    const { saved, left } = await prune({ git, stateDir, project }, found);
    expect(left).toEqual([]);
    expect(saved.map(({ ref }) => ref)).toEqual([
      'refs/yard/keep/r1/leftover-1',
      'refs/yard/keep/r1/leftover-2',
    ]);
    expect(existsSync(join(stateDir, project))).toBe(false);
  });

  it('keeps work that only a branch of ours has, unless it is told to discard it', async () => {
    const one = await need((await open()).take('a-1'));
    await git.point(one.dir, 'main', 'yard/r1/a-1');
    writeFileSync(join(one.dir, 'a.txt'), 'work\n');
    const work = await git.commitAll(one.dir, 'work');
    await git.moveRefs([{ ref: 'refs/heads/yard/r1/a-1', to: work }]);
    await prune({ git, stateDir, project }, await list());
    expect(await git.refs('refs/heads/yard/')).toEqual([]);
    const keep = 'refs/yard/keep/r1/a-1';
    expect(await git.refs('refs/yard/')).toEqual([{ ref: keep, commit: work }]);
    const stays = await prune({ git, stateDir, project }, await list());
    expect(stays.left).toMatchObject([{ leftover: { ref: keep, only: true } }]);
    await prune({ git, stateDir, project, discard: true }, await list());
    expect(await git.refs('refs/yard/')).toEqual([]);
  });

  it('lists nothing of runs that live or cannot be judged, nor of other projects', async () => {
    const one = await need((await open()).take('a-1'));
    await git.point(one.dir, 'main', 'yard/r1/a-1');
    const other = tempRepo();
    const otherGit = gitCli(other.root);
    try {
      const foreign = { git: otherGit, stateDir, project: 'other-00000000', run: 'r9' };
      const theirs = await need((await need(worktreePool(foreign))).take('x-1'));
      expect(await list(() => true)).toEqual([]);
      expect(await list(() => undefined)).toEqual([]);
      await prune({ git, stateDir, project }, await list());
      expect((await otherGit.status(theirs.dir)).dirty).toBe(false);
    } finally {
      await otherGit.close();
    }
  });

  it('leaves alone what belongs to a repository elsewhere, though the folder has its name', async () => {
    const other = tempRepo();
    const otherGit = gitCli(other.root);
    try {
      const same = { git: otherGit, stateDir, project, run };
      const theirs = await need((await need(worktreePool(same))).take('x-1'));
      expect(await list()).toEqual([]);
      expect(existsSync(theirs.dir)).toBe(true);
    } finally {
      await otherGit.close();
    }
  });
});

it('a pool on disk tells how far the removal of its worktrees has come, those that are held left out', async () => {
  const repo = tempRepo({ 'a.txt': 'a\n' });
  const git = gitCli(repo.root);
  const told: string[] = [];
  const release = async (): Promise<void> => {
    const { all, left } = pool.removal() ?? {};
    told.push(`${left} of ${all}`);
  };
  const stateDir = join(repo.base, 'state');
  const pool: Pool = await need(worktreePool({ git, stateDir, project, run, release }));
  for (const key of ['a-1', 'b-1', 'c-1']) await need(pool.take(key));
  for (const key of ['a-1', 'b-1']) await need(pool.give(key));
  await need(pool.removeAll());
  expect(told).toEqual(['2 of 2', '1 of 2']);
  expect(pool.removal()).toBeUndefined();
  await git.close();
});
