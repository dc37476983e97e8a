import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { failures } from '../../../test/report/failures.ts';
import { aCandidate, anAttempt, aRecord, aRun, endedPhase } from '../../../test/report/fixtures.ts';
import { viewed } from '../../../test/report/viewed.ts';
import { plain } from '../format/style.ts';
import { widthOf } from '../format/width.ts';
import { statusText } from '../status/status.ts';
import { trainLines } from '../status/train.ts';
import { candidateViews, gateViews, trainViews } from './train.ts';

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
      behind,
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
const run = aRun({
  train: {
    candidates: [first, second],
    runningGates: [gate('c1', 2, 2), gate('gone', 1, 1)],
  },
});
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
    expect(views[5]).not.toMatchObject({ behind: expect.anything() });
  });

  it('are queued where their candidate is gone', () => {
    const [view] = trainViews([riding('a', 'c9')], run, 9999);
    expect(view).toMatchObject({ state: 'queued' });
    expect(view).not.toHaveProperty('candidate');
  });
});

describe('the line of candidates', () => {
  it('has their branches, what they stand on, and the gates that judge them', () => {
    const [one, two] = candidateViews(run, 9999);
    expect(one).toMatchObject({
      id: 'c1',
      state: 'judging',
      entries: [
        { task: 'a', attempt: 1 },
        { task: 'b', attempt: 1 },
        { task: 'c', attempt: 1 },
      ],
      green: 1,
      red: 3,
      gates: [{ slot: 2, count: 2, since: 2000 }],
    });
    expect(one?.on).toBeUndefined();
    expect(two).toMatchObject({ id: 'c2', on: 'c1', gates: [], state: 'landing' });
  });

  it('shows nothing as under way once the run has ended', () => {
    const green = { ...first, green: 3, state: { id: 'passed' } as const };
    const ended = aRun({ train: { candidates: [green] }, phase: endedPhase(9) });
    expect(candidateViews(ended, 10)).toMatchObject([
      { state: 'waiting', waits: 'green; lands when the run is resumed' },
    ]);
    expect(trainViews([riding('a', 'c1')], ended, 10)).toMatchObject([{ state: 'waiting' }]);
  });

  it('leaves out the branches that have landed', () => {
    const [one] = candidateViews(aRun({ train: { candidates: [{ ...first, landed: 1 }] } }), 0);
    expect(one?.entries.map(({ task }) => task)).toEqual(['b', 'c']);
  });

  it('lists gates by slot, also those that nobody needs any more', () => {
    expect(gateViews(run, 9999).map(({ slot, candidate }) => [slot, candidate])).toEqual([
      [1, 'gone'],
      [2, 'c1'],
    ]);
  });

  it.each([
    ['waits for a gate', {}, []],
    ['gate 1', {}, [gate('c1', 3, 0)]],
    ['gate 1, gate 2 up to b', {}, [gate('c1', 2, 1), gate('c1', 3, 0)]],
    [
      'red because of b or c; gate 2 up to b',
      { green: 1, red: { count: 3, failure: failures['gate-red'] } },
      [gate('c1', 2, 1)],
    ],
    ['red; waits for a gate', { red: { count: 3, failure: failures['gate-red'] } }, []],
    ['green, lands now', { green: 3, state: { id: 'passed' } }, []],
    [
      'green; the target cannot be moved right now',
      {
        green: 3,
        state: { id: 'waiting', failure: failures['checkout-in-the-way'], since: 0, until: 1 },
      },
      [],
    ],
  ] as const)('says what a candidate waits for: %s', (waits, more, gates) => {
    const line = [aCandidate('c1', ['a', 'b', 'c'], more)];
    expect(
      candidateViews(aRun({ train: { candidates: line, runningGates: gates } }), 9999)[0]?.waits,
    ).toBe(waits);
  });

  it('names those of whom one is to blame, and waits for what is below', () => {
    const red = { count: 5, failure: failures['gate-red'] };
    const many = aCandidate('c1', ['a', 'b', 'c', 'd', 'e', 'f'], { red, green: 1 });
    expect(candidateViews(aRun({ train: { candidates: [many] } }), 0)[0]).toMatchObject({
      suspects: ['b', 'c', 'd', 'e'],
      waits: 'red; waits for a gate',
    });
    const above = { ...aCandidate('c2', ['f'], { red: { ...red, count: 1 } }) };
    const below = aCandidate('c1', ['a']);
    const parent = below.prefixes.at(-1)?.commit ?? below.commit;
    expect(
      candidateViews(aRun({ train: { candidates: [below, { ...above, parent }] } }), 0)[1]?.waits,
    ).toBe('red because of f; waits for c1');
  });

  it('says that a green one waits for the one below it', () => {
    expect(candidateViews(run, 0)[1]?.waits).toBe('green, waits for c1');
  });

  it('is part of the view while there is one, and gates only while the run goes on', () => {
    const view = viewed(records, run, 9999);
    expect(view.candidates).toHaveLength(2);
    expect(view.gates).toHaveLength(2);
    const over = viewed(records, { ...run, phase: endedPhase(5) }, 9999);
    expect(over.candidates).toHaveLength(2);
    expect(over.gates).toEqual([]);
    expect(viewed([], aRun(), 0).candidates).toEqual([]);
  });
});

