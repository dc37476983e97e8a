import { describe, expect, test } from 'vitest';
import { Tale } from '../../test/ledger/story.ts';
import { need } from '../../test/rig/need.ts';
import { crash, red } from '../../test/story.ts';
import { branchOf, keepRef } from '../model/branch.ts';
import { commitMessage } from '../model/commit-message.ts';
import { type Fate, isBalanced } from '../model/ledger-entry.ts';
import { Trouble } from '../model/trouble.ts';

const branch = (id: string, attempt = 1, run = 'r1') => `refs/heads/${branchOf(run, id, attempt)}`;

/** Fate of every commit, in order. */
async function fates(tale: Tale): Promise<readonly Fate[]> {
  return need(await tale.account()).map(({ fate }) => fate);
}

describe('work that landed', () => {
  test('is accounted for by the commit of the target that brought it', async () => {
    const tale = new Tale().start().begins('a');
    const work = await tale.captures('a');
    const by = await tale.lands('a', 1, work);
    const entry = { run: 'r1', task: 'a', attempt: 1, commit: work, at: expect.any(Number) };
    expect(need(await tale.account())).toEqual([{ ...entry, fate: { id: 'landed', by } }]);
  });

  test.each(['squash', 'rebase'] as const)(
    'with the style %s needs only the landing itself on the target',
    async (style) => {
      const tale = new Tale().start({ train: { batch: 1, style } }).begins('a');
      const by = await tale.lands('a', 1, await tale.captures('a'), style);
      expect(await fates(tale)).toEqual([{ id: 'landed', by }]);
    },
  );

  test('by the log, but not by a merge that contains it, is lost', async () => {
    const tale = new Tale().start().begins('a');
    const work = await tale.captures('a');
    const by = await tale.lands('a', 1, work, 'squash');
    expect(await fates(tale)).toEqual([
      { id: 'lost', why: `it landed with ${by}, but main does not contain ${work}` },
    ]);
  });

  test('is dropped by a person when the target does not have it any more, with the branch that still does', async () => {
    const tale = new Tale().start().begins('a');
    const before = await tale.tip();
    const by = await tale.lands('a', 1, await tale.captures('a'));
    await tale.move('refs/heads/main', before);
    expect(await fates(tale)).toEqual([{ id: 'dropped', by, target: 'main' }]);
    await tale.move('refs/heads/backup', by);
    const ref = 'refs/heads/backup';
    expect(await fates(tale)).toEqual([{ id: 'dropped', by, target: 'main', ref }]);
    tale.start({}, 'r2').begins('a', 2, 'r2');
    const again = await tale.lands('a', 2, await tale.captures('a', 2, 'r2'));
    expect(await fates(tale)).toMatchObject([{ id: 'superseded', by: again }, { id: 'landed' }]);
  });

  test('is still there when a person rewrote its landing', async () => {
    const tale = new Tale().start().begins('a');
    const before = await tale.tip();
    const work = await tale.captures('a');
    await tale.lands('a', 1, work);
    const { tree } = await tale.git.commit(work);
    const message = commitMessage('a', ['Yard-Run: r1', 'Yard-Task: a', 'Yard-Attempt: 1']);
    const by = await tale.git.commitTree(tree, [before, work], message);
    await tale.move('refs/heads/main', by);
    expect(await fates(tale)).toEqual([{ id: 'landed', by }]);
  });

  test('is looked for on other branches when the target was deleted, as one that was merged is', async () => {
    const tale = new Tale().start({ target: 'feature' }).begins('a');
    const by = await tale.lands('a', 1, await tale.captures('a'));
    expect(await fates(tale)).toEqual([{ id: 'landed', by }]);
  });

  test('is judged by the target of its own run', async () => {
    const tale = new Tale().start({ target: 'main' }).begins('a');
    const by = await tale.lands('a', 1, await tale.captures('a'));
    const runSettings = await tale.account('no-such-branch');
    expect(need(runSettings)[0]?.fate).toEqual({ id: 'landed', by });
  });

  test('stays landed under whatever else lands on top', async () => {
    const tale = new Tale().start();
    for (const id of ['a', 'b', 'c']) {
      tale.begins(id);
      await tale.lands(id, 1, await tale.captures(id));
    }
    expect((await fates(tale)).map(({ id }) => id)).toEqual(['landed', 'landed', 'landed']);
  });
});

