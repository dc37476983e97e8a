import { describe, expect, test } from 'vitest';
import { Story, task } from '../../test/story.ts';
import type { choiceTerms } from '../model/best-of.ts';
import type { RunSettings } from '../model/run.ts';
import type { ObjectOf } from '../model/shape.ts';

const ids = ['a.v1', 'a.v2'] as const;

/** A run with a task of two variants, none of which has started. */
function compared(
  terms: Partial<ObjectOf<typeof choiceTerms>> = {},
  settings: Partial<RunSettings> = {},
): Story {
  const variants = ids.map((id) => task(id, { variantOf: 'a' }));
  const of = { run: 'r1', id: 'a', base: 'base', variants, choose: 'auto', ...terms } as const;
  return new Story()
    .tasks(task('a'))
    .start({ jobs: 2, ...settings })
    .tell({ type: 'variants-added', ...of });
}

/** Work on a variant is done and passed its gate. */
const finish = (story: Story, id: string, slot = 1): Story =>
  story.prepared(id, slot).works(id, slot).judged(id, true);

describe('variants of a task', () => {
  test('are waited for as long as the first one that is finished allows', () => {
    const story = finish(compared({ waitMs: 60_000 }), 'a.v1');
    const finishedAt = story.now;
    story.prepared('a.v2', 2).turn('a.v2', 2);
    const { commands, wakeAt = 0 } = story.decide();
    expect(commands.map(({ type }) => type)).not.toContain('choose');
    expect(wakeAt).toBe(finishedAt + 60_000);
    story.now = wakeAt;
    expect(story.decide().commands).toContainEqual({
      type: 'choose',
      original: 'a',
      choice: { variant: 'a.v1', by: 'rule', reason: 'it is the only one that is finished' },
    });
  });

  test('are waited for without an end if the config names none', () => {
    const story = finish(compared(), 'a.v1');
    story.prepared('a.v2', 2).turn('a.v2', 2);
    story.now += 24 * 3_600_000;
    expect(story.commands().join()).not.toContain('choose');
  });

  test('keep the agent starts that they need before another task gets one', () => {
    const attempts = { best_of: 2, agents: [], choose: 'auto', byType: {} } as const;
    const story = new Story()
      .tasks(task('a'), task('b', { attempts: { best_of: 1 } }))
      .start({ jobs: 4, maxAttempts: 2, attempts });
    expect(story.commands()).toEqual(['expand']);
    const variants = ids.map((id) => task(id, { variantOf: 'a' }));
    const of = { run: 'r1', id: 'a', base: 'base', variants, choose: 'auto' } as const;
    story.tell({ type: 'variants-added', ...of });
    expect(story.commands()).toEqual(['claim a.v1 1', 'claim a.v2 1']);
  });

  test('are not made if the budget does not cover the first turn of each', () => {
    const attempts = { best_of: 3, agents: [], choose: 'auto', byType: {} } as const;
    const story = new Story().tasks(task('a')).start({ jobs: 4, maxAttempts: 2, attempts });
    expect(story.commands()).toEqual(['end-run max-attempts']);
  });
});

test('if the chosen variant is given up, another one that is finished is chosen', () => {
  const story = finish(finish(compared(), 'a.v1'), 'a.v2', 2);
  const choice = { variant: 'a.v1', by: 'rule', reason: 'smallest change' } as const;
  story.decided('a', { kind: 'choose', ...choice });
  expect(story.task('a.v1').attempt?.state.id).toBe('queued');
  expect(story.task('a.v2').attempt?.state.id).toBe('finished');
  const failure = { kind: 'canceled-by-person', reason: 'not wanted' } as const;
  story.decided('a.v1', { kind: 'cancel', reason: 'not wanted' });
  expect(story.commands()).toContain('give-up a.v1 1');
  const of = { run: 'r1', id: 'a.v1', attempt: 1, failure };
  story.tell({ type: 'attempt-given-up', ...of }, { type: 'attempt-failed', ...of });
  expect(story.task('a')).toMatchObject({ status: { id: 'open' } });
  expect(story.decide().commands).toContainEqual({
    type: 'choose',
    original: 'a',
    choice: { variant: 'a.v2', by: 'rule', reason: 'it is the only one that is finished' },
  });
});
