import { describe, expect, it } from 'vitest';
import { paceOf } from './hooks.ts';

const calm = { waiting: 1, since: 0, digestMs: 0, rate: 3, sentAt: [], isLast: false };

describe('the pace of a hook', () => {
  it('sends one event at a time while the rate allows it', () => {
    expect(paceOf({ ...calm, waiting: 0 }, 0)).toEqual({ id: 'idle' });
    expect(paceOf(calm, 0)).toEqual({ id: 'send', events: 1 });
    expect(paceOf({ ...calm, waiting: 2, sentAt: [1] }, 5)).toEqual({ id: 'send', events: 1 });
  });

  it('joins what comes faster than the rate, so that nothing is dropped', () => {
    expect(paceOf({ ...calm, waiting: 2, sentAt: [1, 2] }, 5)).toEqual({ id: 'send', events: 2 });
    const full = { ...calm, waiting: 4, sentAt: [1, 2, 3] };
    expect(paceOf(full, 5)).toEqual({ id: 'wait', ms: 59_996 });
    expect(paceOf(full, 60_002)).toEqual({ id: 'send', events: 4 });
  });

  it('collects for the time of a digest, counted from the first event', () => {
    const digest = { ...calm, waiting: 2, since: 100, digestMs: 50 };
    expect(paceOf(digest, 120)).toEqual({ id: 'wait', ms: 30 });
    expect(paceOf(digest, 150)).toEqual({ id: 'send', events: 2 });
  });

  it('holds nothing back when the run has ended', () => {
    const last = { ...calm, waiting: 5, since: 100, digestMs: 50, sentAt: [98, 99, 100] };
    expect(paceOf({ ...last, isLast: true }, 101)).toEqual({ id: 'send', events: 5 });
  });
});
