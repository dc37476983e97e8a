import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { MemoryGit } from '../../test/memory/git.ts';
import { ok } from '../model/failure.ts';
import { outcomeOf } from '../model/trouble.ts';
import { type Answer, findCulprit, type Landing } from './culprit.ts';

/** A target with one commit for each name: a landing, or something of a person's where it begins with `by-hand`. */
async function target(names: readonly string[]) {
  const git = new MemoryGit({ files: { start: '' } });
  const tip = async (): Promise<string> => {
    const at = await outcomeOf(git.resolve('main'));
    return (at.ok ? at.value : undefined) ?? '';
  };
  const commits = [await tip()];
  for (const [at, name] of names.entries()) {
    git.commitByHand({ [`${at}`]: name });
    commits.push(await tip());
  }
  const landings = names.flatMap((name, at): Landing[] =>
    name.startsWith('by-hand') ? [] : [{ commit: commits[at + 1] ?? '', tasks: [name] }],
  );
  return { git, commits, landings, tip: commits.at(-1) ?? '' };
}

/** Fine before the commit with this place in the list of commits. */
function breaksAt(commits: readonly string[], place: number) {
  const asked: string[] = [];
  const isGood = async (commit: string) => {
    asked.push(commit);
    return ok(commits.indexOf(commit) < place);
  };
  return { asked, isGood };
}

describe('the landing to blame', () => {
  test('is the first one with which the target fails', async () => {
    const { git, commits, landings, tip } = await target(['a', 'b', 'c', 'd']);
    const { isGood } = breaksAt(commits, 3);
    const found = await findCulprit({ git, tip, landings, isGood });
    expect(found).toMatchObject({ ok: true, value: { tasks: ['c'] } });
  });

  test('is none if the target already failed before the run', async () => {
    const { git, commits, landings, tip } = await target(['a', 'b']);
    const { isGood, asked } = breaksAt(commits, 0);
    expect(await findCulprit({ git, tip, landings, isGood })).toEqual(ok(undefined));
    expect(asked).toEqual([commits[0]]);
  });

  test('is none if nothing landed', async () => {
    const { git, tip } = await target(['a']);
    const isGood = async () => ok(true);
    expect(await findCulprit({ git, tip, landings: [], isGood })).toEqual(ok(undefined));
  });

  test('is none if the user broke it, between two landings or after the last', async () => {
    for (const [names, place] of [
      [['a', 'by-hand', 'b', 'c'], 2],
      [['a', 'b', 'by-hand'], 3],
    ] as const) {
      const { git, commits, landings, tip } = await target(names);
      const { isGood } = breaksAt(commits, place);
      expect(await findCulprit({ git, tip, landings, isGood })).toEqual(ok(undefined));
    }
  });

  test('is found on top of commits of the user', async () => {
    const { git, commits, landings, tip } = await target(['a', 'by-hand', 'b', 'c']);
    const { isGood } = breaksAt(commits, 3);
    const found = await findCulprit({ git, tip, landings, isGood });
    expect(found).toMatchObject({ ok: true, value: { tasks: ['b'] } });
  });

  test('uses the previous target commit if a landing has several commits', async () => {
    const { git, commits, landings } = await target(['a', 'part', 'b']);
    const [a, , b] = landings;
    if (a === undefined || b === undefined) throw new Error('no landings');
    const from = a.commit;
    const { isGood, asked } = breaksAt(commits, 2);
    const found = await findCulprit({
      git,
      tip: b.commit,
      landings: [a, { ...b, from }],
      isGood,
    });
    expect(found).toMatchObject({ ok: true, value: { tasks: ['b'] } });
    expect(asked).not.toContain(commits[2]);
  });

  test('stays unknown when time runs out, unlike an interruption', async () => {
    const { git, commits, landings, tip } = await target(['a', 'b', 'c', 'd']);
    for (const [answer, result] of [
      [undefined, undefined],
      ['interrupted', 'interrupted'],
    ] as const) {
      const isGood = async (commit: string) => ok<Answer>(commit === commits[0] ? true : answer);
      expect(await findCulprit({ git, tip, landings, isGood })).toEqual(ok(result));
    }
  });

  test('is always found in few steps without testing a commit twice', async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 40 }), fc.nat(), async (count, at) => {
        const names = Array.from({ length: count }, (_, n) => `t${n}`);
        const { git, commits, landings, tip } = await target(names);
        const culprit = at % count;
        const { isGood, asked } = breaksAt(commits, culprit + 1);
        const found = await findCulprit({ git, tip, landings, isGood });
        expect(found).toMatchObject({ ok: true, value: { tasks: [`t${culprit}`] } });
        expect(new Set(asked).size).toBe(asked.length);
        expect(asked).not.toContain(tip);
        expect(asked.length).toBeLessThanOrEqual(Math.ceil(Math.log2(count)) + 1);
      }),
    );
  });
});
