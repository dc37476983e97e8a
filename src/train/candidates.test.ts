import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { red } from '../../test/story.ts';
import type { QueueEntry } from '../model/queue-entry.ts';
import type { Candidate } from '../model/train-record.ts';
import {
  afterLanding,
  baseOf,
  type CandidatesChange,
  findBlame,
  headOf,
  isUndecided,
  markGreen,
  markRed,
  withoutCandidate,
} from './candidates.ts';

const entry = (id: string): QueueEntry => ({ id, attempt: 1, commit: `work-${id}` });

/** A candidate of these branches, one letter each; its links are named like the branches they end with. */
function candidate(id: string, parent: string, letters: string): Candidate {
  const names = [...letters];
  const prefixes = names.map((name) => ({ commit: name, tree: `tree-${name}` }));
  const last = prefixes.at(-1) ?? { commit: '', tree: '' };
  const at = { landed: 0, green: 0, state: { id: 'built' } as const };
  return { id, parent, ...last, entries: names.map(entry), prefixes, ...at };
}

const ids = (entries: readonly QueueEntry[]): string => entries.map(({ id }) => id).join('');
const line = ({ candidates: line }: CandidatesChange): string => line.map(({ id }) => id).join(' ');

/** Three candidates, each on the one before, and one that goes past them. */
const three = [
  candidate('c1', 'base', 'abc'),
  candidate('c2', 'c', 'de'),
  candidate('c3', 'e', 'f'),
];
const [c1 = candidate('', '', '')] = three;
const urgent = candidate('u', 'base', 'p');

describe('a candidate', () => {
  test('stands on its parent, and later on what has landed of it', () => {
    expect(baseOf(c1)).toBe('base');
    expect(baseOf({ ...c1, landed: 2 })).toBe('b');
    expect(headOf(c1)).toBe('c');
  });

  test('is to be judged where neither green nor red say how it does', () => {
    const half = { ...c1, green: 1, red: { count: 3, failure: red } };
    expect([0, 1, 2, 3, 4].filter((count) => isUndecided(half, count))).toEqual([2]);
    expect([0, 1, 2, 3, 4].filter((count) => isUndecided(c1, count))).toEqual([1, 2, 3]);
  });

  test('that is green as a whole has passed; one that waits goes on waiting', () => {
    expect(markGreen(c1, 2)).toMatchObject({ green: 2, state: { id: 'built' } });
    expect(markGreen(c1, 3)).toMatchObject({ green: 3, state: { id: 'passed' } });
    expect(markGreen({ ...c1, green: 2 }, 1).green).toBe(2);
    const waiting = { id: 'waiting', failure: red, since: 1, until: 2 } as const;
    expect(markGreen({ ...c1, state: waiting }, 3).state).toEqual(waiting);
  });
});

describe('a candidate that falls out of the line', () => {
  test('takes along all that stand on it, and nobody else', () => {
    const out = withoutCandidate([urgent, ...three], three[1] ?? c1);
    expect(line(out)).toBe('u c1');
    expect(ids(out.requeued)).toBe('def');
    expect(ids(withoutCandidate([urgent, ...three], c1).requeued)).toBe('abcdef');
  });

  test('queues again what has not landed of it', () => {
    expect(ids(withoutCandidate([{ ...c1, landed: 2 }], { ...c1, landed: 2 }).requeued)).toBe('c');
  });

  test('is found also where a damaged log has candidates in a circle', () => {
    const circle = [candidate('c1', 'b', 'a'), candidate('c2', 'a', 'b')];
    expect(line(withoutCandidate(circle, circle[0] ?? c1))).toBe('');
  });
});

describe('a candidate that turns red', () => {
  test('stays until it is known who is to blame; what stands on it does not', () => {
    const shunted = markRed([urgent, ...three], c1, 3, red);
    expect(line(shunted)).toBe('u c1');
    expect(ids(shunted.requeued)).toBe('def');
    expect(shunted.candidates[1]?.red).toEqual({ count: 3, failure: red });
    expect(findBlame(shunted)).toBeUndefined();
  });

  test('is as red as with the fewest branches', () => {
    const twice = markRed(
      markRed([c1], c1, 2, red).candidates,
      { ...c1, red: { count: 2, failure: red } },
      3,
      red,
    );
    expect(twice.candidates[0]?.red?.count).toBe(2);
  });
});

