import { beforeEach, describe, expect, test } from 'vitest';
import { MemoryGit } from '../../test/memory/git.ts';
import { need } from '../../test/rig/need.ts';
import { limits } from '../model/limits.ts';
import type { Candidate, CandidateState } from '../model/train-record.ts';
import { Trouble } from '../model/trouble.ts';
import type { FastForward, Git } from '../port/git.ts';
import { land } from './land.ts';

const spent = ['refs/heads/yard/r1/one-1', 'refs/yard/keep/r1/one-1'];
let git: MemoryGit;
let candidate: Candidate;

async function tip(branch = 'main'): Promise<string | undefined> {
  return await git.resolve(`refs/heads/${branch}`);
}

async function landing(state: CandidateState = { id: 'passed' }, target = 'main', port: Git = git) {
  const now = 1_000;
  const { length: count } = candidate.entries;
  const wish = { run: 'r1', target, candidate: { ...candidate, state }, count, spent, now };
  return need(await land(port, wish))[0];
}

beforeEach(async () => {
  git = new MemoryGit({ files: { a: '1' } });
  const parent = (await tip()) ?? '';
  await git.addWorktree('/pool/one', parent);
  await git.point('/pool/one', parent, 'yard/r1/one-1');
  git.write('/pool/one', 'a', '2');
  const work = await git.commitAll('/pool/one', 'work');
  await git.moveRefs([{ ref: 'refs/yard/keep/r1/one-1', to: work }]);
  const { tree } = await git.commit(work);
  const commit = await git.commitTree(tree, [parent, work], 'landing');
  const entries = [{ id: 'one', attempt: 1, commit: work }];
  const prefixes = [{ commit, tree }];
  candidate = {
    id: 'c1',
    parent,
    commit,
    tree,
    entries,
    prefixes,
    green: 1,
    landed: 0,
    state: { id: 'passed' },
  };
});

describe('landing a candidate', () => {
  test('moves the target and its checkout to exactly the judged commit, and drops the spent refs', async () => {
    const { parent: from, commit, entries } = candidate;
    expect(await landing()).toEqual({
      type: 'landed',
      run: 'r1',
      candidate: 'c1',
      commit,
      from,
      entries,
    });
    expect(await tip()).toBe(commit);
    expect(git.read(git.root, 'a')).toBe('2');
    expect(await git.refs('refs/yard/')).toEqual([]);
    expect(await git.refs('refs/heads/yard/')).toEqual([]);
  });

  test('moves a target that is checked out nowhere', async () => {
    await git.moveRefs([{ ref: 'refs/heads/next', to: candidate.parent }]);
    expect(await landing({ id: 'passed' }, 'next')).toMatchObject({ type: 'landed' });
    expect(await tip('next')).toBe(candidate.commit);
    expect(await tip()).toBe(candidate.parent);
  });

  test('told again after it was done says that it is done', async () => {
    await landing();
    expect(await landing()).toMatchObject({ type: 'landed', commit: candidate.commit });
  });

  test('is recognized below commits that someone else put on top of it', async () => {
    await landing();
    git.commitByHand({ b: '1' });
    const later = await tip();
    expect(await landing()).toMatchObject({ type: 'landed', commit: candidate.commit });
    expect(await tip()).toBe(later);
  });

  test('fails if someone else moved the target', async () => {
    git.commitByHand({ b: '1' });
    const found = await tip();
    expect(await landing()).toEqual({
      type: 'candidate-dropped',
      run: 'r1',
      candidate: 'c1',
      reason: { id: 'target-moved', to: found },
      alone: true,
    });
    expect(await tip()).toBe(found);
  });

  test('gives way when the target moves between the look and the step', async () => {
    await git.moveRefs([{ ref: 'refs/heads/next', to: candidate.parent }]);
    const racing = new Proxy(git, {
      get(target, name) {
        const member: unknown = Reflect.get(target, name);
        if (typeof member !== 'function') return member;
        if (name !== 'checkoutOf') return member.bind(target);
        return async (...args: [string]) => {
          const to = candidate.entries[0]?.commit ?? '';
          await target.moveRefs([{ ref: 'refs/heads/next', to }]);
          return target.checkoutOf(...args);
        };
      },
    });
    expect(await landing({ id: 'passed' }, 'next', racing)).toMatchObject({
      type: 'candidate-dropped',
    });
    expect(await tip('next')).toBe(candidate.entries[0]?.commit);
  });

  test('waits while an edit of a person is in the way, and leaves the edit alone', async () => {
    git.write(git.root, 'a', 'mine');
    const event = await landing();
    expect(event).toMatchObject({
      type: 'landing-waits',
      failure: { kind: 'checkout-in-the-way', dir: git.root },
      until: 1_000 + limits.landingRetryMs,
    });
    expect(git.read(git.root, 'a')).toBe('mine');
    expect(await tip()).toBe(candidate.parent);
    git.tidyByHand();
    expect(await landing()).toMatchObject({ type: 'landed' });
  });

  /** The port, with another answer for a fast-forward. */
  const forwarding = (answer: FastForward): Git =>
    new Proxy(git, {
      get(target, name) {
        const member: unknown = Reflect.get(target, name);
        if (name === 'fastForward') return async () => answer;
        return typeof member === 'function' ? member.bind(target) : member;
      },
    });
  const by = { file: '/repo/.git/index.lock', ageMs: 1.5, isOurs: true, pid: 7 };

  test('waits while another process holds the index of the checkout, and names it', async () => {
    const event = await landing({ id: 'passed' }, 'main', forwarding({ id: 'locked', by }));
    expect(event).toMatchObject({
      type: 'landing-waits',
      failure: { kind: 'checkout-locked', dir: git.root, ...by, ageMs: 2 },
    });
  });

  test('counts as landed only when the checkout has followed a target that moved before a crash', async () => {
    await git.moveRefs([{ ref: 'refs/heads/main', to: candidate.commit }]);
    const held = await landing({ id: 'passed' }, 'main', forwarding({ id: 'locked', by }));
    expect(held).toMatchObject({ type: 'landing-waits', failure: { kind: 'checkout-locked' } });
    const refused = forwarding({ id: 'refused', cause: 'it is on another branch' });
    expect(await landing({ id: 'passed' }, 'main', refused)).toMatchObject({ type: 'landed' });
  });

  test('tries less often the longer it has waited, within a bound', async () => {
    git.write(git.root, 'a', 'mine');
    const failure = { kind: 'checkout-in-the-way', dir: '/', cause: 'x' } as const;
    const waitsSince = (since: number) => landing({ id: 'waiting', failure, since, until: 0 });
    expect(await waitsSince(-3_000)).toMatchObject({ until: 1_000 + 4_000 });
    expect(await waitsSince(-999_000)).toMatchObject({ until: 1_000 + limits.landingRetryMaxMs });
  });

  test('waits when the target is gone, and says so', async () => {
    const event = await landing({ id: 'passed' }, 'trunk');
    expect(event).toMatchObject({ type: 'landing-waits', failure: { kind: 'target-missing' } });
  });

  test('waits when git itself is in trouble', async () => {
    await git.moveRefs([{ ref: 'refs/heads/next', to: candidate.parent }]);
    const trouble = { kind: 'git-failed', args: [], exit: 1, stderr: 'disk full' } as const;
    const broken = new Proxy(git, {
      get(target, name) {
        const member: unknown = Reflect.get(target, name);
        if (name === 'moveRefs')
          return async () => {
            throw new Trouble(trouble);
          };
        return typeof member === 'function' ? member.bind(target) : member;
      },
    });
    const event = await landing({ id: 'passed' }, 'next', broken);
    expect(event).toMatchObject({ type: 'landing-waits', failure: trouble });
    expect(await tip('next')).toBe(candidate.parent);
  });
});

