import { describe, expect, test } from 'vitest';
import { owner, settings, task } from '../../test/story.ts';
import type { Event, EventBody } from '../model/event.ts';
import { plain } from '../report/format/style.ts';
import { replayLines } from '../report/run/replay.ts';
import { Replayer } from './replay.ts';

const of = { run: 'r1', id: 'a', attempt: 1 };
const claimed = {
  type: 'attempt-started',
  ...of,
  slot: 1,
  fence: 1,
  agent: 'scripted',
  branch: 'yard/r1/a-1',
} as const;
const worktree = { id: 'w1', dir: '/w1' };
const honest: readonly EventBody[] = [
  { type: 'task-added', task: task('a') },
  { type: 'task-added', task: task('b', { after: ['a'] }) },
  { type: 'run-started', run: 'r1', owner, settings: settings(), base: 'base' },
  claimed,
  { type: 'worktree-ready', ...of, worktree, base: 'base' },
  { type: 'turn-started', ...of, turn: 1, slot: 1 },
  { type: 'turn-ended', ...of, turn: 1, result: { ok: true, tail: '' } },
];

function replayed(bodies: readonly EventBody[]) {
  const replayer = new Replayer('r1', { kind: 'ready' });
  const events = bodies.map(
    (body, at): Event => ({ ...body, seq: at + 1, at: at * 10, version: 1 }),
  );
  for (const event of events) replayer.take(event);
  return replayer.result();
}

const screen = { style: plain, width: 100, textWidth: 100, offsetMin: 0 };

describe('a replay', () => {
  test('is identical if this program decides the same', () => {
    const replay = replayed(honest);
    expect(replay).toMatchObject({ events: 7, decisions: 2, results: 2, differences: [] });
    expect(replayLines(replay, screen)).toEqual([
      'Run r1 replays identically: 2 decisions and 2 results in 7 events.',
    ]);
  });

  test('names a decision that this program would not make, and what it decides instead', () => {
    const replay = replayed(honest.with(3, { ...claimed, slot: 2 }).slice(0, 4));
    expect(replay.differences).toMatchObject([
      { event: { seq: 4 }, instead: [{ type: 'claim', id: 'a', slot: 1 }] },
    ]);
    expect(replayLines(replay, screen).at(-2)).toBe(
      'Event 4 (attempt-started) is the first. This version decides instead:',
    );
  });

  test('names a result of something that was never decided', () => {
    const stray: EventBody = {
      type: 'run-verified',
      run: 'r1',
      outcome: { id: 'passed', ms: 1 },
    } as never;
    const { differences } = replayed([...honest, stray]);
    expect(differences).toMatchObject([{ event: { type: 'run-verified' }, instead: [] }]);
  });
});
