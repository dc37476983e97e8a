import { describe, expect, test } from 'vitest';
import { Story, task } from '../../test/story.ts';
import { resultOf } from '../report/summary/result.ts';

const gone = { kind: 'cancel', reason: 'no longer wanted' } as const;

function twoVariants(): Story {
  const variants = ['a.v1', 'a.v2'].map((id) => task(id, { variantOf: 'a' }));
  const terms = { run: 'r1', base: 'base', choose: 'person' } as const;
  return new Story()
    .tasks(task('a'))
    .start()
    .tell({ type: 'variants-added', id: 'a', variants, ...terms });
}

describe('a variant', () => {
  test('is not tried again after its task was canceled', () => {
    const story = twoVariants().decided('a', gone).decided('a.v2', { kind: 'retry' });
    expect(story.task('a.v2').status.id).toBe('canceled');
    story.decided('a', { kind: 'retry' });
    expect(['a', 'a.v1', 'a.v2'].map((id) => story.task(id).status.id)).toEqual(
      Array.from({ length: 3 }, () => 'open'),
    );
  });

  test('reopens a task whose variants have all ended', () => {
    const story = twoVariants().decided('a.v1', gone).decided('a.v2', gone);
    expect(story.task('a').status).toMatchObject({ failure: { kind: 'variants-failed' } });
    story.decided('a.v2', { kind: 'retry' });
    expect(story.task('a').status.id).toBe('open');
  });

  test('that waits for a person is not tried again by a new run, and so is its task', () => {
    const byRun = { kind: 'retry', by: 'run' } as const;
    const story = twoVariants().decided('a.v1', gone).decided('a.v2', gone).decided('a', byRun);
    expect(story.task('a').status).toMatchObject({ failure: { kind: 'variants-failed' } });
  });

  test('counts with its task in the result of a run', () => {
    const story = twoVariants().prepared('a.v1').prepared('a.v2', 2).decided('a', gone);
    const all = [...story.state.tasks.values()];
    const { canceled, notLanded } = resultOf(all, { kind: 'ready' }, story.record());
    expect([canceled, notLanded.map(({ id }) => id)]).toEqual([1, ['a']]);
  });
});
