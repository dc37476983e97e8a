import { describe, expect, it } from 'vitest';
import { failures } from '../../test/report/failures.ts';
import { logOf, owner, settings } from '../../test/report/fixtures.ts';
import type { EventBody } from '../model/event.ts';
import { State } from '../plan/state.ts';
import { RunSteps, Stream } from './run-steps.ts';

const started = (run: string): EventBody => ({
  type: 'run-started',
  run,
  owner,
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
const steps = (): RunSteps => new RunSteps('mine', new State(() => true));
const newsOf = (...events: EventBody[]): boolean[] => {
  const earlier = steps();
  return logOf(...events).map((event) => earlier.of(event)?.isRepeated === false);
};

describe('what a run shows', () => {
  it('is its own events and the words of people, not the events of another run', () => {
    const decided: EventBody = { type: 'task-decided', id: 'a', decision: { kind: 'retry' } };
    const events = [started('theirs'), started('mine'), begun('theirs'), begun('mine'), decided];
    expect(newsOf(...events)).toEqual([false, true, false, true, true]);
  });

  it('is a landing that waits once, and again when the reason is another', () => {
    const events = [started('mine'), waits(1), waits(2), waits(3, 'a lock'), waits(4)];
    expect(newsOf(...events)).toEqual([true, true, false, true, true]);
  });

  it('is a branch that waits once, also if it is built into another candidate', () => {
    const entries = [{ id: 'a', attempt: 1, commit: 'c' }];
    const of = { run: 'mine', parent: 'p', commit: 'c', tree: 't', entries };
    const built = (candidate: string): EventBody => ({ type: 'candidate-built', candidate, ...of });
    const again = { ...waits(2), candidate: 'c2' } as EventBody;
    expect(newsOf(built('c1'), waits(1), built('c2'), again)).toEqual([true, true, true, false]);
  });

  it('knows the branches of the newest candidates, however many there were', () => {
    const earlier = steps();
    const waiting = { run: 'mine', until: 1, failure: failures['checkout-in-the-way'] };
    const of = { run: 'mine', parent: 'p', commit: 'c', tree: 't' };
    for (let n = 1; n <= 150; n += 1) {
      const entries = [{ id: `t${n}`, attempt: 1, commit: 'c' }];
      const told = logOf(
        { type: 'candidate-built', candidate: `c${n}`, entries, ...of },
        { type: 'landing-waits', candidate: `c${n - 1}`, ...waiting },
      ).map((event) => earlier.of(event)?.entries);
      expect(told[1]).toHaveLength(n === 1 ? 0 : 1);
    }
  });

  it('knows the branches of a candidate', () => {
    const earlier = steps();
    const entries = [{ id: 'a', attempt: 1, commit: 'c' }];
    const of = { run: 'mine', candidate: 'c1', parent: 'p', commit: 'c', tree: 't', entries };
    const events = logOf(started('mine'), { type: 'candidate-built', ...of });
    const about = { run: 'mine', until: 1, failure: failures['checkout-in-the-way'] };
    const later = logOf(
      { type: 'landing-waits', candidate: 'c1', ...about },
      { type: 'landing-waits', candidate: 'c2', ...about },
    );
    const [, , first, second] = [...events, ...later].map((event) => earlier.of(event)?.entries);
    expect(first).toEqual(entries);
    expect(second).toEqual([]);
  });
});

async function readAll(stream: Stream<number>): Promise<readonly number[]> {
  const read: number[] = [];
  for await (const item of stream) read.push(item);
  return read;
}

describe('a stream', () => {
  it('gives all items in order, those pushed before and while it is read', async () => {
    const stream = new Stream<number>();
    stream.push(1);
    const all = readAll(stream);
    stream.push(2);
    await Promise.resolve();
    stream.push(3);
    setTimeout(() => {
      stream.push(4);
      stream.end();
    }, 1);
    expect(await all).toEqual([1, 2, 3, 4]);
  });

  it('that has ended is read to its end', async () => {
    const stream = new Stream<number>();
    for (const item of [1, 2]) stream.push(item);
    stream.end();
    expect(await readAll(stream)).toEqual([1, 2]);
  });

  it('takes items that are pushed by its reader', async () => {
    const stream = new Stream<number>();
    stream.push(3);
    const read: number[] = [];
    for await (const item of stream) {
      read.push(item);
      if (item > 0) stream.push(item - 1);
      else stream.end();
    }
    expect(read).toEqual([3, 2, 1, 0]);
  });
});