describe('the train on the screen', () => {
  it('says of each candidate once what happens to it', () => {
    const view = viewed(records, run, 9999);
    expect(`\n${trainLines(view, 9999, plain, 90).join('\n')}\n`).toMatchInlineSnapshot(`
      "
      c1  judging  7 s  3 branches  c1-c     red because of b or c; gate 3 up to b
        └─ ✓ a, ? b, ? c
      c2  landing  8 s  d           ccccccc  green, waits for c1
          queued   5 s  soon        ccccccc  does not merge with c1, waits until it is done
          queued   4 s  later       ccccccc
      "
    `);
  });

  it('does not tell of the only candidate more than a person wants to know', () => {
    const alone = aRun({ train: { candidates: [aCandidate('c1', ['a'])] } });
    expect(trainLines(viewed([riding('a', 'c1')], alone, 9999), 9999, plain, 90)[0]).toMatch(
      /ccccccc$/,
    );
    const judged = { ...alone, gates: [gate('c1', 1, 0)] };
    expect(trainLines(viewed([riding('a', 'c1')], judged, 9999), 9999, plain, 90)[0]).toMatch(
      /ccccccc$/,
    );
    const green = aRun({
      train: { candidates: [aCandidate('c1', ['a'], { green: 1, state: { id: 'passed' } })] },
    });
    expect(trainLines(viewed([riding('a', 'c1')], green, 9999), 9999, plain, 90)[0]).toMatch(
      /ccccccc {2}green, lands now$/,
    );
  });

  it('marks a candidate that goes past the others', () => {
    const urgent = aCandidate('c3', ['a'], { urgent: true });
    const view = viewed(
      [riding('a', 'c3')],
      aRun({ train: { candidates: [urgent, second] } }),
      9999,
    );
    expect(view.candidates[0]?.urgent).toBe(true);
    expect(trainLines(view, 9999, plain, 90)[0]).toMatch(/^c3 .* urgent; waits for a gate$/);
  });

  it('names all branches of a candidate, in two lines at most, and counts the rest of the queue', () => {
    const names = Array.from({ length: 30 }, (_, at) => `a-task-${at + 1}`);
    const line = [aCandidate('c1', names, { green: 2, landed: 1 })];
    const view = viewed(
      names.slice(1).map((id) => riding(id, 'c1')),
      aRun({ train: { candidates: line } }),
      9999,
    );
    const lines = trainLines(view, 9999, plain, 60);
    expect(lines).toHaveLength(3);
    expect(lines[0]).toMatch(/^c1 {2}judging .* 29 branches/);
    expect(lines[1]).toMatch(/^ {2}└─ ✓ a-task-2, a-task-3, a-task-4,/);
    expect(lines[2]).toMatch(/^ {5}a-task-.*…$/);
    const queue = Array.from({ length: 12 }, (_, at) =>
      aRecord(`q${at}`, undefined, {
        attempt: anAttempt({ id: 'queued', commit: 'c', tree: 't', since: 1 }),
      }),
    );
    expect(trainLines(viewed(queue, aRun(), 9), 9, plain, 60).at(-1)).toBe('and 4 more');
  });

  it('is never wider than the screen, whatever the names', () => {
    const name = fc.string({ minLength: 1, maxLength: 60 });
    const entries = fc.uniqueArray(name, { minLength: 1, maxLength: 6 });
    fc.assert(
      fc.property(entries, fc.integer({ min: 1, max: 120 }), (ids, width) => {
        const line = [aCandidate('c1', ids)];
        const view = viewed(
          ids.map((id) => riding(id, 'c1')),
          aRun({ train: { candidates: line } }),
          9999,
        );
        for (const text of trainLines(view, 9999, plain, width)) {
          expect(widthOf(text)).toBeLessThanOrEqual(width);
        }
      }),
    );
  });

  it('stands in the status', () => {
    const text = statusText(viewed(records, run, 9999), { now: 9999 }, plain, 90).join('\n');
    expect(text).toContain('does not merge with c1, waits until it is done');
  });
});