describe('work that was made again', () => {
  test('is superseded by what its attempt handed in next', async () => {
    const tale = new Tale().start().begins('a');
    const first = await tale.captures('a');
    const second = await tale.captures('a');
    const by = await tale.lands('a', 1, second);
    expect(first).not.toBe(second);
    expect(await fates(tale)).toEqual([
      { id: 'superseded', by: second },
      { id: 'landed', by },
    ]);
  });

  test('is superseded also where the later work does not contain it, and waits or was returned', async () => {
    const tale = new Tale().start().begins('a');
    await tale.captures('a');
    await tale.move(branch('a'), await tale.tip());
    const second = await tale.captures('a');
    expect(await fates(tale)).toMatchObject([{ id: 'superseded', by: second }, { id: 'waiting' }]);
    await tale.fails('a');
    expect(await fates(tale)).toMatchObject([{ id: 'superseded', by: second }, { id: 'returned' }]);
  });

  test('is lost together with what superseded it', async () => {
    const tale = new Tale().start().begins('a');
    await tale.captures('a');
    const second = await tale.captures('a');
    await tale.fails('a');
    await tale.drop(branch('a'));
    expect(await fates(tale)).toMatchObject([
      { id: 'lost', why: `${second}, which replaced it, is lost` },
      { id: 'lost' },
    ]);
  });

  test('is one entry where the very same commit was taken over twice', async () => {
    const tale = new Tale().start().begins('a');
    const work = await tale.captures('a');
    const again = { run: 'r1', id: 'a', attempt: 1, commit: work, tree: 't', by: 'agent' } as const;
    tale.tell({ type: 'work-captured', ...again });
    expect(await fates(tale)).toMatchObject([{ id: 'waiting' }]);
  });

  test('is superseded by the merge with the target that rode instead of it', async () => {
    const tale = new Tale().start().begins('a');
    const work = await tale.captures('a');
    const synced = await tale.commit(work, 'merge of main');
    await tale.lands('a', 1, synced);
    expect(await fates(tale)).toEqual([{ id: 'superseded', by: synced }]);
  });

  test('after its attempt had landed with earlier work is not covered by that', async () => {
    const tale = new Tale().start().begins('a');
    const first = await tale.captures('a');
    const second = await tale.captures('a');
    await tale.lands('a', 1, first);
    expect(await fates(tale)).toMatchObject([{ id: 'landed' }, { id: 'lost' }]);
    await tale.move('refs/heads/mine', second);
    expect(await fates(tale)).toMatchObject([
      { id: 'landed' },
      { id: 'returned', ref: 'refs/heads/mine' },
    ]);
  });
});

