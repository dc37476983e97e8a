import { describe, expect, it } from 'vitest';
import { attemptsIn } from '../../../test/report/records-of.ts';
import { story as wholeStory } from '../../../test/report/story.ts';
import type { QueueStep } from '../../model/queue-history.ts';
import { candidateStories, returnedWork } from './queue-story.ts';

const step = (at: number, what: QueueStep['what']): QueueStep => ({ at, what });
const gate = (at: number, tasks: readonly string[], verdict: 'passed' | 'failed'): QueueStep =>
  step(at, {
    type: 'gated',
    run: {
      work: { id: 'candidate', candidate: 'A', tasks, of: 2 },
      slot: 0,
      since: at - 1,
      verdict,
      cached: false,
      failing: verdict === 'failed' ? ['adds'] : [],
    },
  });

describe('the story of a candidate', () => {
  const [story] = candidateStories([
    step(1, { type: 'built', candidate: 'A', tasks: ['a', 'b'] }),
    gate(5, ['a', 'b'], 'failed'),
    gate(8, ['a'], 'passed'),
    step(8, { type: 'blamed', candidate: 'A', task: 'b', green: ['a'], behind: [] }),
    step(9, { type: 'landed', candidate: 'A', tasks: ['a'], commit: 'c' }),
    step(9, { type: 'landed', candidate: 'unknown', tasks: ['x'], commit: 'd' }),
  ]);

  it('has the gates of its bisection, the culprit and what landed', () => {
    expect(story).toMatchObject({
      id: 'A',
      builtAt: 1,
      gates: [
        { tasks: ['a', 'b'], verdict: 'failed', endedAt: 5, failing: ['adds'] },
        { tasks: ['a'], verdict: 'passed' },
      ],
      blamed: { task: 'b', green: ['a'] },
      landed: { at: 9, tasks: ['a'] },
    });
  });

  it('comes before those of older candidates', () => {
    const built = (at: number, candidate: string) =>
      step(at, { type: 'built', candidate, tasks: [] });
    const stories = candidateStories([built(1, 'A'), built(2, 'B')]);
    expect(stories.map(({ id }) => id)).toEqual(['B', 'A']);
  });
});

it('lists work that came back, the newest first', () => {
  const turn = (number: number, at: number) => ({
    turn: number,
    run: 'r1',
    slot: 1,
    agent: 'x',
    startedAt: 0,
    end: { at },
    reported: false,
    outcome: 'returned' as const,
    failure: { kind: 'no-changes' } as never,
  });
  const attempt = {
    task: 'a',
    number: 1,
    runs: ['r1'],
    slot: 1,
    agent: 'x',
    branch: 'b',
    startedAt: 0,
    changedAt: 0,
    turns: [turn(1, 10), turn(2, 20), { ...turn(3, 30), outcome: 'landed' as const }],
    calls: [],
    captures: [],
    prefixes: [],
    end: { id: 'live' as const },
  };
  expect(returnedWork([attempt]).map((row) => [row.turn, row.at])).toEqual([
    [2, 20],
    [1, 10],
  ]);
});

it('work was returned when the gate refused it, not when its turn ended', () => {
  const [api] = attemptsIn(wholeStory);
  const refused = wholeStory.find(({ type }) => type === 'branch-judged');
  expect(returnedWork(api === undefined ? [] : [api])).toMatchObject([
    { turn: 1, at: refused?.at },
  ]);
});
