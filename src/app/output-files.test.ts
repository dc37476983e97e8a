import { describe, expect, it } from 'vitest';
import { logOf } from '../../test/report/fixtures.ts';
import { attemptsIn } from '../../test/report/records-of.ts';
import type { AttemptEvent, EventBody } from '../model/event.ts';
import type { AttemptRecord } from '../model/history.ts';
import { gateOf, type OutputKind, printedFiles } from './output-files.ts';

/** Record of the attempt after these events. */
const recordOf = (...events: readonly EventBody[]): Pick<AttemptRecord, 'turns' | 'calls'> =>
  attemptsIn(logOf(...events))[0] ?? { turns: [], calls: [] };

const of = { run: 'r', id: 'a', attempt: 1 } as const;
const turn = (number: number): AttemptEvent => ({
  type: 'turn-started',
  ...of,
  turn: number,
  slot: 1,
});
const review = (round: number, reviewer = 'reader'): AttemptEvent => ({
  type: 'call-started',
  ...of,
  call: { kind: 'review', round, agent: reviewer, again: 1 },
  slot: 1,
});
const critique = (round: number, kind: 'critique' | 'improve' = 'critique'): AttemptEvent => ({
  type: 'call-started',
  ...of,
  call: { kind, round, agent: 'reader', again: 1 },
  slot: 1,
});

const pair = (name: string): string[] => [`${name}.out`, `${name}.err`];
const events = [critique(1), critique(1, 'improve'), turn(1), review(1), turn(2), review(2)];
const names = [
  'attempt.json',
  ...pair('critique-1'),
  ...pair('improve-1'),
  ...pair('turn-1'),
  'turn-1.prompt.md',
  'gate-1.out',
  ...pair('review-1-reader'),
  'review-1-reader.json',
  ...pair('turn-2'),
  'gate-2.out',
  ...pair('review-2-reader'),
];
const shown = (filter: { shows?: OutputKind; turn?: number } = {}) =>
  printedFiles(names, recordOf(...events), { shows: 'newest', ...filter });

describe('what is shown of the files of an attempt', () => {
  it('is what was started last, whoever that is', () => {
    expect(shown()).toEqual(pair('review-2-reader'));
    expect(printedFiles(names, recordOf(...events.slice(0, 5)), { shows: 'newest' })).toEqual(
      pair('turn-2'),
    );
    expect(printedFiles(names, recordOf(...events.slice(0, 2)), { shows: 'newest' })).toEqual(
      pair('improve-1'),
    );
  });

  it('is not a gate unless one is asked for', () => {
    expect(shown({ shows: 'gate' })).toEqual(['gate-2.out']);
    expect(shown({ shows: 'gate', turn: 1 })).toEqual(['gate-1.out']);
  });

  it('is a turn of its agent where a number alone is given', () => {
    expect(shown({ turn: 1 })).toEqual(pair('turn-1'));
    expect(shown({ turn: 3 })).toEqual([]);
  });

  it('is the newest round of the reviewers, or the one asked for', () => {
    expect(shown({ shows: 'review' })).toEqual(pair('review-2-reader'));
    expect(shown({ shows: 'review', turn: 1 })).toEqual(pair('review-1-reader'));
  });

  it('is what was said of the task and how it was put better, in this order', () => {
    expect(shown({ shows: 'critique' })).toEqual([
      'critique-1.out',
      'improve-1.out',
      'critique-1.err',
      'improve-1.err',
    ]);
    expect(shown({ shows: 'critique', turn: 2 })).toEqual([]);
  });

  it('is all of a round: every reviewer, and every try of theirs', () => {
    const files = ['review-1-b.out', 'review-1-a-again1.out', 'review-1-a.out', 'review-10-a.out'];
    expect(
      printedFiles(files, recordOf(review(1, 'a'), review(1, 'b')), { shows: 'newest' }),
    ).toEqual(['review-1-a-again1.out', 'review-1-a.out', 'review-1-b.out']);
  });

  it('is what there is while whoever was started last has no file yet', () => {
    const early = names.filter((name) => !name.startsWith('review-2'));
    expect(printedFiles(early, recordOf(...events), { shows: 'newest' })).toEqual(pair('turn-2'));
    expect(printedFiles([], recordOf(...events), { shows: 'newest' })).toEqual([]);
  });

  it('is found without a record of what was started', () => {
    expect(printedFiles(names, recordOf(), { shows: 'newest' })).toEqual(pair('turn-2'));
    expect(printedFiles(names, recordOf(), { shows: 'review' })).toEqual(pair('review-2-reader'));
  });
});

describe('gate runs in the merge queue', () => {
  const built = (candidate: string, ...ids: readonly string[]): EventBody => ({
    type: 'candidate-built',
    run: 'r',
    candidate,
    parent: 'p',
    commit: 'c',
    tree: 't',
    entries: ids.map((id) => ({ id, attempt: 1, commit: 'c' })),
  });
  const gate = (candidate: string, count: number): EventBody => ({
    type: 'gate-started',
    run: 'r',
    candidate,
    count,
    commit: 'c',
    tree: 't',
    slot: 0,
    tasks: [],
  });

  it('are those that the work of the attempt was part of, with the turn they came after', () => {
    const story = [
      turn(1),
      built('c1', 'z', 'a', 'b'),
      gate('c1', 3),
      gate('c1', 1),
      gate('c1', 2),
      built('c2', 'x'),
      gate('c2', 1),
      turn(2),
      built('c3', 'a'),
      gate('c3', 1),
    ];
    const record = attemptsIn(logOf(...story)).find(({ task }) => task === 'a');
    const gates = record?.prefixes.flatMap(({ candidate, gates: all }) =>
      all.map((one) => ({ candidate, ...one })),
    );
    expect(gates).toEqual([
      { turn: 1, candidate: 'c1', count: 3 },
      { turn: 1, candidate: 'c1', count: 2 },
      { turn: 2, candidate: 'c3', count: 1 },
    ]);
  });

  it('are told from gates of the attempt itself by their names', () => {
    expect(gateOf('/runs/r/attempts/gate-7-x/gate-12-1.out')).toBe(12);
    expect(gateOf('turn-1.out')).toBe(0);
  });
});
