import { describe, expect, test } from 'vitest';
import type { Event, EventBody } from '../model/event.ts';
import { attemptRange } from './attempt-range.ts';

const of = { run: 'r1', id: 'a' };
const log = (...bodies: readonly EventBody[]): Event[] =>
  bodies.map((body, at) => ({ seq: at + 1, at, version: 1, ...body }));
const ready = (attempt: number, base: string): EventBody => ({
  type: 'worktree-ready',
  ...of,
  attempt,
  worktree: { id: 'w', dir: '/w' },
  base,
});
const captured = (attempt: number, commit: string): EventBody => ({
  type: 'work-captured',
  ...of,
  attempt,
  commit,
  tree: 't',
  by: 'agent',
});
const failed = (attempt: number, kept?: string): EventBody => ({
  type: 'attempt-failed',
  ...of,
  attempt,
  failure: { kind: 'no-changes', tail: '' },
  ...(kept === undefined ? {} : { kept }),
});

describe('what an attempt changed', () => {
  test('goes from where it started to what it captured last', () => {
    const events = log(ready(1, 'base'), captured(1, 'one'), captured(1, 'two'));
    expect(attemptRange(events, 'a', 1)).toEqual({ from: 'base', to: 'two' });
  });

  test('leaves out what others landed, where the target was merged into it', () => {
    const merged = { ...captured(1, 'two'), base: 'theirs' } as EventBody;
    const events = log(ready(1, 'base'), captured(1, 'one'), merged);
    expect(attemptRange(events, 'a', 1)).toEqual({ from: 'theirs', to: 'two' });
  });

  test('is looked up for the attempt that is asked for', () => {
    const events = log(ready(1, 'b1'), captured(1, 'one'), ready(2, 'b2'), captured(2, 'two'));
    expect(attemptRange(events, 'a', 1)).toEqual({ from: 'b1', to: 'one' });
    expect(attemptRange(events, 'a', 2)).toEqual({ from: 'b2', to: 'two' });
    expect(attemptRange(events, 'b', 2)).toBeUndefined();
  });

  test('ends at the branch that keeps unfinished work', () => {
    const events = log(ready(1, 'base'), failed(1, 'yard/r1/a-1'));
    expect(attemptRange(events, 'a', 1)).toEqual({ from: 'base', to: 'refs/heads/yard/r1/a-1' });
  });

  test('is not there where nothing was made', () => {
    expect(attemptRange(log(ready(1, 'base'), failed(1)), 'a', 1)).toBeUndefined();
    expect(attemptRange([], 'a', 0)).toBeUndefined();
  });
});
