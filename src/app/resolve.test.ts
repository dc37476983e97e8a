import { describe, expect, it } from 'vitest';
import { anAttempt, aRecord } from '../../test/report/fixtures.ts';
import type { AttemptState } from '../model/attempt.ts';
import type { Failure } from '../model/failure.ts';
import type { TaskRecord, TaskStatus } from '../model/task-record.ts';
import { workInConflict } from './resolve.ts';

const conflict: Failure = { kind: 'conflict', files: ['x'], target: 't', branch: 'yard/r1/a-1' };
const often: Failure = { kind: 'returned-too-often', times: 3, last: conflict };
const red: Failure = { kind: 'no-changes', tail: '' };

function record(
  state: AttemptState,
  status: TaskStatus,
  more: Partial<TaskRecord> = {},
): TaskRecord {
  const attempt = anAttempt(state, { branch: 'yard/r1/a-1' });
  return aRecord('a', status, { attempt, ...more });
}

const failed = (failure: Failure, more = {}): AttemptState => ({
  id: 'failed',
  failure,
  kept: 'yard/r1/a-1',
  ...more,
});

function refusal(given: TaskRecord): string {
  const found = workInConflict(given);
  if (found.ok || found.failure.kind !== 'usage') throw new Error('it was not refused');
  return `${found.failure.problem} → ${found.failure.remedy}`;
}

describe('work that a person can resolve', () => {
  it.each<TaskStatus>([
    { id: 'blocked', failure: often },
    { id: 'failed', failure: often, run: 'r1' },
    { id: 'quarantined', failure: often },
  ])('was given up with a conflict and is kept: $id', (status) => {
    expect(workInConflict(record(failed(conflict), status))).toMatchObject({
      ok: true,
      value: { kept: 'yard/r1/a-1', attempt: { number: 1 } },
    });
    const deep: Failure = { kind: 'failed-too-often', times: 3, last: often };
    expect(workInConflict(record(failed(deep), status))).toMatchObject({ ok: true });
  });

  const blocked: TaskStatus = { id: 'blocked', failure: often };

  it('is none where an agent is still at it, or the task is open again', () => {
    const returned: AttemptState = { id: 'returned', failure: conflict };
    expect(refusal(record(returned, { id: 'open' }))).toContain('was not given up');
    expect(refusal(record(failed(conflict), { id: 'open' }))).toContain('was not given up');
    expect(refusal(record(failed(conflict), { id: 'skipped', reason: 'x' }))).toContain('given up');
  });

  it('is none where something else was the trouble', () => {
    expect(refusal(record(failed(red), blocked))).toBe(
      'task a did not end in a conflict → `ym why a` shows its state.',
    );
  });

  it('is none before anybody worked on the task', () => {
    const { attempt: _none, ...rest } = record(failed(red), { id: 'open' });
    expect(refusal(rest)).toContain('no agent has worked on a yet');
  });

  it('is none where nothing was kept, and then it is said where it may be', () => {
    const nothing: AttemptState = { id: 'failed', failure: conflict };
    expect(refusal(record(nothing, blocked))).toContain('`ym retry a` starts again');
    const left: AttemptState = { id: 'failed', failure: conflict, left: '/w/1' };
    expect(refusal(record(left, blocked))).toContain('It is still in /w/1.');
  });

  it('is none where it was handed in already', () => {
    const handedIn = { commit: 'c', ref: 'refs/yard/handed/a' };
    expect(refusal(record(failed(conflict), blocked, { handedIn }))).toContain('ym run --only a');
  });
});
