import { beforeEach, describe, expect, test } from 'vitest';
import { MemoryGit } from '../../test/memory/git.ts';
import { need } from '../../test/rig/need.ts';
import type { EventBody } from '../model/event.ts';
import type { Result } from '../model/failure.ts';
import type { LandingFacts } from '../model/queue-entry.ts';
import { buildCandidate, type CandidatePlan, landingMessage } from './build-candidate.ts';

let git: MemoryGit;
let base: string;

beforeEach(async () => {
  git = new MemoryGit({ files: { a: '1', b: '1' } });
  base = (await git.resolve('refs/heads/main')) ?? '';
});

/** A branch with one commit on top of a commit. */
async function branch(name: string, from: string, files: Record<string, string>): Promise<string> {
  const dir = `/pool/${name}`;
  await git.addWorktree(dir, from);
  await git.point(dir, from, `yard/r1/${name}`);
  for (const [path, text] of Object.entries(files)) git.write(dir, path, text);
  return await git.commitAll(dir, name);
}

const waybill = (id: string, commit: string): LandingFacts => ({
  entry: { id, attempt: 1, commit },
  title: `Do ${id}`,
  agent: 'mine',
  branch: `yard/r1/${id}-1`,
});

/** A candidate of these branches on the target, or on what is named. */
async function build(
  works: Readonly<Record<string, string>>,
  more: Partial<CandidatePlan> = {},
  port = git,
): Promise<Result<readonly EventBody[]>> {
  const tip = (await git.resolve('refs/heads/main')) ?? '';
  const landings = Object.entries(works).map(([id, commit]) => waybill(id, commit));
  const wish = {
    run: 'r1',
    candidate: 'c1',
    landings,
    parent: tip,
    style: 'merge',
    spent: [],
  } as const;
  return buildCandidate(port, { ...wish, ...more });
}

async function eventOf(id: string, commit: string): Promise<EventBody | undefined> {
  return need(await build({ [id]: commit }))[0];
}

type Built = Extract<EventBody, { type: 'candidate-built' }>;

function builtIn(events: readonly EventBody[]): Built {
  const built = need(events.find((event) => event.type === 'candidate-built'));
  return built;
}

test.each(['merge', 'squash'] as const)(
  'work on a base that was dropped from the target brings nothing of it back: %s',
  async (style) => {
    const landed = await branch('landed', base, { a: '2', new: 'x' });
    const one = await branch('one', landed, { b: '2' });
    const facts = { ...waybill('one', one), base: landed };
    const events = need(await build({}, { landings: [facts], parent: base, style }));
    const built = builtIn(events);
    expect(Object.fromEntries(git.tree(built.commit))).toEqual({ a: '1', b: '2' });
    expect(await git.isAncestor(landed, built.commit)).toBe(false);
    const [entry] = built.entries;
    expect(entry).toMatchObject({ commit: one, copy: expect.any(String) });
    const clash = await branch('clash', landed, { a: '3' });
    const refused = { ...waybill('clash', clash), base: landed };
    expect(need(await build({}, { landings: [refused], parent: base }))).toMatchObject([
      { type: 'merge-refused', failure: { kind: 'conflict', files: ['a'] } },
    ]);
  },
);

test('says that the target was replaced, and blames no branch', async () => {
  const one = await branch('one', base, { b: '2' });
  const { tree } = await git.commit(base);
  const other = await git.commitTree(tree, [], 'another beginning');
  const facts = { ...waybill('one', one), base };
  expect(need(await build({}, { landings: [facts], parent: other }))).toEqual([
    { type: 'target-moved', run: 'r1', from: base, to: other, unrelated: true },
  ]);
});

test('holds its commits by a ref, and releases those of candidates that are gone', async () => {
  const gone = 'refs/yard/held/r1/c0';
  const one = await branch('one', base, { one: '1' });
  await git.moveRefs([{ ref: gone, to: one }]);
  const built = builtIn(need(await build({ one }, { spent: [gone, 'refs/yard/held/r1/none'] })));
  const held = await git.refs('refs/yard/held/');
  expect(held).toEqual([{ ref: 'refs/yard/held/r1/c1', commit: built.commit }]);
});

