import { describe, expect, it } from 'vitest';
import { failures, logOf, owner, settings } from '../../test/report/fixtures.ts';
import type { EventBody } from '../model/event.ts';
import { plain } from '../report/format/style.ts';
import { EventContext, plainLines } from './progress.ts';

const started = (run: string, pid: number): EventBody => ({
  type: 'run-started',
  run,
  owner: { ...owner, pid },
  settings,
  base: 'b',
});
const begun = (run: string): EventBody => ({
  type: 'turn-started',
  run,
  id: 'a',
  attempt: 1,
  turn: 1,
  slot: 1,
});
const waits = (until: number, cause = 'dirty'): EventBody => ({
  type: 'landing-waits',
  run: 'mine',
  candidate: 'c1',
  failure: { ...failures['checkout-in-the-way'], cause },
  until,
});
const newsOf = (...events: EventBody[]): boolean[] => {
  const earlier = new EventContext();
  return logOf(...events).map((event) => earlier.isShown(event));
};

describe('what a run shows', () => {
  it('is its own events and the words of people, not the events of another run', () => {
    const decided: EventBody = { type: 'task-decided', id: 'a', decision: { kind: 'retry' } };
    const events = [
      started('theirs', process.pid + 1),
      started('mine', process.pid),
      begun('theirs'),
      begun('mine'),
      decided,
    ];
    expect(newsOf(...events)).toEqual([false, true, false, true, true]);
  });

  it('is a landing that waits once, and again when the reason is another', () => {
    const events = [started('mine', process.pid), waits(1), waits(2), waits(3, 'a lock'), waits(4)];
    expect(newsOf(...events)).toEqual([true, true, false, true, true]);
  });

  it('knows who rides on a candidate', () => {
    const earlier = new EventContext();
    const entries = [{ id: 'a', attempt: 1, commit: 'c' }];
    const of = { run: 'mine', candidate: 'c1', parent: 'p', commit: 'c', tree: 't', entries };
    const events = logOf(started('mine', process.pid), { type: 'candidate-built', ...of });
    for (const event of events) earlier.isShown(event);
    expect(earlier.entries('c1')).toEqual(entries);
    expect(earlier.entries('c2')).toEqual([]);
  });
});

it('a removal of worktrees that takes more than a second gets one line without a terminal', () => {
  const shown: string[] = [];
  const screen = {
    style: plain,
    width: 80,
    isTerminal: false,
    lines: (lines: readonly string[]) => void shown.push(...lines),
    json: () => {},
  };
  const progress = plainLines(screen);
  progress.removing({ all: 8, left: 7 }, 900);
  expect(shown).toEqual([]);
  progress.removing({ all: 8, left: 3 }, 1_100);
  progress.removing({ all: 8, left: 2 }, 1_300);
  expect(shown).toEqual(['Removing 8 worktrees, 3 left.']);
});
