// The checker of histories finds what it must find, and nothing in a good history.
import { describe, expect, it } from 'vitest';
import type { Event, EventBody } from '../../src/model/event.ts';
import { type History, landingsIn, resumptionsOf, takeoversOf, violationsOf } from './history.ts';

const of = (attempt = 1, id = 'a') => ({ run: 'r1', id, attempt });
const started = (attempt: number, fence: number, id = 'a'): EventBody => ({
  type: 'attempt-started',
  ...of(attempt, id),
  slot: 1,
  fence,
  agent: 'x',
  branch: `yard/r1/${id}-${attempt}`,
});
const captured = (attempt: number, commit: string, id = 'a'): EventBody =>
  ({ type: 'work-captured', ...of(attempt, id), commit }) as unknown as EventBody;
const landed = (attempt: number, commit: string, from = 'm0', id = 'a'): EventBody => ({
  type: 'landed',
  run: 'r1',
  candidate: 'c1',
  commit: `m-${commit}`,
  from,
  entries: [{ id, attempt, commit }],
});
const lost = (attempt: number): EventBody =>
  ({
    type: 'attempt-failed',
    ...of(attempt),
    failure: { kind: 'worker-gone', worker: 'w1', host: 'h', how: 'lost' },
  }) as unknown as EventBody;

const second = 1_000;
const history = (
  bodies: readonly EventBody[],
  target: readonly string[],
  tasks: readonly string[] = ['a'],
): History => ({
  events: bodies.map((body, at) => ({ ...body, seq: at + 1, at: at * second }) as Event),
  landings: landingsIn(target.join('\n')),
  tasks,
});

describe('a history', () => {
  it('in which a task was taken over and landed once is good', () => {
    const events = [started(1, 1), lost(1), started(2, 2), captured(2, 'k2'), landed(2, 'k2')];
    expect(violationsOf(history(events, ['m-k2|m0 k2|a']))).toEqual([]);
  });

  it('with two owners at a time, or with an old fence, is not', () => {
    const events = [started(1, 2), started(2, 1), captured(2, 'k2'), landed(2, 'k2')];
    expect(violationsOf(history(events, ['m-k2|m0 k2|a']))).toEqual([
      'a has a second owner at event 2',
      'a got an old fence at 2',
    ]);
  });

  it('in which an attempt goes on after it was given up is not', () => {
    const events = [started(1, 1), lost(1), captured(1, 'k1')];
    const found = violationsOf(history(events, [], []));
    expect(found).toEqual(['work-captured of attempt 1 of a at event 3, which was over']);
  });

  it('in which the work of a given-up attempt landed is not', () => {
    const events = [started(1, 1), captured(1, 'k1'), lost(1), started(2, 2), landed(1, 'k1')];
    const found = violationsOf(history(events, ['m-k1|m0 k1|a']));
    expect(found).toEqual(['a landed from attempt 1, which is over']);
  });

  it('with a commit on the target that no event or no capture explains is not', () => {
    const events = [started(1, 1), captured(1, 'k1'), landed(1, 'other')];
    expect(violationsOf(history(events, ['m-k9|m0 k9|a']))).toEqual([
      'the target is m-k9, but its events tell m-other',
      'other landed for a, which its attempt 1 has not captured',
    ]);
  });

  it('whose landings form two chains is not', () => {
    const events = [
      started(1, 1),
      started(1, 1, 'b'),
      captured(1, 'k1'),
      captured(1, 'k2', 'b'),
      landed(1, 'k1'),
      landed(1, 'k2', 'm0', 'b'),
    ];
    const target = ['m-k1|m0 k1|a', 'm-k2|m0 k2|b'];
    expect(violationsOf(history(events, target, ['a', 'b']))).toEqual([
      'event 6 starts a second chain',
    ]);
  });

  it('in which a task landed twice or never is not', () => {
    const events = [started(1, 1), captured(1, 'k1'), landed(1, 'k1')];
    const found = violationsOf(history(events, ['m-k1|m0 k1|a'], ['a', 'b']));
    expect(found).toEqual(['b landed 0 times']);
    const twice = violationsOf(history([], ['m1|m0|a', 'm2|m1|a']));
    expect(twice).toContain('a landed 2 times');
  });

  it('tells how long a task waited for another worker', () => {
    const events = [started(1, 1), lost(1), started(2, 2), lost(2)];
    const faults = [
      { worker: 'w1', at: 0.5 * second },
      { worker: 'w2', at: 0.9 * second },
    ];
    expect(takeoversOf(history(events, []), faults)).toEqual([
      { task: 'a', at: second, freeMs: 0.5 * second, ms: 1.5 * second },
      { task: 'a', at: 3 * second, freeMs: 2.5 * second, ms: undefined },
    ]);
  });

  it('tells how long a run waited for another process', () => {
    const resumed = { type: 'run-resumed', run: 'r1' } as unknown as EventBody;
    const kills = [0.5 * second, 9 * second];
    const found = history([started(1, 1), resumed, lost(1)], []);
    expect(resumptionsOf(found, kills)).toEqual([0.5 * second, undefined]);
  });
});