describe('coupling a branch to the target', () => {
  test('makes a merge commit of the tip and the branch, and moves nothing', async () => {
    const work = await branch('one', base, { a: '2' });
    const event = await eventOf('one', work);
    if (event?.type !== 'candidate-built') throw new Error(event?.type);
    expect(event).toMatchObject({ candidate: 'c1', parent: base, entries: [{ id: 'one' }] });
    expect(event.prefixes).toBeUndefined();
    const info = await git.commit(event.commit);
    expect(info).toMatchObject({ parents: [base, work], tree: event.tree });
    expect(git.tree(event.commit).get('a')).toBe('2');
    expect(await git.resolve('refs/heads/main')).toBe(base);
  });

  test('takes the tree of a branch that stands on the tip as it is', async () => {
    const work = await branch('one', base, { a: '2' });
    const event = await eventOf('one', work);
    const { tree } = await git.commit(work);
    expect(event).toMatchObject({ type: 'candidate-built', tree });
  });

  test('merges a branch that stands on an older tip', async () => {
    const work = await branch('one', base, { a: '2' });
    git.commitByHand({ b: '2' });
    const event = await eventOf('one', work);
    if (event?.type !== 'candidate-built') throw new Error(event?.type);
    expect([...git.tree(event.commit)]).toEqual([
      ['a', '2'],
      ['b', '2'],
    ]);
  });

  test('refuses a branch that changed what the target changed, and tells what both sides did', async () => {
    const work = await branch('one', base, { a: '2' });
    git.commitByHand({ a: '3' });
    const tip = (await git.resolve('refs/heads/main')) ?? '';
    expect(await eventOf('one', work)).toEqual({
      type: 'merge-refused',
      run: 'r1',
      id: 'one',
      attempt: 1,
      failure: {
        kind: 'conflict',
        files: ['a'],
        target: tip,
        branch: 'yard/r1/one-1',
        branchLog: `${work.slice(0, 7)} one`,
        targetLog: `${tip.slice(0, 7)} by hand`,
        changedBy: `${tip.slice(0, 7)} by hand`,
        stat: ' a | differs\n 1 file changed',
      },
    });
  });

  test('refuses a branch with a history of its own', async () => {
    const { tree } = await git.commit(base);
    const stranger = await git.commitTree(tree, [], 'alone');
    expect(await eventOf('one', stranger)).toMatchObject({
      type: 'merge-refused',
      failure: { kind: 'unmergeable', branch: 'yard/r1/one-1' },
    });
  });

  test('does not blame a branch for what a shallow clone left out', async () => {
    const { tree } = await git.commit(base);
    const stranger = await git.commitTree(tree, [], 'cut off');
    const shallow = new Proxy(git, {
      get(target, name) {
        const member: unknown = Reflect.get(target, name);
        if (typeof member !== 'function') return member;
        if (name !== 'inspect') return member.bind(target);
        return async () => {
          const found = await target.inspect();
          return { ...found, shallow: true };
        };
      },
    });
    const refused = await build({ one: stranger }, {}, shallow);
    expect(refused).toMatchObject({ ok: false, failure: { kind: 'shallow-repository' } });
  });

  test('says when what it should be built on is gone', async () => {
    const work = await branch('one', base, { a: '2' });
    const gone = build({ one: work }, { parent: 'nowhere' });
    await expect(gone).rejects.toMatchObject({ failure: { kind: 'git-failed' } });
  });

  test('merges what an agent merged itself', async () => {
    const one = await branch('one', base, { a: '2' });
    git.commitByHand({ b: '2' });
    const tip = (await git.resolve('refs/heads/main')) ?? '';
    const merged = await git.merge(one, tip);
    if (merged.id !== 'clean') throw new Error('conflict');
    const work = await git.commitTree(merged.tree, [one, tip], 'merge');
    const event = await eventOf('one', work);
    if (event?.type !== 'candidate-built') throw new Error(event?.type);
    expect([...git.tree(event.commit).values()]).toEqual(['2', '2']);
  });
});

