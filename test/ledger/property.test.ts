// Whatever attempts make, and however they end, all of it is accounted for; and whatever is then taken away is missed.

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { branchOf, keepRef } from '../../src/model/branch.ts';
import { isBalanced, type LedgerEntry } from '../../src/model/ledger-entry.ts';
import { need } from '../rig/need.ts';
import { type Style, Tale } from './story.ts';

const attempt = fc.record({
  captures: fc.integer({ min: 0, max: 3 }),
  end: fc.constantFrom('lands' as const, 'fails' as const, 'waits' as const),
});
const story = fc.record({
  style: fc.constantFrom<Style>('merge', 'squash', 'rebase'),
  tasks: fc.array(fc.array(attempt, { minLength: 1, maxLength: 3 }), {
    minLength: 1,
    maxLength: 4,
  }),
});
type Told = typeof story extends fc.Arbitrary<infer T> ? T : never;

interface Outcome {
  readonly task: string;
  readonly attempt: number;
  readonly end: 'lands' | 'fails' | 'waits';
  readonly commits: readonly string[];
}

/** Plays a story; only the last attempt at a task may land or wait. */
async function play({ style, tasks }: Told): Promise<{ tale: Tale; outcomes: Outcome[] }> {
  const tale = new Tale().start({ train: { batch: 1, style } });
  const outcomes: Outcome[] = [];
  for (const [index, attempts] of tasks.entries()) {
    const task = `t${index}`;
    for (const [at, { captures, end: wish }] of attempts.entries()) {
      const number = at + 1;
      const end = at === attempts.length - 1 ? wish : 'fails';
      tale.begins(task, number);
      const commits: string[] = [];
      for (let n = 0; n < captures; n += 1) commits.push(await tale.captures(task, number));
      const last = commits.at(-1);
      if (end === 'fails') await tale.fails(task, number);
      if (end === 'lands' && last !== undefined) await tale.lands(task, number, last, style);
      outcomes.push({ task, attempt: number, end, commits });
    }
  }
  return { tale, outcomes };
}

const ledger = async (tale: Tale): Promise<readonly LedgerEntry[]> => need(await tale.account());

test('every commit has exactly one entry, in its own place, and nothing is lost', async () => {
  await fc.assert(
    fc.asyncProperty(story, async (told) => {
      const { tale, outcomes } = await play(told);
      const entries = await ledger(tale);
      expect(entries.map(({ commit }) => commit)).toEqual(outcomes.flatMap((one) => one.commits));
      expect(isBalanced(entries)).toBe(true);
      const newest = { lands: 'landed', fails: 'returned', waits: 'waiting' } as const;
      for (const { task, attempt: number, end, commits } of outcomes) {
        const own = entries.filter((entry) => entry.task === task && entry.attempt === number);
        const fates = own.map(({ fate }) => fate.id);
        const before = commits.slice(1).map(() => 'superseded');
        expect(fates).toEqual(commits.length === 0 ? [] : [...before, newest[end]]);
      }
    }),
    { numRuns: 60 },
  );
});

test('work whose refs are taken away is missed, and only that', async () => {
  await fc.assert(
    fc.asyncProperty(story, fc.nat(), async (told, pick) => {
      const { tale, outcomes } = await play(told);
      const held = outcomes.filter(({ end, commits }) => end !== 'lands' && commits.length > 0);
      const victim = held[pick % Math.max(1, held.length)];
      if (victim === undefined) return;
      await tale.drop(`refs/heads/${branchOf(tale.run, victim.task, victim.attempt)}`);
      await tale.drop(keepRef(tale.run, victim.task, victim.attempt));
      const landedLater = outcomes.some(
        ({ task, end, commits }) => task === victim.task && end === 'lands' && commits.length > 0,
      );
      const entries = await ledger(tale);
      expect(isBalanced(entries)).toBe(landedLater);
      const lost = entries.filter(({ fate }) => fate.id === 'lost').map(({ commit }) => commit);
      expect(lost).toEqual(landedLater ? [] : victim.commits);
    }),
    { numRuns: 60 },
  );
});

test('a target that is set back has dropped all that had landed since, and only that', async () => {
  await fc.assert(
    fc.asyncProperty(story, async (told) => {
      const { tale } = await play(told);
      const start = await tale.git.resolve('refs/heads/main');
      const first = tale.events.find((event) => event.type === 'landed');
      if (first?.type !== 'landed' || start === undefined) return;
      await tale.move('refs/heads/main', first.from);
      const entries = await ledger(tale);
      const last = entries.filter(
        ({ task, attempt: number }, at) =>
          !entries.slice(at + 1).some((one) => one.task === task && one.attempt === number),
      );
      for (const { fate, attempt: number, task } of last) {
        const landed = tale.events.some(
          (event) =>
            event.type === 'landed' &&
            event.entries.some((entry) => entry.id === task && entry.attempt === number),
        );
        expect(fate.id === 'dropped').toBe(landed);
      }
      expect(isBalanced(entries)).toBe(true);
    }),
    { numRuns: 40 },
  );
});
