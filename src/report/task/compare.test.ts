import { describe, expect, test } from 'vitest';
import { Story, task } from '../../../test/story.ts';
import { plain } from '../format/style.ts';
import { type CompareView, compareText, compareView } from './compare.ts';

const names = ['a.v1', 'a.v2'] as const;
const [first, second] = ['1111111', '2222222'].map((start) => start.padEnd(40, '0'));

/** Two variants; those that are named are finished, from the first commit. */
function compared(...finished: readonly string[]): Story {
  const variants = names.map((id) => task(id, { variantOf: 'a' }));
  const terms = { run: 'r1', base: first ?? '', choose: 'person' } as const;
  const story = new Story()
    .tasks(task('a'))
    .start()
    .tell({ type: 'variants-added', id: 'a', variants, ...terms });
  for (const id of finished) story.prepared(id, 1, first).works(id).judged(id, true);
  return story;
}

function viewOf(story: Story): CompareView {
  const attempts = [...story.state.attempts.values()];
  const ofTask = (id: string) => ({
    record: story.task(id),
    attempts: attempts.filter((one) => one.task === id),
  });
  return compareView(story.task('a'), names.map(ofTask));
}

const textOf = (story: Story): readonly string[] => compareText(viewOf(story), plain, 100);

describe('a comparison of variants', () => {
  test('names the commit that all of them started from', () => {
    const lines = textOf(compared(...names));
    expect(lines[1]).toBe('comparing; 2 variants from 1111111');
    expect(lines.join('\n')).not.toContain('base');
  });

  test('names the base of each if one was started again from a later commit', () => {
    const story = compared('a.v1').errs('a.v2', 2).prepared('a.v2', 2, second);
    story.works('a.v2', 2).judged('a.v2', true);
    const lines = textOf(story);
    expect(lines[1]).toBe('comparing; 2 variants from different commits of the target');
    expect(lines.slice(3, 6)).toEqual([
      expect.stringMatching(/^# {2}state {5}base /),
      expect.stringMatching(/^1 {2}finished {2}1111111 /),
      expect.stringMatching(/^2 {2}finished {2}2222222 /),
    ]);
    expect(viewOf(story).variants.map(({ base }) => base)).toEqual([first, second]);
  });

  test('names no base of a variant that has not started', () => {
    expect(textOf(compared('a.v1'))[1]).toBe('comparing; 2 variants from 1111111');
  });
});