describe('work of an attempt that failed', () => {
  test('was returned to a person, with the reason and the branch that has it', async () => {
    const tale = new Tale().start().begins('a');
    await tale.captures('a');
    await tale.fails('a', 1, red);
    expect(await fates(tale)).toEqual([
      { id: 'returned', to: 'person', why: red, ref: branch('a') },
    ]);
  });

  test('was superseded if another variant of its task was chosen, and stays on its branch', async () => {
    const tale = new Tale().start().begins('a.v2');
    await tale.captures('a.v2');
    await tale.fails('a.v2', 1, { kind: 'superseded', by: 'a.v1' });
    expect(await fates(tale)).toEqual([{ id: 'superseded', task: 'a.v1', ref: branch('a.v2') }]);
  });

  test('was returned from the moment it was given up', async () => {
    const tale = new Tale().start().begins('a');
    await tale.captures('a');
    tale.tell({ type: 'attempt-given-up', run: 'r1', id: 'a', attempt: 1, failure: crash });
    expect(await fates(tale)).toMatchObject([{ id: 'returned', why: crash }]);
  });

  test('names the attempt that tries again, and is not covered by what that one lands', async () => {
    const tale = new Tale().start().begins('a');
    await tale.captures('a');
    await tale.fails('a');
    tale.begins('a', 2);
    expect(await fates(tale)).toMatchObject([{ id: 'returned', to: 2 }]);
    await tale.lands('a', 2, await tale.captures('a', 2));
    expect(await fates(tale)).toMatchObject([{ id: 'returned', to: 2 }, { id: 'landed' }]);
  });

  test('may be on the ref that pruning made of its branch, or on one more that saving needed', async () => {
    for (const ref of [keepRef('r1', 'a', 1), `${keepRef('r1', 'a', 1)}.2`]) {
      const tale = new Tale().start().begins('a');
      const work = await tale.captures('a');
      await tale.fails('a');
      await tale.drop(branch('a'));
      await tale.move(ref, work);
      expect(await fates(tale)).toMatchObject([{ id: 'returned', ref }]);
    }
  });

  test('landed by hand when a person merged its branch and took it away', async () => {
    const tale = new Tale().start().begins('a');
    const work = await tale.captures('a');
    await tale.fails('a');
    const merged = await tale.commit(work, 'fixed by hand');
    await tale.move('refs/heads/main', merged);
    await tale.drop(branch('a'));
    expect(await fates(tale)).toEqual([{ id: 'landed', by: merged, byHand: true }]);
  });

  test('counts as kept by whatever other ref has it', async () => {
    const tale = new Tale().start().begins('a');
    const work = await tale.captures('a');
    await tale.fails('a');
    await tale.move('refs/tags/kept', await tale.commit(work, 'more'));
    await tale.drop(branch('a'));
    expect(await fates(tale)).toMatchObject([{ id: 'returned', ref: 'refs/tags/kept' }]);
  });

  test('is lost when its branch is gone and nothing else has it', async () => {
    const tale = new Tale().start().begins('a');
    await tale.captures('a');
    await tale.fails('a');
    await tale.drop(branch('a'));
    expect(await fates(tale)).toEqual([
      { id: 'lost', why: 'it was returned, and its branch yard/r1/a-1 is gone' },
    ]);
  });

  test('is superseded with a word about its branch when that is gone and the task landed later', async () => {
    const tale = new Tale().start().begins('a');
    await tale.captures('a');
    await tale.fails('a');
    await tale.drop(branch('a'));
    tale.start({}, 'r2').begins('a', 2, 'r2');
    const second = await tale.captures('a', 2);
    expect(await fates(tale)).toMatchObject([{ id: 'lost' }, { id: 'waiting' }]);
    const before = await tale.tip();
    await tale.lands('a', 2, second);
    expect(await fates(tale)).toMatchObject([
      { id: 'superseded', by: second, gone: 'yard/r1/a-1' },
      { id: 'landed' },
    ]);
    await tale.move('refs/heads/main', before);
    expect(await fates(tale)).toMatchObject([{ id: 'superseded' }, { id: 'dropped' }]);
  });

  test('that ended by filing tasks is returned without a reason', async () => {
    const tale = new Tale().start().begins('a');
    await tale.captures('a');
    tale.tell({ type: 'work-planned', run: 'r1', id: 'a', attempt: 1, filed: ['b'] });
    expect(await fates(tale)).toEqual([{ id: 'returned', to: 'person', ref: branch('a') }]);
  });
});

describe('work that was delivered', () => {
  const delivered = (entry: string, more: { url?: string } = {}) =>
    ({
      type: 'delivered',
      run: 'r1',
      candidate: 'c1',
      how: more.url === undefined ? 'branch' : 'pr',
      entries: [{ id: 'a', attempt: 1, commit: entry }],
      branch: 'ready/a',
      ...more,
    }) as const;

  test('is on the branch it was handed over as', async () => {
    const tale = new Tale().start().begins('a');
    const work = await tale.captures('a');
    await tale.move('refs/heads/ready/a', await tale.commit(work, 'candidate'));
    await tale.moves('a', 1, await tale.tip());
    tale.tell(delivered(work));
    expect(await fates(tale)).toEqual([{ id: 'delivered', branch: 'ready/a' }]);
  });

  test('is lost when that branch is gone and nobody has merged it', async () => {
    const tale = new Tale().start().begins('a');
    const work = await tale.captures('a');
    await tale.moves('a', 1, await tale.tip());
    tale.tell(delivered(work));
    expect(await fates(tale)).toMatchObject([{ id: 'lost' }]);
    await tale.move('refs/heads/main', work);
    expect(await fates(tale)).toMatchObject([{ id: 'delivered' }]);
  });

  test('as a pull request is where that is, whatever became of the branch', async () => {
    const tale = new Tale().start().begins('a');
    const work = await tale.captures('a');
    await tale.moves('a', 1, await tale.tip());
    const url = 'https://forge.invalid/1';
    tale.tell(delivered(work, { url }));
    expect(await fates(tale)).toEqual([{ id: 'delivered', branch: 'ready/a', url }]);
  });
});

