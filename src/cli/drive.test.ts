import { describe, expect, test } from 'vitest';
import { need } from '../../test/rig/need.ts';
import { owner, Story, task } from '../../test/story.ts';
import { endingOf } from '../app/outcome.ts';
import type { StopReason } from '../model/run.ts';
import type { VerifyOutcome } from '../model/verdict.ts';
import { exits, leftText } from './drive.ts';

function ended(reason: StopReason, story: Story): number {
  story.tell({ type: 'run-ended', run: 'r1', stop: { reason } });
  const run = need(story.record());
  return exits[endingOf(run, [...story.state.tasks.values()])];
}

const undone = () => new Story().tasks(task('a'), task('b')).start().landed('a');
const done = () => undone().landed('b');

test('leaving a run of the daemon tells what becomes of it', () => {
  const story = () => new Story().tasks(task('a')).start();
  const asked = (how: 'finish' | 'now') =>
    story().tell({ type: 'stop-asked', run: 'r1', how, by: 'Ann' });
  const told = (one: Story) => leftText('r1', one.record()?.phase);
  expect(told(story())).toContain('Run r1 goes on in the background.');
  expect(told(asked('finish'))).toContain('ends in the background when its agents have finished');
  expect(told(asked('now'))).toContain('ends in the background now');
  const over = asked('now').tell({ type: 'run-ended', run: 'r1', stop: { reason: 'stop-asked' } });
  expect(told(over)).toContain('Run r1 has ended.');
});

describe('the exit status of a run', () => {
  test('is 0 when everything in scope has landed or was skipped', () => {
    expect(ended('drained', done())).toBe(0);
    const skipped = undone();
    skipped.tell({ type: 'task-decided', id: 'b', decision: { kind: 'skip', reason: 'x' } });
    expect(ended('drained', skipped)).toBe(0);
  });

  test('is 0 when everything has landed although a person asked it to stop meanwhile', () => {
    expect(ended('stop-asked', done())).toBe(0);
  });

  test('is 1 when a person canceled a task in scope, tried or not', () => {
    const decision = { kind: 'cancel', reason: 'x' } as const;
    const canceled = { type: 'task-decided', id: 'b', decision } as const;
    expect(ended('drained', undone().tell(canceled))).toBe(1);
    expect(ended('drained', undone().prepared('b').turn('b').tell(canceled))).toBe(1);
  });

  const canceled = { kind: 'cancel', reason: 'x' } as const;
  const removed = { ...canceled, removed: true } as const;

  test.each([canceled, removed])(
    'is 0 if a task was canceled before the run, unless the run was asked for that very task',
    (decision) => {
      const canceledEarly = () =>
        new Story().tasks(task('a'), task('b')).tell({ type: 'task-decided', id: 'b', decision });
      expect(ended('drained', canceledEarly().start().landed('a'))).toBe(0);
      const named = canceledEarly().start({ scope: { kind: 'only', tasks: ['a', 'b'] } });
      expect(ended('drained', named.landed('a'))).toBe(1);
    },
  );

  test('is 1 where a task is removed during the run, and 0 where that was before the run was resumed', () => {
    const during = () => undone().tell({ type: 'task-decided', id: 'b', decision: removed });
    expect(ended('drained', during())).toBe(1);
    const resumed = during().tell(
      { type: 'run-ended', run: 'r1', stop: { reason: 'stop-asked' } },
      { type: 'run-resumed', run: 'r1', owner },
    );
    expect(ended('drained', resumed)).toBe(0);
  });

  test('is 1 when some tasks did not land', () => {
    expect(ended('drained', undone())).toBe(1);
  });

  test.each([
    ['canceled', 4],
    ['stop-asked', 4],
    ['budget-wall', 4],
    ['max-attempts', 4],
    ['budget-tokens', 4],
    ['quota', 4],
    ['environment', 3],
    ['slot-errors', 3],
  ] as const)('tells an end by %s as %d', (reason, code) => {
    expect(ended(reason, undone())).toBe(code);
  });

  describe('with a look at the target at its end', () => {
    const red = { kind: 'failed', command: 'npm test', exit: 1, ms: 5, tail: '' } as const;
    const late = { kind: 'timed-out', command: 'npm test', budgetMs: 5 } as const;
    const green = { kind: 'passed', command: 'npm test', ms: 5 } as const;
    const seen = (outcome: VerifyOutcome, story: Story): Story =>
      story.tell({ type: 'run-verified', run: 'r1', outcome });

    test.each([red, late])('is 5 where that is $kind, whether or not all has landed', (outcome) => {
      expect(ended('drained', seen(outcome, done()))).toBe(5);
      expect(ended('drained', seen(outcome, undone()))).toBe(5);
      expect(ended('stop-asked', seen(outcome, done()))).toBe(5);
    });

    test('still tells first that the run was stopped or not fit', () => {
      expect(ended('stop-asked', seen(red, undone()))).toBe(4);
      expect(ended('environment', seen(red, undone()))).toBe(3);
    });

    test.each([green, { kind: 'skipped', reason: 'no command' } as const])(
      'is what it would be without where that is $kind',
      (outcome) => {
        expect(ended('drained', seen(outcome, done()))).toBe(0);
        expect(ended('drained', seen(outcome, undone()))).toBe(1);
      },
    );
  });

  test('is 0 for work that was handed over as it was asked for', () => {
    const story = undone();
    const record = story.state.task('b') ?? expect.fail('there is no task b');
    const status = { id: 'delivered', how: 'pr', branch: 'yard/x', commit: 'c' } as const;
    story.state.putTask({ ...record, status });
    expect(ended('drained', story)).toBe(0);
  });

  test('does not count tasks that the run was not for', () => {
    const story = new Story().tasks(task('a'), task('b'));
    story.start({ scope: { kind: 'only', tasks: ['a'] } }).landed('a');
    expect(ended('drained', story)).toBe(0);
  });
});
