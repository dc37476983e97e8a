import { describe, expect, test } from 'vitest';
import { owner, Story, settings, task } from '../../test/story.ts';
import type { RunSettings } from '../model/run.ts';
import { adoptions } from './adopt.ts';

/** A run `r1` that has ended, and a new one `r2`. */
function renewed(story: Story, more: Partial<RunSettings> = {}): Story {
  return story.tell(
    { type: 'run-ended', run: 'r1', stop: { reason: 'died' } },
    { type: 'run-started', run: 'r2', owner, settings: settings(more), base: 'base' },
  );
}

const second = (story: Story) => story.state.run('r2') ?? expect.fail('there is no second run');
const taken = (story: Story, free: readonly number[] = [1, 2]) =>
  adoptions(story.state, second(story), free);

describe('what a run takes over', () => {
  test('is what a run that has ended left, in the slot it had where that is free', () => {
    const story = renewed(new Story().tasks(task('a')).start().prepared('a', 2).turn('a', 2));
    expect(taken(story)).toEqual([{ type: 'adopt', id: 'a', attempt: 1, from: 'r1', slot: 2 }]);
    expect(taken(story, [1])).toMatchObject([{ slot: 1 }]);
    expect(taken(story, [])).toEqual([]);
  });

  test('is nothing of a run that goes on, or of one for another target', () => {
    const story = new Story().tasks(task('a')).start().prepared('a');
    story.tell({ type: 'run-started', run: 'r2', owner, settings: settings(), base: 'base' });
    expect(taken(story)).toEqual([]);
    const other = new Story().tasks(task('a')).start().prepared('a');
    expect(taken(renewed(other, { target: 'next' }))).toEqual([]);
  });

  test('is outside of its scope only what a person has decided', () => {
    const scope = { kind: 'only', tasks: ['b'] } as const;
    const story = new Story().tasks(task('a')).start().prepared('a').turn('a');
    story.turnEnds('a', { ok: true, tail: '', signal: { id: 'ask', question: 'Which?' } });
    renewed(story, { scope });
    expect(taken(story)).toEqual([]);
    story.tell({ type: 'task-decided', id: 'a', decision: { kind: 'answer', text: 'This.' } });
    expect(taken(story)).toMatchObject([{ type: 'adopt', id: 'a' }]);
  });

  test('goes on where it was, and its branch queues again', () => {
    const story = renewed(new Story().tasks(task('a')).start().prepared('a').works('a'));
    const adopted = {
      type: 'attempt-adopted',
      run: 'r2',
      id: 'a',
      attempt: 1,
      from: 'r1',
    } as const;
    story.tell({ ...adopted, fence: 9, slot: 1 });
    expect(story.task('a').attempt).toMatchObject({ run: 'r2', fence: 9, branch: 'yard/r1/a-1' });
    expect(taken(story)).toEqual([]);
    // Told twice, or by a run that it does not belong to any more, it changes nothing.
    story.tell({ ...adopted, run: 'r3', fence: 10, slot: 1 });
    expect(story.task('a').attempt?.run).toBe('r2');
  });
});