describe('coupling several branches', () => {
  test('puts one on top of the other, and knows what the target would be with each', async () => {
    const one = await branch('one', base, { a: '2' });
    const two = await branch('two', base, { b: '2' });
    const three = await branch('three', base, { c: '2' });
    const built = builtIn(need(await build({ one, two, three })));
    expect(built.entries.map(({ id }) => id)).toEqual(['one', 'two', 'three']);
    expect(built.prefixes).toHaveLength(3);
    expect(built.prefixes?.at(-1)).toEqual({ commit: built.commit, tree: built.tree });
    let head = base;
    for (const [at, work] of [one, two, three].entries()) {
      const prefix = built.prefixes?.[at];
      const info = await git.commit(prefix?.commit ?? '');
      expect(info).toMatchObject({ parents: [head, work], tree: prefix?.tree });
      head = prefix?.commit ?? '';
    }
    expect([...git.tree(built.prefixes?.[1]?.commit ?? '').values()]).toEqual(['2', '2']);
  });

  test('puts off one that only does not merge with those before it', async () => {
    const one = await branch('one', base, { a: '2' });
    const two = await branch('two', base, { a: '3' });
    const three = await branch('three', base, { c: '2' });
    const events = need(await build({ one, two, three }));
    expect(events).toMatchObject([
      { type: 'merge-deferred', id: 'two', attempt: 1, behind: 'c1' },
      { type: 'candidate-built', entries: [{ id: 'one' }, { id: 'three' }] },
    ]);
    expect(builtIn(events).prefixes).toHaveLength(2);
  });

  test('refuses one that does not merge with the target, and goes on with the others', async () => {
    const one = await branch('one', base, { a: '2' });
    const two = await branch('two', base, { b: '2' });
    git.commitByHand({ a: '3' });
    expect(need(await build({ one, two }))).toMatchObject([
      { type: 'merge-refused', id: 'one', failure: { kind: 'conflict', files: ['a'] } },
      { type: 'candidate-built', entries: [{ id: 'two' }] },
    ]);
  });

  test('builds nothing where none of them merges', async () => {
    const one = await branch('one', base, { a: '2' });
    git.commitByHand({ a: '3' });
    expect(need(await build({ one })).map(({ type }) => type)).toEqual(['merge-refused']);
  });

  test('refuses one without a common history, wherever it stands in the line', async () => {
    const one = await branch('one', base, { a: '2' });
    const { tree } = await git.commit(base);
    const stranger = await git.commitTree(tree, [], 'alone');
    expect(need(await build({ one, two: stranger }))).toMatchObject([
      { type: 'merge-refused', id: 'two', failure: { kind: 'unmergeable' } },
      { type: 'candidate-built', entries: [{ id: 'one' }] },
    ]);
  });
});

describe('coupling to another candidate', () => {
  test('builds on that, and says on which', async () => {
    const one = await branch('one', base, { a: '2' });
    const first = builtIn(need(await build({ one })));
    const two = await branch('two', base, { b: '2' });
    const on = { on: 'c1', parent: first.commit, candidate: 'c2' };
    const second = builtIn(need(await build({ two }, on)));
    expect(second).toMatchObject({ candidate: 'c2', on: 'c1', parent: first.commit });
    expect([...git.tree(second.commit).values()]).toEqual(['2', '2']);
  });

  test('puts off what does not merge with that: it may still merge with the target', async () => {
    const one = await branch('one', base, { a: '2' });
    const first = builtIn(need(await build({ one })));
    const two = await branch('two', base, { a: '3' });
    const on = { on: 'c1', parent: first.commit, candidate: 'c2' };
    expect(need(await build({ two }, on))).toEqual([
      { type: 'merge-deferred', run: 'r1', id: 'two', attempt: 1, behind: 'c1' },
    ]);
  });

  test('says so where it goes past what else is on the way', async () => {
    const one = await branch('one', base, { a: '2' });
    expect(builtIn(need(await build({ one }, { urgent: true })))).toMatchObject({ urgent: true });
    expect(builtIn(need(await build({ one }))).urgent).toBeUndefined();
  });
});

describe('the message of a landing', () => {
  test('has the title on one line and says whose work it is', () => {
    const facts = { ...waybill('one', 'x'), title: ' Do\nthis  and that ' };
    expect(landingMessage(facts, 'r1')).toBe(
      'Do this and that\n\nYard-Task: one\nYard-Run: r1\nYard-Attempt: 1\nYard-Agent: mine\n',
    );
  });

  test('names the tasks that land with it, and the model', () => {
    const { entry, ...rest } = waybill('one', 'x');
    const facts = { ...rest, entry: { ...entry, coClaims: ['two'] }, model: 'm1' };
    expect(landingMessage(facts, 'r1').split('\n').slice(2, -1)).toEqual([
      'Yard-Task: one',
      'Yard-Task: two',
      'Yard-Run: r1',
      'Yard-Attempt: 1',
      'Yard-Agent: mine',
      'Yard-Model: m1',
    ]);
  });
});