describe('work that is under way', () => {
  test('waits on its branch, or on the ref that keeps it where the agent rewrote the branch', async () => {
    const tale = new Tale().start().begins('a');
    await tale.captures('a');
    expect(await fates(tale)).toEqual([{ id: 'waiting', ref: branch('a') }]);
    await tale.move(branch('a'), await tale.tip());
    expect(await fates(tale)).toEqual([{ id: 'waiting', ref: keepRef('r1', 'a', 1) }]);
  });

  test.each(['merge', 'squash'] as const)(
    'has landed by %s although the log does not say so yet',
    async (style) => {
      const tale = new Tale().start({ train: { batch: 1, style } }).begins('a');
      const by = await tale.builds('a', 1, await tale.captures('a'), style);
      await tale.moves('a', 1, by);
      expect(await fates(tale)).toEqual([{ id: 'landed', by }]);
    },
  );

  test('has landed with its own link of a candidate of several', async () => {
    const tale = new Tale().start().begins('a').begins('b');
    const [a, b] = [await tale.captures('a'), await tale.captures('b')];
    const prefixes: { commit: string; tree: string }[] = [];
    let parent = await tale.tip();
    for (const entry of [a, b]) {
      parent = await tale.commit(parent, `landing of ${entry}`);
      prefixes.push({ commit: parent, tree: 't' });
    }
    const entries = [
      { id: 'a', attempt: 1, commit: a },
      { id: 'b', attempt: 1, commit: b },
    ];
    const of = {
      run: 'r1',
      candidate: 'c1',
      parent: 'p',
      commit: parent,
      tree: 't',
      entries,
      prefixes,
    };
    tale.tell({ type: 'candidate-built', ...of });
    await tale.moves('a', 1, prefixes[0]?.commit ?? '');
    expect(await fates(tale)).toEqual([
      { id: 'landed', by: prefixes[0]?.commit },
      { id: 'waiting', ref: branch('b') },
    ]);
  });

  test('is superseded by newer work that was taken over and is not on record yet', async () => {
    const tale = new Tale().start().begins('a');
    await tale.captures('a');
    const rewritten = await tale.commit(await tale.tip(), 'rewritten');
    await tale.move(branch('a'), rewritten);
    await tale.move(keepRef('r1', 'a', 1), rewritten);
    expect(await fates(tale)).toEqual([{ id: 'superseded', by: rewritten }]);
  });

  test('is lost when no ref holds it', async () => {
    const tale = new Tale().start().begins('a');
    await tale.captures('a');
    await tale.drop(branch('a'));
    await tale.drop(keepRef('r1', 'a', 1));
    expect(await fates(tale)).toEqual([
      { id: 'lost', why: 'its attempt is still running, and no ref contains it' },
    ]);
  });

  test('of a commit that git has never heard of is lost', async () => {
    const tale = new Tale().start().begins('a');
    const commit = 'f'.repeat(40);
    tale.tell({
      type: 'work-captured',
      run: 'r1',
      id: 'a',
      attempt: 1,
      commit,
      tree: 't',
      by: 'agent',
    });
    expect(await fates(tale)).toMatchObject([{ id: 'lost' }]);
  });
});

describe('a ledger', () => {
  test('has nothing to say of attempts that made nothing', async () => {
    const tale = new Tale().start().begins('a');
    tale.tell({ type: 'attempt-failed', run: 'r1', id: 'a', attempt: 1, failure: crash });
    expect(await fates(tale)).toEqual([]);
    expect(isBalanced([])).toBe(true);
  });

  test('tells trouble with git as a failure, and nothing else', async () => {
    const tale = new Tale().start().begins('a');
    await tale.captures('a');
    const failure = { kind: 'git-failed', args: [], exit: 1, stderr: 'no' } as const;
    tale.git.refs = async () => {
      throw new Trouble(failure);
    };
    await expect(tale.account()).rejects.toMatchObject({ failure });
  });
});
