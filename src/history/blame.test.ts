import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { anyLog } from '../../test/report/any-log.ts';
import { failures } from '../../test/report/failures.ts';
import { logOf } from '../../test/report/fixtures.ts';
import { attemptsIn, recordsOf } from '../../test/report/records-of.ts';
import type { EventBody } from '../model/event.ts';

const red = failures['gate-red'];
const built = (candidate: string, parent: string, tasks: readonly string[]): EventBody => ({
  type: 'candidate-built',
  run: 'r1',
  candidate,
  parent,
  commit: `${candidate}-${tasks.length}`,
  tree: 't',
  entries: tasks.map((id) => ({ id, attempt: 1, commit: `c-${id}` })),
  prefixes: tasks.map((_, at) => ({ commit: `${candidate}-${at + 1}`, tree: 't' })),
});
const judged = (candidate: string, count: number, green: boolean): EventBody => ({
  type: 'candidate-judged',
  run: 'r1',
  candidate,
  count,
  tree: 't',
  gate: 'g',
  verdict: green ? { id: 'passed', ms: 1 } : { id: 'failed', ms: 1, failure: red },
  cached: false,
});
const landed = (candidate: string, count: number): EventBody => ({
  type: 'landed',
  run: 'r1',
  candidate,
  commit: `${candidate}-${count}`,
  from: 'base',
  entries: [],
});
/** Task that is blamed at each event. */
const blamed = (...bodies: readonly EventBody[]): readonly string[] => {
  const { steps } = recordsOf(logOf(...bodies));
  const found = [...steps].flatMap(([task, all]) =>
    all.filter(({ what }) => what.type === 'blamed').map(({ at }) => ({ task, at })),
  );
  return bodies.map((_, place) =>
    found
      .filter(({ at }) => at === (place + 1) * 1000)
      .map(({ task }) => task)
      .join(),
  );
};

describe('who is to blame for a red candidate', () => {
  it('is the only branch in it', () => {
    expect(blamed(built('c1', 'base', ['a']), judged('c1', 1, false))).toEqual(['', 'a']);
  });

  it('is nobody yet while it could be either of two', () => {
    const story = [built('c1', 'base', ['a', 'b']), judged('c1', 2, false)];
    expect(blamed(...story)).toEqual(['', '']);
    expect(blamed(...story, judged('c1', 1, true))).toEqual(['', '', 'b']);
    expect(blamed(...story, judged('c1', 1, false))).toEqual(['', '', 'a']);
  });

  it('is found out for a candidate on another one only when that has landed', () => {
    const story = [
      built('c1', 'base', ['a']),
      built('c2', 'c1-1', ['b']),
      judged('c2', 1, false),
      judged('c1', 1, true),
    ];
    expect(blamed(...story, landed('c1', 1))).toEqual(['', '', '', '', 'b']);
  });

  it('is nobody where what it stood on falls out', () => {
    const story = [
      built('c1', 'base', ['a']),
      built('c2', 'c1-1', ['b']),
      judged('c2', 1, false),
      judged('c1', 1, false),
    ];
    expect(blamed(...story, landed('c1', 1))).toEqual(['', '', '', 'a', '']);
  });

  it.each([
    {
      type: 'candidate-dropped',
      run: 'r1',
      candidate: 'c1',
      reason: { id: 'target-moved', to: 'x' },
    },
    { type: 'delivered', run: 'r1', candidate: 'c1', how: 'pr', entries: [], branch: 'b' },
  ] as const)('is nobody for one that is gone by $type', (gone) => {
    const story = [built('c1', 'base', ['a']), gone, judged('c1', 1, false)];
    expect(blamed(...story)).toEqual(['', '', '']);
  });

  it('is nobody where the gate could not be run', () => {
    const { verdict: _verdict, ...rest } = judged('c1', 1, false) as Extract<
      EventBody,
      { type: 'candidate-judged' }
    >;
    const notRun = { id: 'not-run', failure: failures['gate-not-run'] } as const;
    expect(blamed(built('c1', 'base', ['a']), { ...rest, verdict: notRun })).toEqual(['', '']);
  });

  it('never throws, whatever the log', () => {
    fc.assert(
      fc.property(anyLog, (events) => {
        recordsOf(events);
      }),
    );
  });
});

describe('attempts in one candidate', () => {
  const turn = (id: string, number: number): EventBody[] => [
    { type: 'turn-started', run: 'r1', id, attempt: 1, turn: number, slot: 1 },
  ];
  it('come back only where they are to blame, and the others land', () => {
    const entries = [{ id: 'a', attempt: 1, commit: 'c-a' }];
    const stories = attemptsIn(
      logOf(
        ...turn('a', 1),
        ...turn('b', 1),
        built('c1', 'base', ['a', 'b']),
        judged('c1', 2, false),
        judged('c1', 1, true),
        { type: 'landed', run: 'r1', candidate: 'c1', commit: 'c1-1', from: 'base', entries },
      ),
    );
    expect(stories.map(({ task, turns }) => [task, turns[0]?.outcome])).toEqual([
      ['a', 'landed'],
      ['b', 'returned'],
    ]);
  });
});
