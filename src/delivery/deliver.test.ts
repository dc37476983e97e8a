import { describe, expect, it } from 'vitest';
import { MemoryForge } from '../../test/memory/forge.ts';
import { MemoryGit } from '../../test/memory/git.ts';
import { need } from '../../test/rig/need.ts';
import { fail, type Result } from '../model/failure.ts';
import { settled, Trouble } from '../model/trouble.ts';
import type { Forge } from '../port/forge.ts';
import type { Git } from '../port/git.ts';
import { baseOf, deliver, type Handover } from './deliver.ts';

async function world() {
  const git = new MemoryGit({ files: { 'a.txt': 'a\n' }, remotes: ['origin'] });
  const forge = new MemoryForge();
  const start = (await git.resolve('refs/heads/main')) ?? '';
  const { tree } = await git.commit(start);
  const commit = await git.commitTree(tree, [start], 'work');
  const other = await git.commitTree(tree, [start], 'other work');
  const wish = (more: Partial<Handover> = {}): Handover => ({
    how: 'pr',
    branch: 'yard/r/a-1',
    commit,
    target: 'main',
    remote: 'origin',
    title: 'Title',
    body: 'Body',
    ...more,
  });
  const here = () => git.resolve('refs/heads/yard/r/a-1');
  const there = () => git.remote('origin').get('refs/heads/yard/r/a-1');
  return { git, forge, start, commit, other, wish, here, there };
}

const local = ({ remote: _, ...wish }: Handover): Handover => wish;

async function causeOf(result: Promise<Result<unknown>>): Promise<string> {
  const found = await result;
  if (found.ok || found.failure.kind !== 'delivery-failed') throw new Error(JSON.stringify(found));
  return `${found.failure.how}: ${found.failure.cause}`;
}

describe('handing over a branch', () => {
  it('creates the branch, and calls no forge', async () => {
    const { git, forge, commit, wish, here, there } = await world();
    const done = need(await deliver(git, forge, wish({ how: 'branch' })));
    expect(done).toEqual({ branch: 'yard/r/a-1' });
    expect(await here()).toBe(commit);
    expect(there()).toBeUndefined();
    expect(forge.calls).toBe(0);
  });

  it('moves a branch that is behind the commit, and leaves one that is up to date', async () => {
    const { git, start, commit, wish, here } = await world();
    await git.moveRefs([{ ref: 'refs/heads/yard/r/a-1', to: start }]);
    need(await deliver(git, undefined, wish({ how: 'branch' })));
    expect(await here()).toBe(commit);
    need(await deliver(git, undefined, wish({ how: 'branch' })));
    expect(await here()).toBe(commit);
  });

  it('does not move a branch with other commits', async () => {
    const { git, other, wish, here } = await world();
    await git.moveRefs([{ ref: 'refs/heads/yard/r/a-1', to: other }]);
    const cause = await causeOf(deliver(git, undefined, wish({ how: 'branch' })));
    expect(cause).toBe(`branch: yard/r/a-1 has other commits, at ${other}`);
    expect(await here()).toBe(other);
  });

  it('reports a branch that moves at the same time', async () => {
    const { git, other, wish } = await world();
    const hands: Hands = {
      ...handsOf(git),
      moveRefs: async (moves) => {
        await git.moveRefs([{ ref: 'refs/heads/yard/r/a-1', to: other }]);
        return git.moveRefs(moves);
      },
    };
    expect(await causeOf(deliver(hands, undefined, wish({ how: 'branch' })))).toContain(
      'branch: yard/r/a-1 was moved by another process',
    );
  });
});

describe('handing over a pull request', () => {
  it('pushes the branch and opens it', async () => {
    const { git, forge, commit, wish, there } = await world();
    const done = need(await deliver(git, forge, wish()));
    expect(done).toEqual({ branch: 'yard/r/a-1', url: 'https://forge.invalid/pull/1' });
    expect(there()).toBe(commit);
    expect(forge.wishOf('yard/r/a-1')).toEqual({
      branch: 'yard/r/a-1',
      base: 'main',
      title: 'Title',
      body: 'Body',
    });
  });

  it('opens none if the remote rejects the branch', async () => {
    const { git, forge, other, wish } = await world();
    git.remote('origin').set('refs/heads/yard/r/a-1', other);
    expect(await causeOf(deliver(git, forge, wish()))).toMatch(
      /^pr: origin rejected yard\/r\/a-1: /,
    );
    expect(forge.calls).toBe(0);
  });

  it('needs a remote and a forge', async () => {
    const { git, forge, wish } = await world();
    expect(await causeOf(deliver(git, forge, local(wish())))).toContain('no remote is configured');
    expect(await causeOf(deliver(git, undefined, wish()))).toContain('no program for opening');
  });

  it('returns the error of the forge', async () => {
    const { git, forge, wish } = await world();
    forge.refuse('not today');
    expect(await causeOf(deliver(git, forge, wish()))).toBe('pr: not today');
    expect(forge.calls).toBe(1);
  });

  it('reaches the same result after an interruption at any step', async () => {
    for (let at = 0; at < 8; at += 1) {
      for (const when of ['before', 'after'] as const) {
        const { git, forge, commit, wish, here, there } = await world();
        const failing = breaking(git, forge, at, when);
        const first = await settled(deliver(failing.git, failing.forge, wish()));
        const again = need(await deliver(git, forge, wish()));
        expect(again.url).toBe('https://forge.invalid/pull/1');
        expect(await here()).toBe(commit);
        expect(there()).toBe(commit);
        if (at === 0) expect(first.ok).toBe(false);
      }
    }
  });
});

