import { describe, expect, test } from 'vitest';
import { Story, task } from '../../test/story.ts';
import type { StopReason } from '../model/run.ts';
import { exitOf } from './exit.ts';

function ended(reason: StopReason, story: Story): number {
  story.tell({ type: 'run-ended', run: 'r1', stop: { reason } });
  return exitOf(story.record(), [...story.state.tasks.values()]);
}

const undone = () => new Story().tasks(task('a'), task('b')).start().landed('a');
const done = () => undone().landed('b');

describe('the exit status of a run', () => {
  test('is 0 when everything in scope has landed or was skipped', () => {
    expect(ended('drained', done())).toBe(0);
    const skipped = undone();
    skipped.tell({ type: 'task-decided', id: 'b', decision: { kind: 'skip', reason: 'x' } });
    expect(ended('drained', skipped)).toBe(0);
  });

  test('is 0 when everything has landed although somebody asked for an end meanwhile', () => {
    expect(ended('stop-asked', done())).toBe(0);
  });

  test('is no matter of tasks that a person took out before they were tried', () => {
    const decision = { kind: 'cancel', reason: 'x' } as const;
    const cancelled = { type: 'task-decided', id: 'b', decision } as const;
    expect(ended('drained', undone().tell(cancelled))).toBe(0);
    expect(ended('drained', undone().prepared('b').turn('b').tell(cancelled))).toBe(1);
  });

  test('is 1 when some tasks did not land', () => {
    expect(ended('drained', undone())).toBe(1);
  });

  test.each([
    ['cancelled', 4],
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

  test('does not count tasks that the run was not for', () => {
    const story = new Story().tasks(task('a'), task('b'));
    story.start({ scope: { kind: 'only', tasks: ['a'] } }).landed('a');
    expect(ended('drained', story)).toBe(0);
  });

  test('is that of a bug where there is no run', () => {
    expect(exitOf(undefined, [])).toBe(70);
  });
});
