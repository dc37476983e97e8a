import { describe, expect, it } from 'vitest';
import { aCandidate, anAttempt, aRecord, aRun, failures } from '../../test/report/fixtures.ts';
import { plain } from './style.ts';
import { statusText, trainLines } from './text.ts';
import { gateViews, lineViews, trainViews } from './trainview.ts';
import { viewOf } from './view.ts';

const commit = 'c'.repeat(40);
const tree = 'f'.repeat(40);
const riding = (id: string, candidate: string, since = 1000) =>
  aRecord(id, undefined, {
    attempt: anAttempt({ id: 'landing', commit, tree, since, candidate }),
  });
const queued = (id: string, since: number, behind?: string) =>
  aRecord(id, undefined, {
    attempt: anAttempt({
      id: 'queued',
      commit,
      tree,
      since,
      ...(behind === undefined ? {} : { behind }),
    }),
  });
const gate = (candidate: string, count: number, slot: number) => ({
  candidate,
  count,
  commit,
  tree,
  slot,
  tasks: ['a'],
  since: 2000,
});

const first = aCandidate('c1', ['a', 'b', 'c'], {
  green: 1,
  red: { count: 3, failure: failures['gate-red'] },
});
const second = aCandidate('c2', ['d'], { parent: 'c1-c', state: { id: 'passed' }, green: 1 });
const run = aRun({ line: [first, second], gates: [gate('c1', 2, 2), gate('gone', 1, 1)] });
const records = [
  queued('later', 5000),
  riding('d', 'c2'),
  queued('soon', 4000, 'c1'),
  riding('c', 'c1'),
  riding('b', 'c1'),
  riding('a', 'c1'),
];

describe('the branches on the train', () => {
  it('come in the order of the line, then of the queue', () => {
    expect(trainViews(records, run, 9999).map(({ task, state }) => [task, state])).toEqual([
      ['a', 'landing'],
      ['b', 'judging'],
      ['c', 'judging'],
      ['d', 'landing'],
      ['soon', 'queued'],
      ['later', 'queued'],
    ]);
  });

  it('say which candidate they are in, or behind', () => {
    const views = trainViews(records, run, 9999);
    expect(views[3]).toMatchObject({ task: 'd', candidate: 'c2' });
    expect(views[4]).toMatchObject({ task: 'soon', behind: 'c1' });
    expect(views[5]).not.toHaveProperty('behind');
  });

  it('are queued where their candidate is gone', () => {
    const [view] = trainViews([riding('a', 'c9')], run, 9999);
    expect(view).toMatchObject({ state: 'queued' });
    expect(view).not.toHaveProperty('candidate');
  });
});

describe('the line of candidates', () => {
  it('has their cars, what they stand on, and the gates that judge them', () => {
    const [one, two] = lineViews(run, 9999);
    expect(one).toMatchObject({
      id: 'c1',
      state: 'judging',
      cars: [
        { task: 'a', attempt: 1 },
        { task: 'b', attempt: 1 },
        { task: 'c', attempt: 1 },
      ],
      green: 1,
      red: 3,
      gates: [{ slot: 2, count: 2, since: '1970-01-01T00:00:02.000Z' }],
    });
    expect(one).not.toHaveProperty('on');
    expect(two).toMatchObject({ id: 'c2', on: 'c1', gates: [], state: 'landing' });
  });

  it('leaves out the cars that have landed', () => {
    const [one] = lineViews(aRun({ line: [{ ...first, gone: 1 }] }), 0);
    expect(one?.cars.map(({ task }) => task)).toEqual(['b', 'c']);
  });

  it('lists gates by slot, also those that nobody needs any more', () => {
    expect(gateViews(run, 9999).map(({ slot, candidate }) => [slot, candidate])).toEqual([
      [1, 'gone'],
      [2, 'c1'],
    ]);
  });

  it.each([
    ['waits for a gate', {}, []],
    ['gate 1', {}, [gate('c1', 3, 1)]],
    ['gate 1, gate 2 on the first 2', {}, [gate('c1', 2, 2), gate('c1', 3, 1)]],
    [
      'red with 3, green with 1; gate 2 on the first 2',
      { green: 1, red: { count: 3, failure: failures['gate-red'] } },
      [gate('c1', 2, 2)],
    ],
    ['green, lands now', { green: 3, state: { id: 'passed' } }, []],
    [
      'green; the target cannot be moved just now',
      {
        green: 3,
        state: { id: 'waiting', failure: failures['checkout-in-the-way'], since: 0, until: 1 },
      },
      [],
    ],
  ] as const)('says what a candidate waits for: %s', (waits, more, gates) => {
    const line = [aCandidate('c1', ['a', 'b', 'c'], more)];
    expect(lineViews(aRun({ line, gates }), 9999)[0]?.waits).toBe(waits);
  });

  it('says that a green one waits for the one below it', () => {
    expect(lineViews(run, 0)[1]?.waits).toBe('green, waits for c1');
  });

  it('is part of the view while there is one, and gates only while the run goes on', () => {
    const view = viewOf(records, run, 9999);
    expect(view.line).toHaveLength(2);
    expect(view.gates).toHaveLength(2);
    const over = viewOf(records, { ...run, endedAt: 5 }, 9999);
    expect(over.line).toHaveLength(2);
    expect(over).not.toHaveProperty('gates');
    expect(viewOf([], aRun(), 0)).not.toHaveProperty('line');
  });
});

describe('the train on the screen', () => {
  it('says of each candidate once what happens to it', () => {
    const view = viewOf(records, run, 9999);
    expect(`\n${trainLines(view, 9999, plain, 90).join('\n')}\n`).toMatchInlineSnapshot(`
      "
      1  landing  8 s  a      ccccccc  c1 of 3: red with 3, green with 1; gate 2 on the first 2
      2  judging  8 s  b      ccccccc
      3  judging  8 s  c      ccccccc
      4  landing  8 s  d      ccccccc  c2: green, waits for c1
      5  queued   5 s  soon   ccccccc  does not merge with c1, waits for its end
      6  queued   4 s  later  ccccccc
      "
    `);
  });

  it('does not tell of the only candidate more than a person wants to know', () => {
    const alone = aRun({ line: [aCandidate('c1', ['a'])] });
    expect(trainLines(viewOf([riding('a', 'c1')], alone, 9999), 9999, plain, 90)[0]).toMatch(
      /ccccccc$/,
    );
    const judged = { ...alone, gates: [gate('c1', 1, 1)] };
    expect(trainLines(viewOf([riding('a', 'c1')], judged, 9999), 9999, plain, 90)[0]).toMatch(
      /ccccccc {2}gate 1$/,
    );
  });

  it('marks a candidate that goes past the others', () => {
    const urgent = aCandidate('c3', ['a'], { urgent: true });
    const view = viewOf([riding('a', 'c3')], aRun({ line: [urgent, second] }), 9999);
    expect(view.line?.[0]?.urgent).toBe(true);
    expect(trainLines(view, 9999, plain, 90)[0]).toContain('c3, urgent: waits for a gate');
  });

  it('stands in the status', () => {
    const text = statusText(viewOf(records, run, 9999), { now: 9999 }, plain, 90).join('\n');
    expect(text).toContain('does not merge with c1, waits for its end');
  });
});