describe('landing a candidate of several branches', () => {
  /** The same with one branch after the other; the target is in no checkout. */
  async function several(names: readonly string[]): Promise<Candidate> {
    const { parent } = candidate;
    await git.moveRefs([{ ref: 'refs/heads/next', to: parent }]);
    const prefixes: { commit: string; tree: string }[] = [];
    for (const name of names) {
      const head = prefixes.at(-1)?.commit ?? parent;
      const dir = `/pool/${name}`;
      await git.addWorktree(dir, head);
      git.write(dir, name, 'done');
      const work = await git.commitAll(dir, name);
      const { tree } = await git.commit(work);
      prefixes.push({ tree, commit: await git.commitTree(tree, [head, work], name) });
    }
    const entries = names.map((id) => ({ id, attempt: 1, commit: id }));
    const last = prefixes.at(-1) ?? { commit: '', tree: '' };
    return { ...candidate, ...last, entries, prefixes, green: 0, state: { id: 'built' } };
  }

  const step = async (of: Candidate, count: number) => {
    const wish = { run: 'r1', target: 'next', candidate: of, count, spent: [], now: 1 };
    return need(await land(git, wish))[0];
  };

  test('moves the target as far as it is green, and the rest of the way later', async () => {
    const three = await several(['x', 'y', 'z']);
    const [first, second, third] = three.prefixes.map(({ commit }) => commit);
    expect(await step(three, 2)).toEqual({
      type: 'landed',
      run: 'r1',
      candidate: 'c1',
      commit: second,
      from: three.parent,
      entries: three.entries.slice(0, 2),
      commits: [first, second],
    });
    expect(await tip('next')).toBe(second);
    expect(await step({ ...three, landed: 2 }, 3)).toMatchObject({
      type: 'landed',
      commit: third,
      from: second,
      entries: [{ id: 'z' }],
    });
    expect(await tip('next')).toBe(third);
    expect(first).not.toBe(second);
  });

  test('never moves it further than it was asked to', async () => {
    const three = await several(['x', 'y', 'z']);
    await step(three, 1);
    const there = (await tip('next')) ?? '';
    expect([...git.tree(there).keys()]).toEqual(['a', 'x']);
  });

  test('gives way where the target is not at the part that has landed', async () => {
    const three = await several(['x', 'y', 'z']);
    expect(await step({ ...three, landed: 1 }, 3)).toMatchObject({
      type: 'candidate-dropped',
      reason: { id: 'target-moved', to: three.parent },
    });
  });

  test('told again after a part has landed says that it has', async () => {
    const three = await several(['x', 'y', 'z']);
    await step(three, 2);
    expect(await step(three, 2)).toMatchObject({ type: 'landed', from: three.parent });
    // Whoever asks for less, or for more, is told how much of it is there.
    for (const count of [1, 3]) {
      const story = await step(three, count);
      expect(story).toMatchObject({ type: 'landed', entries: [{ id: 'x' }, { id: 'y' }] });
    }
  });
});
