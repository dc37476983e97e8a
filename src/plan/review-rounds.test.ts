import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Finding } from '../model/finding.ts';
import type { ReviewRound } from '../model/review.ts';
import { findingKey, roundsOutcome } from './fold-review.ts';

const finding = (id: string, more: Partial<Finding> = {}): Finding => ({
  id,
  severity: 'major',
  text: 'Wrong.',
  ...more,
});

/** A vote of one reviewer: approved where it found nothing. */
const vote = (reviewer: string, ...ids: string[]): ReviewRound['votes'][number] => ({
  reviewer,
  verdict: ids.length === 0 ? 'approved' : 'needs-changes',
  findings: ids.map((id) => finding(id)),
});

const round = (number: number, ...votes: ReviewRound['votes']): ReviewRound => ({
  round: number,
  commit: `c${number}`,
  votes,
});

/** One reviewer; each string is what it found in a round, one letter each. */
const story = (...rounds: string[]): ReviewRound[] =>
  rounds.map((ids, at) => round(at + 1, vote('one', ...ids)));

const one = { rounds: 5, reviewers: ['one'] };
const two = { rounds: 3, reviewers: ['one', 'two'] };

describe('rounds of review', () => {
  it('are unfinished before the first review', () => {
    expect(roundsOutcome([], one)).toBe('unfinished');
    expect(roundsOutcome([round(1)], one)).toBe('unfinished');
  });

  it('are approved without reviewers', () => {
    expect(roundsOutcome([], { rounds: 3, reviewers: [] })).toBe('approved');
  });

  it('end when all reviewers approve the newest state', () => {
    expect(roundsOutcome([round(1, vote('one'), vote('two'))], two)).toBe('approved');
    expect(roundsOutcome(story('a', ''), one)).toBe('approved');
  });

  it('run all reviewers, even after one requests changes', () => {
    expect(roundsOutcome([round(1, vote('one', 'a'))], two)).toBe('unfinished');
    expect(roundsOutcome([round(1, vote('two'))], two)).toBe('unfinished');
    expect(roundsOutcome([round(1, vote('one', 'a'), vote('two'))], two)).toBe('changes');
  });

  it('ignore approvals of an earlier state', () => {
    const rounds = [round(1, vote('one', 'a'), vote('two')), round(2, vote('one'))];
    expect(roundsOutcome(rounds, two)).toBe('unfinished');
  });

  it('end at the limit, but never as approved', () => {
    expect(roundsOutcome(story('a', 'b', 'c'), { ...one, rounds: 3 })).toBe('limit');
    expect(roundsOutcome(story('a'), { ...one, rounds: 1 })).toBe('limit');
    expect(roundsOutcome(story('a', 'b', ''), { ...one, rounds: 3 })).toBe('approved');
  });

  it('oscillate if a fixed finding returns', () => {
    expect(roundsOutcome(story('a', 'b', 'a'), one)).toBe('oscillates');
    expect(roundsOutcome(story('ab', 'c', 'd', 'ba'), one)).toBe('oscillates');
    expect(roundsOutcome(story('a', 'b', 'a'), { ...one, rounds: 3 })).toBe('oscillates');
  });

  it('oscillate if nothing is fixed', () => {
    expect(roundsOutcome(story('a', 'a'), one)).toBe('changes');
    expect(roundsOutcome(story('a', 'a', 'a'), one)).toBe('oscillates');
  });

  it('make progress while the findings change', () => {
    expect(roundsOutcome(story('ab', 'b', 'a'), one)).toBe('changes');
    expect(roundsOutcome(story('a', 'b', 'ab'), one)).toBe('changes');
    expect(roundsOutcome(story('a', 'b', 'c', 'd'), one)).toBe('changes');
  });

  it('compare requested changes of any reviewer, but not remarks', () => {
    const said = { ...vote('two'), findings: [finding('z', { severity: 'note' })] };
    const rounds = [
      round(1, vote('one', 'a'), vote('two')),
      round(2, vote('one', 'b'), vote('two')),
      round(3, said, vote('one', 'a')),
    ];
    expect(roundsOutcome(rounds, { ...two, rounds: 9 })).toBe('oscillates');
  });

  it('do not oscillate without findings', () => {
    const empty = { reviewer: 'one', verdict: 'needs-changes', findings: [] } as const;
    const rounds = [round(1, empty), round(2, empty), round(3, empty)];
    expect(roundsOutcome(rounds, one)).toBe('changes');
  });

  it('need the approval of every voter, also of an unlisted one', () => {
    expect(roundsOutcome([round(1, vote('one'), vote('guest', 'a'))], one)).toBe('changes');
  });
});

describe('a finding', () => {
  it('is identified by id and file, not by line, severity or text', () => {
    const first = finding('a', { file: 'x.ts', line: 3 });
    const again = finding('a', { file: 'x.ts', line: 9, severity: 'minor', text: 'Still.' });
    expect(findingKey(again)).toBe(findingKey(first));
    expect(findingKey(finding('a', { file: 'y.ts' }))).not.toBe(findingKey(first));
    expect(findingKey(finding('a'))).not.toBe(findingKey(first));
  });
});

describe('any rounds', () => {
  const ids = fc.uniqueArray(fc.constantFrom('a', 'b', 'c'), { maxLength: 3 });
  const reviewers = ['one', 'two'];
  const votes = fc
    .tuple(fc.subarray(reviewers), fc.array(ids, { minLength: 2, maxLength: 2 }))
    .map(([who, found]) => who.map((name, at) => vote(name, ...(found[at] ?? []))));
  const rounds = fc
    .array(votes, { maxLength: 6 })
    .map((all) => all.map((some, at) => round(at + 1, ...some)));
  const most = fc.integer({ min: 1, max: 6 });

  it('are approved exactly if all approve the newest state', () => {
    fc.assert(
      fc.property(rounds, most, (all, limit) => {
        const newest = all.at(-1)?.votes ?? [];
        const unanimous = newest.length === 2 && newest.every((one) => one.findings.length === 0);
        const outcome = roundsOutcome(all, { rounds: limit, reviewers });
        expect(outcome === 'approved').toBe(unanimous);
      }),
    );
  });

  it('are unfinished exactly while a vote is missing', () => {
    fc.assert(
      fc.property(rounds, most, (all, limit) => {
        const outcome = roundsOutcome(all, { rounds: limit, reviewers });
        expect(outcome === 'unfinished').toBe((all.at(-1)?.votes.length ?? 0) < 2);
      }),
    );
  });

  it('never request changes at or after the limit, in any order', () => {
    fc.assert(
      fc.property(rounds, most, (all, limit) => {
        const settings = { rounds: limit, reviewers };
        const outcome = roundsOutcome(all, settings);
        if (all.length >= limit) expect(outcome).not.toBe('changes');
        else expect(outcome).not.toBe('limit');
        expect(roundsOutcome(all.toReversed(), settings)).toBe(outcome);
      }),
    );
  });

  it('with the same findings each time end within three', () => {
    fc.assert(
      fc.property(fc.uniqueArray(fc.constantFrom('a', 'b', 'c'), { minLength: 1 }), (found) => {
        const same = story(found.join(''), found.join(''), found.toReversed().join(''));
        expect(roundsOutcome(same, one)).toBe('oscillates');
      }),
    );
  });
});
