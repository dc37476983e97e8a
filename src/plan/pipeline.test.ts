import { describe, expect, test } from 'vitest';
import { settings, task } from '../../test/story.ts';
import type { Changes } from '../model/violation.ts';
import { isOnlyTasks, passes, stagesOf } from './pipeline.ts';

const review = { reviewers: ['r'], person: false, rounds: 1, retries: 0 };
const critique = { critic: 'c', rounds: 1, retries: 0 };

describe('the stages of a task', () => {
  test('are work, gate and landing where nothing else is set up', () => {
    expect(stagesOf(task('a'), settings())).toEqual(['work', 'gate', 'land']);
  });

  test('are those that are set up, in their order', () => {
    expect(stagesOf(task('a'), settings({ review, critique }))).toEqual([
      'critique',
      'work',
      'gate',
      'review',
      'land',
    ]);
  });

  test('are what is said for its type, else for the rest, else the usual ones', () => {
    const pipelines = { docs: ['work', 'land'], default: ['work', 'review', 'land'] } as const;
    const said = settings({ pipelines });
    expect(stagesOf(task('a', { type: 'docs' }), said)).toEqual(['work', 'land']);
    expect(stagesOf(task('a', { type: 'bug' }), said)).toEqual(['work', 'review', 'land']);
    const { default: _default, ...few } = pipelines;
    expect(stagesOf(task('a'), settings({ pipelines: few }))).toEqual(['work', 'gate', 'land']);
  });

  test('are asked for one by one', () => {
    const said = settings({ pipelines: { default: ['work', 'land'] } });
    expect(passes('gate', task('a'), said)).toBe(false);
    expect(passes('land', task('a'), said)).toBe(true);
  });
});

describe('changes that are only tasks', () => {
  const changes = (files: readonly string[], count = files.length): Changes => ({
    files,
    count,
    added: 0,
    removed: 0,
  });

  test('lie in the folder of tasks, all of them', () => {
    expect(isOnlyTasks(changes(['tasks/a.md', 'tasks/b/c.md']))).toBe(true);
    expect(isOnlyTasks(changes(['tasks/a.md', 'src/a.ts']))).toBe(false);
    expect(isOnlyTasks(changes(['src/tasks/a.md']))).toBe(false);
    expect(isOnlyTasks(changes(['tasks.ts']))).toBe(false);
  });

  test('are not what nobody knows, nothing at all, or a list that was cut', () => {
    expect(isOnlyTasks(undefined)).toBe(false);
    expect(isOnlyTasks(changes([]))).toBe(false);
    expect(isOnlyTasks(changes(['tasks/a.md'], 2))).toBe(false);
  });
});
