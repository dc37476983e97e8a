import { describe, expect, test } from 'vitest';
import { anAttempt } from '../../test/report/fixtures.ts';
import { crash, red, Story, settings, task } from '../../test/story.ts';
import { noEvidence } from '../model/evidence.ts';
import type { Failure } from '../model/failure.ts';
import { troubleOf } from '../model/fault.ts';
import { troubleIn } from '../model/run-record.ts';
import type { TaskRecord } from '../model/task-record.ts';
import { mayStartAgain, startsIn, statusAfter } from './returned-work.ts';

const story = new Story().tasks(task('a')).start();
const run = (retries: number, quarantineAfter = 99) => ({
  ...story.record(),
  settings: settings({ retries, quarantineAfter }),
});
const started = (count: number): TaskRecord => ({
  ...story.task('a'),
  attempt: anAttempt({ id: 'preparing', slot: 1 }),
  starts: count,
});

describe('trouble', () => {
  const conflict: Failure = { kind: 'conflict', files: [], target: 't', branch: 'b' };

  test('with the work is evidence for its agent', () => {
    const unmergeable: Failure = { kind: 'unmergeable', branch: 'b', cause: 'x' };
    expect([red, conflict, unmergeable].map(troubleOf)).toEqual([
      'evidence',
      'evidence',
      'evidence',
    ]);
  });

  test('caused by a person or the target counts for no task', () => {
    const failures: Failure[] = [
      { kind: 'interrupted', by: 'x' },
      { kind: 'run-stopped' },
      { kind: 'canceled-by-person', reason: 'x' },
      { kind: 'blocked-by-person', reason: 'x' },
      {
        kind: 'target-red',
        commit: 'c',
        checked: 'blame',
        evidence: noEvidence,
        tail: '',
        log: '',
      },
    ];
    expect(new Set(failures.map(troubleOf))).toEqual(new Set(['interruption']));
  });

  test('of any other kind is an error', () => {
    const failures: Failure[] = [
      crash,
      { kind: 'no-changes', tail: '' },
      { kind: 'capture-failed', cause: 'x', dir: '/w' },
      { kind: 'agent-exited', exit: 139, signal: 'SIGSEGV', tail: '' },
      { kind: 'other', message: 'x' },
    ];
    expect(new Set(failures.map(troubleOf))).toEqual(new Set(['error']));
  });
});

test.each<[string, Failure]>([
  ['SIGKILL', { kind: 'agent-exited', exit: 137, signal: 'SIGKILL', tail: '' }],
  ['SIGTERM', { kind: 'agent-exited', exit: 143, signal: 'SIGTERM', tail: '' }],
  ['SIGKILL, as a shell around it reports', { kind: 'agent-exited', exit: 137, tail: '' }],
  ['SIGTERM, as a shell around it reports', { kind: 'agent-exited', exit: 143, tail: '' }],
  ['SIGHUP', { kind: 'agent-exited', exit: 129, signal: 'SIGHUP', tail: '' }],
  ['SIGINT', { kind: 'agent-exited', exit: 130, signal: 'SIGINT', tail: '' }],
  ['whatever left no exit status', { kind: 'agent-lost', turn: 1 }],
])('an agent that was ended by %s is trouble with the machine', (_, failure) => {
  expect(troubleOf(failure)).toBe('retry');
});

describe('starts', () => {
  test('are counted for one run only', () => {
    expect(startsIn(started(2), 'r1')).toBe(2);
    expect(startsIn(started(2), 'another')).toBe(0);
    expect(startsIn(story.task('a'), 'r1')).toBe(0);
  });

  test('may be one and the retries', () => {
    expect([0, 1, 2, 3].map((count) => mayStartAgain(started(count), run(2)))).toEqual([
      true,
      true,
      true,
      false,
    ]);
    expect(mayStartAgain(started(1), run(0))).toBe(false);
  });
});

describe('after a given-up attempt a task', () => {
  test('stays open while it may start again', () => {
    expect(statusAfter(started(1), run(1), crash, 1)).toEqual({ id: 'open' });
  });

  test('has failed for this run when it may not', () => {
    expect(statusAfter(started(2), run(1), crash, 2)).toEqual({
      id: 'failed',
      failure: crash,
      run: 'r1',
    });
  });

  test('is left alone after too many failures in a row, however many starts it has', () => {
    expect(statusAfter(started(1), run(9, 3), crash, 3)).toEqual({
      id: 'quarantined',
      failure: { kind: 'failed-too-often', times: 3, last: crash },
    });
  });

  test('is blocked when its work came back once too often', () => {
    expect(statusAfter(started(3), run(2), red, 1)).toEqual({
      id: 'blocked',
      failure: { kind: 'returned-too-often', times: 3, last: red },
    });
  });

  test('is as open as before when a person stopped it', () => {
    const stopped: Failure = { kind: 'interrupted', by: 'x' };
    expect(statusAfter(started(9), run(0, 1), stopped, 9)).toEqual({ id: 'open' });
  });

  test('keeps what a person has said meanwhile', () => {
    const status = { id: 'skipped', reason: 'x' } as const;
    expect(statusAfter({ ...started(1), status }, run(1), crash, 1)).toBe(status);
  });
});

test('a set-up that fails counts for no task, and ends the run when it fails in each worktree', () => {
  const story = new Story().tasks(task('a'), task('b')).start({ jobs: 1, retries: 0 });
  const of = { kind: 'setup-failed', where: 'attempt', command: 'x', exit: 9 } as const;
  const failure = { ...of, tail: '', log: '/x' };
  const fails = (id: string) => {
    const attempt = story.task(id).attempts + 1;
    const of = { run: 'r1', id, attempt };
    const by = { slot: 1, fence: 1, agent: 'scripted', branch: `yard/r1/${id}-${attempt}` };
    story.tell({ type: 'attempt-started', ...of, ...by });
    story.tell({ type: 'attempt-given-up', ...of, failure });
    story.tell({ type: 'attempt-failed', ...of, failure });
    return story.task(id);
  };
  expect(fails('a')).toMatchObject({
    status: { id: 'open' },
    failures: 0,
    starts: 0,
  });
  story.landed('b');
  expect([fails('a'), fails('a')]).toMatchObject([{ failures: 0 }, { failures: 0 }]);
  expect(troubleIn(story.record())).toBeUndefined();
  expect(fails('a')).toMatchObject({ status: { id: 'open' }, failures: 0 });
  const stop = { reason: 'environment', failure };
  expect(story.decide().commands).toMatchObject([{ type: 'end-run', stop }]);
});