describe('who is to blame', () => {
  test('is the one with which green turns red; the green part stays, the rest queues again', () => {
    const found = findBlame({ candidates: [{ ...c1, green: 1, red: { count: 2, failure: red } }] });
    expect(found?.blamed).toEqual({ entry: entry('b'), failure: red, on: 'a' });
    expect(ids(found?.requeued ?? [])).toBe('c');
    expect(found?.candidates).toMatchObject([
      { id: 'c1', commit: 'a', tree: 'tree-a', green: 1, state: { id: 'passed' } },
    ]);
    expect(found?.candidates[0]).not.toHaveProperty('red');
    expect(ids(found?.candidates[0]?.entries ?? [])).toBe('a');
  });

  test('is the first one, where nothing of it is green: the candidate is gone', () => {
    const found = findBlame({ candidates: [{ ...c1, red: { count: 1, failure: red } }, urgent] });
    expect(found?.blamed).toMatchObject({ entry: entry('a'), on: 'base' });
    expect(line(found ?? { candidates: [], requeued: [] })).toBe('u');
    expect(ids(found?.requeued ?? [])).toBe('bc');
  });

  test('is the same where the green part has landed already', () => {
    const rest = { ...c1, landed: 1, green: 1, red: { count: 2, failure: red } };
    const found = findBlame({ candidates: [rest] });
    expect(found?.blamed).toMatchObject({ entry: entry('b'), on: 'a' });
    expect(found?.candidates).toEqual([]);
    expect(ids(found?.requeued ?? [])).toBe('c');
  });

  test('is not asked while a candidate stands on another that may still be red', () => {
    const above = { ...candidate('c2', 'c', 'd'), red: { count: 1, failure: red } };
    expect(findBlame({ candidates: [c1, above] })).toBeUndefined();
  });

  test('takes along what was built on a part that is gone with it', () => {
    const half = { ...c1, green: 1, red: { count: 2, failure: red } };
    const found = findBlame({ candidates: [half, candidate('c2', 'c', 'd')] });
    expect(line(found ?? { candidates: [], requeued: [] })).toBe('c1');
    expect(ids(found?.requeued ?? [])).toBe('cd');
  });
});

describe('a landing', () => {
  test('of a whole candidate makes the next one the first', () => {
    const moved = afterLanding(three, 'c1', 'c');
    expect(line(moved)).toBe('c2 c3');
    expect(moved.requeued).toEqual([]);
  });

  test('of a part leaves the rest where it is, and all that stands on it', () => {
    const moved = afterLanding(three, 'c1', 'b');
    expect(line(moved)).toBe('c1 c2 c3');
    expect(moved.candidates[0]?.landed).toBe(2);
  });

  test('makes void what stands beside it, with all on top', () => {
    const moved = afterLanding([urgent, ...three], 'u', 'p');
    expect(line(moved)).toBe('');
    expect(ids(moved.requeued)).toBe('abcdef');
    expect(ids(afterLanding([urgent, ...three], 'c1', 'a').requeued)).toBe('p');
  });

  test('of something that is not in the line makes everything void that stands elsewhere', () => {
    expect(ids(afterLanding(three, 'c9', 'elsewhere').requeued)).toBe('abcdef');
    expect(line(afterLanding(three, 'c9', 'base'))).toBe('c1 c2 c3');
  });
});

describe('whatever happens to a line', () => {
  const parts = fc.array(fc.integer({ min: 1, max: 4 }), { minLength: 1, maxLength: 5 });

  /** Candidates of so many branches each, one on the other. */
  function stacked(sizes: readonly number[]): readonly Candidate[] {
    const letters = 'abcdefghijklmnopqrstuvwxyz';
    let at = 0;
    let parent = 'base';
    return sizes.map((size, index) => {
      const made = candidate(`c${index + 1}`, parent, letters.slice(at, at + size));
      at += size;
      parent = headOf(made);
      return made;
    });
  }

  const entriesOf = (all: readonly Candidate[]): string =>
    ids(all.flatMap(({ entries, landed: gone }) => entries.slice(gone)));

  test('no branch is lost and none is there twice', () => {
    fc.assert(
      fc.property(parts, fc.nat(), fc.nat(), (sizes, which, some) => {
        const all = stacked(sizes);
        const one = all[which % all.length] ?? c1;
        const count = (some % one.entries.length) + 1;
        const prefix = one.prefixes[count - 1]?.commit ?? '';
        const first = [...entriesOf(all)].sort().join('');
        const outcomes = [withoutCandidate(all, one), markRed(all, one, count, red)];
        for (const { candidates: left, requeued: again } of outcomes) {
          expect([...entriesOf(left), ...ids(again)].sort().join('')).toBe(first);
        }
        const root = all[0] ?? c1;
        const part = (some % root.entries.length) + 1;
        const moved = afterLanding(all, 'c1', root.prefixes[part - 1]?.commit ?? prefix);
        expect(entriesOf(moved.candidates) + ids(moved.requeued)).toBe(first.slice(part));
      }),
    );
  });

  test('the one to blame is the first with which it is red, and only that one', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 8 }), fc.nat(), fc.nat(), (size, any, part) => {
        const [one = c1] = stacked([size]);
        const green = any % size;
        const gone = green === 0 ? 0 : part % (green + 1);
        const known = { ...one, green, landed: gone, red: { count: green + 1, failure: red } };
        const found = findBlame({ candidates: [known] });
        expect(found?.blamed?.entry).toEqual(one.entries[green]);
        expect(ids(found?.requeued ?? [])).toBe(ids(one.entries.slice(green + 1)));
        expect(entriesOf(found?.candidates ?? [])).toBe(ids(one.entries.slice(gone, green)));
      }),
    );
  });
});
