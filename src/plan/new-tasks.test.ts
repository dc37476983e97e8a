import { describe, expect, test } from 'vitest';
import { owner, Story, task } from '../../test/story.ts';
import { plain } from '../report/format/style.ts';
import { resultLines, resultOf } from '../report/summary/result.ts';
import { isOverLimit, tasksOverLimit } from '../task/scope.ts';

const followUp = (id: string) => task(id, { labels: ['follow-up-of:a'] });
const conflict = task('a-conflict', { type: 'conflict', labels: ['conflict:a'] });

/** A run in which the agent of `a` works. */
function working(newTasks?: number): Story {
  const story: Story = new Story((one) => !isOverLimit(story.state.run('r1'), one.id));
  story.tasks(task('a'));
  return story
    .start(newTasks === undefined ? {} : { newTasks })
    .prepared('a')
    .turn('a');
}

function claims(story: Story): readonly string[] {
  return story.commands().filter((line) => line.startsWith('claim'));
}

function held(story: Story): readonly string[] {
  const run = story.state.run('r1');
  return run === undefined ? [] : tasksOverLimit(run);
}

describe('tasks that are filed during a run', () => {
  test('are worked on in it, without a limit', () => {
    const story = working().tasks(followUp('b'), conflict);
    expect(claims(story)).toHaveLength(1);
    expect(held(story)).toEqual([]);
  });

  test('stay open beyond the limit, in order of arrival; conflict tasks count', () => {
    const story = working(1).tasks(followUp('b'), followUp('c'), conflict);
    expect(held(story)).toEqual(['c', 'a-conflict']);
    expect(story.state.ready.has('b')).toBe(true);
    expect(story.state.ready.has('c')).toBe(false);
    expect(story.task('c').status.id).toBe('open');
  });

  test('do not count where a person brings them in, or no run has filed them', () => {
    const story = working(0).tasks(task('d'), task('e', { labels: ['follow-up-of:d'] }));
    expect(held(story)).toEqual([]);
    expect(story.state.ready.size).toBe(2);
  });

  test('do not keep the run from its end', () => {
    const story = working(0).tasks(followUp('b')).turnEnds('a', { ok: true, tail: '' });
    story.decided('a', { kind: 'cancel', reason: 'enough' });
    expect(claims(story)).toEqual([]);
    expect(story.state.ready.size).toBe(0);
  });

  test('stay open when the run is resumed, unless that raises the limit', () => {
    const story = working(1).tasks(followUp('b'), followUp('c'), followUp('d'));
    story.tell({ type: 'run-ended', run: 'r1', stop: { reason: 'drained' } });
    story.tell({ type: 'run-resumed', run: 'r1', owner, budget: { newTasks: 1 } });
    expect(held(story)).toEqual(['c', 'd']);
    expect(story.state.ready.has('c')).toBe(false);
    story.tell({ type: 'run-ended', run: 'r1', stop: { reason: 'drained' } });
    story.tell({ type: 'run-resumed', run: 'r1', owner, budget: { newTasks: 2 } });
    expect(held(story)).toEqual(['d']);
    expect(story.state.ready.has('c')).toBe(true);
  });

  test('are to be started by a higher limit, not by resuming as before', () => {
    const story = working(1).tasks(followUp('b'), followUp('c'), followUp('d'));
    story.tell({ type: 'run-ended', run: 'r1', stop: { reason: 'drained' } });
    const all = [...story.state.tasks.values()];
    const { notLanded } = resultOf(all, { kind: 'ready' }, story.state.run('r1'));
    expect(notLanded.find(({ id }) => id === 'c')?.command).toBe('ym resume r1 --max-new-tasks 3');
    expect(notLanded.find(({ id }) => id === 'b')?.command).toBe('ym resume');
  });

  test('are named in the result of the run', () => {
    const story = working(1).tasks(followUp('b'), followUp('c'), followUp('d'));
    const run = story.state.run('r1');
    const result = resultOf([...story.state.tasks.values()], { kind: 'ready' }, run);
    expect(result.heldBack).toEqual({ tasks: ['c', 'd'], limit: 1 });
    expect(resultLines(result, plain, 80)[1]).toBe(
      '2 tasks were filed and not started: --max-new-tasks 1',
    );
  });
});
