import { describe, expect, test } from 'vitest';
import { owner, Story, task } from '../../test/story.ts';
import { readyAgeMs } from './slots.ts';

describe('the order of starts', () => {
  test('weighs tasks by what past ones of their kind took, the same after a resume', () => {
    const times = {
      medianMs: 60_000,
      factors: { 'type:bug': 0.5, 'difficulty:hard': 4 },
      stated: 2,
    };
    const story = new Story()
      .tasks(
        task('bug', { type: 'bug' }),
        task('plain'),
        task('stated', { estimate: '50s' }),
        task('hard', { difficulty: 'hard' }),
      )
      .start({ jobs: 4, forecast: { times } });
    const order = ['claim hard 1', 'claim stated 1', 'claim plain 1', 'claim bug 1'];
    expect(story.commands()).toEqual(order);
    story.tell({ type: 'run-resumed', run: story.run, owner });
    expect(story.commands()).toEqual(order);
  });

  test('takes a task that has waited too long before more important ones', () => {
    const story = new Story().tasks(task('old', { priority: 4 })).start({ jobs: 1 });
    story.now += readyAgeMs;
    story.tasks(task('fresh', { priority: 1 }));
    expect(story.commands()).toEqual(['claim old 1']);
  });

  test('takes a task that has waited long in only one of several starts, so that the longest path still goes first', () => {
    const chain = Array.from({ length: 9 }, (_, at) =>
      task(`c${at}`, { after: at === 0 ? [] : [`c${at - 1}`] }),
    );
    const alone = Array.from({ length: 9 }, (_, at) => task(`a${at}`));
    const story = new Story().tasks(...alone, ...chain).start({ jobs: 1 });
    story.now += 2 * readyAgeMs;
    const started: string[] = [];
    for (let at = 0; at < 8; at += 1) {
      const [claim = ''] = story.commands().filter((command) => command.startsWith('claim'));
      const [, id = ''] = claim.split(' ');
      started.push(id);
      story.landed(id);
    }
    expect(started.filter((id) => id.startsWith('a'))).toEqual(['a0', 'a1']);
  });
});