describe('handing over a stack', () => {
  it('is a branch if there is no remote', async () => {
    const { git, forge, commit, wish, here } = await world();
    const done = need(await deliver(git, forge, local(wish({ how: 'stack' }))));
    expect(done).toEqual({ branch: 'yard/r/a-1' });
    expect(await here()).toBe(commit);
    expect(forge.calls).toBe(0);
  });

  it('targets the branch of its only parent', async () => {
    const { git, forge, wish } = await world();
    need(await deliver(git, forge, wish({ how: 'stack', parents: ['yard/r/p-1'] })));
    expect(forge.wishOf('yard/r/a-1')?.base).toBe('yard/r/p-1');
  });

  it('targets the target branch without a parent, or with several', () => {
    const of = (how: Handover['how'], ...parents: string[]) =>
      baseOf({ how, target: 'main', parents });
    expect(of('stack')).toBe('main');
    expect(of('stack', 'p')).toBe('p');
    expect(of('stack', 'p', 'q')).toBe('main');
    expect(of('pr', 'p')).toBe('main');
    expect(baseOf({ how: 'stack', target: 'main' })).toBe('main');
  });

  const refusingBase = (forge: MemoryForge, base: string): Forge => ({
    open: async (wish) =>
      wish.base === base
        ? fail({ kind: 'delivery-failed', how: 'pr', cause: 'Base ref must be a branch' })
        : forge.open(wish),
    states: (branches) => forge.states(branches),
    numbered: (numbers) => forge.numbered(numbers),
  });

  it('targets the target branch if the parent was merged and its branch is gone', async () => {
    const { git, forge, wish } = await world();
    need(await deliver(git, forge, wish({ branch: 'yard/r/p-1' })));
    forge.merge('yard/r/p-1', 'c0ffee');
    const refusing = refusingBase(forge, 'yard/r/p-1');
    need(await deliver(git, refusing, wish({ how: 'stack', parents: ['yard/r/p-1'] })));
    expect(forge.wishOf('yard/r/a-1')?.base).toBe('main');
  });

  it('does not target the target branch while the parent is open', async () => {
    const { git, forge, wish } = await world();
    need(await deliver(git, forge, wish({ branch: 'yard/r/p-1' })));
    const refusing = refusingBase(forge, 'yard/r/p-1');
    const stacked = wish({ how: 'stack', parents: ['yard/r/p-1'] });
    expect(await causeOf(deliver(git, refusing, stacked))).toContain('Base ref must be a branch');
    expect(forge.wishOf('yard/r/a-1')).toBeUndefined();
  });
});

type Hands = Parameters<typeof deliver>[0];

function handsOf(git: Git): Hands {
  return {
    resolve: (revision) => git.resolve(revision),
    isAncestor: (older, newer) => git.isAncestor(older, newer),
    moveRefs: (moves) => git.moveRefs(moves),
    push: (remote, moves) => git.push(remote, moves),
  };
}

/** The call with this number fails, without having done anything or after it was done. */
function breaking(git: Git, forge: Forge, at: number, when: 'before' | 'after') {
  let calls = -1;
  const through = async <T>(call: () => Promise<T>): Promise<T> => {
    calls += 1;
    if (calls !== at) return call();
    if (when === 'after') await call();
    throw new Trouble({ kind: 'other', message: 'broke off' });
  };
  const done = handsOf(git);
  const hands: Hands = {
    resolve: (revision) => through(() => done.resolve(revision)),
    isAncestor: (older, newer) => through(() => done.isAncestor(older, newer)),
    moveRefs: (moves) => through(() => done.moveRefs(moves)),
    push: (remote, moves) => through(() => done.push(remote, moves)),
  };
  const shaky: Forge = {
    open: (wish) => settled(through(() => forge.open(wish))),
    states: (branches) => settled(through(() => forge.states(branches))),
    numbered: (numbers) => settled(through(() => forge.numbered(numbers))),
  };
  return { git: hands, forge: shaky };
}
