import { describe, expect, test } from 'vitest';
import { owner, Story, task } from '../../../test/story.ts';
import type { AttemptState } from '../../model/attempt.ts';
import type { TaskRecord, TaskStatus } from '../../model/task-record.ts';
import { plain } from '../format/style.ts';
import { messageLines, readingOf } from './message.ts';

const working = (): TaskRecord =>
  new Story().tasks(task('a')).start().prepared('a').turn('a').task('a');
const failure = { kind: 'blocked-by-person', reason: 'x' } as const;

function whenIn(state: AttemptState, isDriven = true): string {
  const record = working();
  const { attempt } = record;
  if (attempt === undefined) throw new Error('no attempt');
  const reading = readingOf({ ...record, attempt: { ...attempt, state } }, isDriven);
  return reading.id === 'read' ? reading.when : reading.because;
}

const whenAt = (status: TaskStatus) => readingOf({ ...working(), status }, true);
const made = { commit: 'c', tree: 't', since: 1 };

describe('when a message is read', () => {
  const states: readonly (readonly [AttemptState, string])[] = [
    [{ id: 'preparing', slot: 1 }, 'with its first turn, which is about to start'],
    [
      { id: 'working', slot: 1, turn: 1, since: 1 },
      'with its next turn, right after the current one',
    ],
    [
      { id: 'between-turns', turnReason: { id: 'messages' } },
      'with its next turn, which starts as soon as it has a slot',
    ],
    [
      { id: 'asking', question: '?', since: 1 },
      'with its next turn, which starts when its question is answered: `ym answer a TEXT`',
    ],
    [
      { id: 'held', since: 1, by: owner },
      'with its next turn, which starts when you leave `ym attach`',
    ],
    [
      { id: 'awaiting', failure, ...made },
      'only if you reject its work (`ym reject a WHY`) or it is sent back; not once it has landed',
    ],
    [
      { id: 'gating', slot: 1, again: 0, ...made },
      'only if its work is sent back: it is being tested, and no agent reads it after it has landed',
    ],
    [
      { id: 'queued', ...made },
      'only if its work is sent back: it is in the merge queue, and no agent reads it after it has landed',
    ],
    [{ id: 'giving-up', failure }, 'with the first turn of its next attempt, if it gets one'],
  ];
  test.each(states)('is told for an attempt that is %o', (state, when) => {
    expect(whenIn(state)).toBe(when);
  });

  test('names what starts an attempt where there is none', () => {
    const story = new Story().tasks(task('a'), task('b', { after: ['a'] }));
    const reading = (id: string) => readingOf(story.task(id), true);
    expect(reading('a')).toMatchObject({
      when: 'with the first turn of its next attempt, as soon as a run starts it',
    });
    expect(reading('b')).toMatchObject({
      when: 'with the first turn of its next attempt, which waits for the tasks that it depends on',
    });
    expect(whenAt({ id: 'blocked', failure })).toMatchObject({
      when: 'with its next turn, which starts after `ym unblock a`',
    });
    expect(whenAt({ id: 'quarantined', failure })).toMatchObject({
      when: 'with the first turn of its next attempt, which starts after `ym retry a`',
    });
  });

  test('says that no run is at work', () => {
    expect(whenIn({ id: 'working', slot: 1, turn: 1, since: 1 }, false)).toMatch(
      /. No run is active: `ym resume` or the next `ym run` on the same target continues it$/,
    );
  });

  test('is never, once no agent works on the task any more', () => {
    const landed = { id: 'landed', commit: 'c', run: 'r', at: 1 } as const;
    expect(whenAt(landed)).toMatchObject({ because: 'a has landed' });
    expect(whenAt({ id: 'canceled', failure, at: 1 })).toMatchObject({
      because: 'a is canceled',
      remedy: 'Type `ym retry a` first.',
    });
    expect(whenAt({ id: 'skipped', reason: 'x' }).id).toBe('never');
    const delivered = { id: 'delivered', how: 'pr', branch: 'b', commit: 'c' } as const;
    expect(whenAt(delivered).id).toBe('never');
  });

  test('is never for a task that another agent works on as well, and that one is named', () => {
    const coClaimedBy = { run: 'r1', id: 'other', attempt: 1 };
    const { attempt: _attempt, ...record } = working();
    expect(readingOf({ ...record, coClaimedBy }, true)).toMatchObject({
      remedy: 'Type `ym tell other TEXT` instead.',
    });
  });
});

test('messages are listed with the turn that had them, and long ones are cut', () => {
  const at = Date.UTC(2026, 0, 2, 3, 4);
  const messages = [
    { seq: 4, at, text: 'Use\ntabs.', readIn: { attempt: 1, turn: 2 } },
    { seq: 5, at, text: 'x '.repeat(500) },
    { seq: 6, at, question: 'Which\nport?', text: '8080', readIn: { attempt: 1, turn: 3 } },
  ];
  const lines = messageLines(messages, plain, 60, 0);
  expect(lines[1]).toBe('Messages to its agent');
  expect(lines[2]).toMatch(/read in attempt 1, turn 2: Use tabs\.$/);
  expect(lines[3]).toMatch(/not read yet: x x/);
  expect(lines.slice(7).join(' ').replace(/ +/g, ' ')).toMatch(
    /read in attempt 1, turn 3, your answer to "Which port\?": 8080$/,
  );
  expect(messageLines([], plain, 60, 0)).toEqual([]);
});
