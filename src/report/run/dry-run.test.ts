import { describe, expect, test } from 'vitest';
import { Story, settings, task } from '../../../test/story.ts';
import { dryRun } from './dry-run.ts';

const lines = (...args: Parameters<typeof dryRun>): readonly string[] => dryRun(...args).lines;

describe('a dry run', () => {
  test('prints what would be started first, and how much more is ready', () => {
    const incoming = [
      task('a'),
      task('b', { priority: 0 }),
      task('c'),
      task('d', { after: ['a'] }),
    ];
    expect(lines(settings({ jobs: 2 }), [], incoming)).toEqual([
      'claim    slot 1  b  Task b  (scripted)',
      'claim    slot 2  a  Task a  (scripted)',
      'then 1 more ready tasks',
    ]);
  });

  test('names the commands that come before the gate on the target', () => {
    const first = (gate: string) =>
      lines(settings({ jobs: 1, gate }), [], [task('a')], 'base', ['sh a.sh', 'sh b.sh'])[0];
    const check = 'check    main, before the first agent starts: sh a.sh, sh b.sh';
    expect(first('g')).toBe(`${check}, then the gate`);
    expect(first('none')).toBe(check);
  });

  test('goes on from what has landed, and tries again what failed', () => {
    const story = new Story().tasks(task('a'), task('b', { after: ['a'] }), task('c'));
    story.start({ jobs: 1, retries: 0 }).landed('a').errs('c');
    const known = [...story.state.tasks.values()];
    expect(lines(settings({ jobs: 4 }), known, [])).toEqual([
      'claim    slot 1  b  Task b  (scripted)',
      'claim    slot 2  c  Task c  (scripted)',
    ]);
    expect(story.task('c').status.id).toBe('failed');
  });

  test('orders tasks by the times that were learned', () => {
    const times = { medianMs: 60_000, factors: { 'difficulty:hard': 4 }, stated: 1 };
    const incoming = [task('plain'), task('hard', { difficulty: 'hard' })];
    expect(lines(settings({ jobs: 1, forecast: { times } }), [], incoming)).toEqual([
      'claim    slot 1  hard  Task hard  (scripted)',
      'then 1 more ready tasks',
    ]);
  });

  test('keeps to the scope', () => {
    const scope = { kind: 'only', tasks: ['b'] } as const;
    expect(lines(settings({ scope }), [], [task('a'), task('b')])).toEqual([
      'claim    slot 1  b  Task b  (scripted)',
    ]);
  });

  test('says that there is nothing to do', () => {
    expect(lines(settings(), [], [])).toEqual(['end-run  drained']);
  });
});
