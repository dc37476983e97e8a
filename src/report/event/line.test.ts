import { expect, test } from 'vitest';
import { task } from '../../../test/story.ts';
import { plain } from '../format/style.ts';
import { eventLine } from './line.ts';

const how = { style: plain, width: 70, offsetMin: 0 };
const envelope = { seq: 12, at: 3_000, version: 1 } as const;

test('an event is one line with number, time, type, tasks, person and fields', () => {
  const actor = { name: 'Ada', through: 'watch' } as const;
  const sent = { type: 'message-sent', id: 'api', text: 'hello' } as const;
  expect(eventLine({ ...envelope, ...sent, actor }, how)).toBe(
    '    12 00:00:03 message-sent       api  by Ada (ym watch)  {"text":"h…',
  );
  const added = { type: 'task-added', task: task('a') } as const;
  expect(eventLine({ ...envelope, ...added }, { ...how, width: 40 })).toBe(
    '    12 00:00:03 task-added         a  {…',
  );
});

test('an event without further fields ends with its type', () => {
  const line = eventLine({ ...envelope, type: 'target-check-ended', run: 'r1' }, how);
  expect(line).toBe('    12 00:00:03 target-check-ended {"run":"r1"}');
});
