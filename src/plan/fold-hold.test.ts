import { describe, expect, test } from 'vitest';
import { owner, Story, task } from '../../test/story.ts';
import { holderOf } from '../model/attempt-state.ts';
import type { Failure } from '../model/failure.ts';
import type { TurnResult } from '../model/turn.ts';

const by = { pid: 7, startedAt: 'now', host: 'here' };
const hold = { kind: 'hold', attempt: 1, by } as const;
const release = { kind: 'release', by } as const;
const interrupted: TurnResult = {
  ok: false,
  failure: { kind: 'interrupted', by: 'the run' },
  session: 's1',
};

function working(): Story {
  const story = new Story().tasks(task('a'), task('b')).start({ jobs: 1 });
  return story.prepared('a').turn('a');
}

const stateOf = (story: Story) => story.task('a').attempt?.state;

function holder(story: Story) {
  const state = stateOf(story);
  return state && holderOf(state);
}

describe('an attempt that a person holds', () => {
  test('has its turn ended first, and then waits for them with its slot and its conversation', () => {
    const story = working().decided('a', hold);
    expect(story.commands()).toEqual(['run-turn a 1', 'check-holder a 1', 'interrupt a 1']);
    story.turnEnds('a', interrupted);
    expect(stateOf(story)).toMatchObject({ id: 'held', slot: 1 });
    expect(story.commands()).toEqual(['check-holder a 1']);
    expect(story.task('a').attempt).toMatchObject({
      conversation: { session: { id: 's1' } },
      worktree: { dir: '/w1' },
    });
  });

  test('goes on in the same try with a turn that says so', () => {
    const story = working().decided('a', hold).turnEnds('a', interrupted).decided('a', release);
    expect(stateOf(story)).toEqual({ id: 'between-turns', turnReason: { id: 'attached' } });
    expect(holder(story)).toBeUndefined();
    story.turnStarts('a');
    expect(stateOf(story)).toMatchObject({
      id: 'working',
      turn: 2,
      turnReason: { id: 'attached' },
    });
    expect(story.task('a')).toMatchObject({ starts: 1, failures: 0 });
  });

  test('is told afterwards what the turn was about that was cut short', () => {
    const story = working().turnEnds('a', {
      ok: true,
      tail: '',
      signal: { id: 'ask', question: '?' },
    });
    story.decided('a', { kind: 'answer', text: 'Yes.' }).turnStarts('a').decided('a', hold);
    story.turnEnds('a', interrupted).decided('a', release);
    const before = { id: 'answer', question: '?', text: 'Yes.' };
    expect(stateOf(story)).toEqual({ id: 'between-turns', turnReason: { id: 'attached', before } });
    story.decided('a', hold).decided('a', release);
    expect(stateOf(story)).toEqual({ id: 'between-turns', turnReason: { id: 'attached', before } });
  });

  test('is theirs although its agent was done before it could be interrupted', () => {
    const story = working().decided('a', hold).turnEnds('a', { ok: true, tail: '' });
    expect(stateOf(story)?.id).toBe('held');
  });

  test('is held at once between two turns and behind a question', () => {
    const silent = working().turnEnds('a', { ok: true, tail: '', signal: { id: 'nothing' } });
    expect(stateOf(silent.decided('a', hold))).toMatchObject({ id: 'held' });
    const asks = working().turnEnds('a', {
      ok: true,
      tail: '',
      signal: { id: 'ask', question: '?' },
    });
    expect(stateOf(asks.decided('a', hold))?.id).toBe('held');
  });

  test('is not held where nobody works on it, and only by the first who asks', () => {
    const prepared = new Story().tasks(task('a')).start().prepared('a').decided('a', hold);
    expect(holder(prepared)).toBeUndefined();
    const judged = working().turnEnds('a', { ok: true, tail: '' }).decided('a', hold);
    expect(stateOf(judged)?.id).toBe('capturing');
    const other = working().decided('a', { ...hold, attempt: 2 });
    expect(holder(other)).toBeUndefined();
    const two = working()
      .decided('a', hold)
      .decided('a', { ...hold, by: owner });
    expect(holder(two)).toEqual(by);
    expect(holder(two.decided('a', { kind: 'release', by: owner }))).toEqual(by);
  });

  test('is not given up when the wish is taken back after its turn was told to end', () => {
    const story = working().decided('a', hold).decided('a', release);
    expect(story.commands()).toEqual(['run-turn a 1']);
    story.turnEnds('a', interrupted);
    expect(stateOf(story)).toMatchObject({ id: 'between-turns', turnReason: { id: 'paused' } });
    expect(holder(story)).toBeUndefined();
    const done = working()
      .decided('a', hold)
      .decided('a', release)
      .turnEnds('a', { ok: true, tail: '' });
    expect(stateOf(done)?.id).toBe('capturing');
    expect(holder(done)).toBeUndefined();
  });

  test('keeps a run from its end, but not one that is stopped', () => {
    const story = new Story().tasks(task('a')).start({ jobs: 1 }).prepared('a').turn('a');
    story.decided('a', hold).turnEnds('a', interrupted);
    expect(story.commands()).toEqual(['check-holder a 1']);
    story.tell({ type: 'stop-asked', run: 'r1', how: 'finish', by: 'x' });
    expect(story.commands()).toEqual(['end-run stop-asked']);
  });

  test('is given up only after they have left, when it was canceled meanwhile', () => {
    const story = working().decided('a', hold).turnEnds('a', interrupted);
    story.decided('a', { kind: 'cancel', reason: 'no' });
    expect(story.commands()).toContain('check-holder a 1');
    expect(story.commands()).not.toContain('give-up a 1');
    expect(story.decided('a', release).commands()).toContain('give-up a 1');
  });

  test('keeps unread what the turn that was cut short had to tell', () => {
    const failure: Failure = { kind: 'interrupted', by: 'the run' };
    const story = new Story().tasks(task('a')).start({ jobs: 1 }).prepared('a').message('a', 'Hi.');
    story.turnStarts('a').decided('a', hold).turnEnds('a', { ok: false, failure });
    expect(story.task('a').messages[0]?.readIn).toBeUndefined();
    story.decided('a', release).turnStarts('a');
    expect(story.task('a').messages[0]?.readIn).toEqual({ attempt: 1, turn: 2 });
  });
});
