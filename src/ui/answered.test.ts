import { expect, it } from 'vitest';
import { afterAnswer } from './answered.ts';

const place = '/api/tasks/a';
const now = { place, url: '/api/tasks/a' };
const then = { place, url: '/api/tasks/a?at=70' };
const error = { kind: 'usage', what: 'There was no task.', why: '', do: 'Choose a later moment.' };
const read = afterAnswer({}, now, { ok: true, value: 1 });

it('keeps what is known of a moment if reading it again fails, until it succeeds', () => {
  const failed = afterAnswer(read, now, { ok: false, error });
  expect(failed).toEqual({ ...now, value: 1, error });
  expect(afterAnswer(failed, now, { ok: true, value: 2 })).toEqual({ ...now, value: 2 });
});

it('shows a failure instead of the data of another moment', () => {
  const failed = afterAnswer(read, then, { ok: false, error });
  expect(failed).toEqual({ ...then, error });
  expect(afterAnswer(failed, now, { ok: true, value: 1 })).toEqual(read);
});
