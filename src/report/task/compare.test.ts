import { describe, expect, test } from 'vitest';
import { viewed } from '../../../test/report/viewed.ts';
import { Story, task } from '../../../test/story.ts';
import { plain } from '../format/style.ts';
import { statusText } from '../status/status.ts';
import { taskViewsOf } from '../view/task.ts';
import { type CompareView, compareText, compareView } from './compare.ts';
import { whyText } from './task.ts';

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

/** The first one was chosen, conflicted with what landed, and was given up. */
function withdrawn(): Story {
  const story = compared(...names).decided('a', { kind: 'choose', variant: 'a.v1', by: 'person' });
  const of = { run: 'r1', id: 'a.v1', attempt: 1 } as const;
  const last = {
    kind: 'conflict',
    files: ['a.txt'],
    target: second ?? '',
    branch: 'yard/r1/a.v1-1',
  } as const;
  const failure = { kind: 'returned-too-often', times: 1, last } as const;
  story.tell({ type: 'attempt-given-up', ...of, failure });
  return story.tell({ type: 'attempt-failed', ...of, failure });
}

function viewOf(story: Story, underWay: readonly string[] = ['r1']): CompareView {
  const attempts = [...story.state.attempts.values()];
  const ofTask = (id: string) => ({
    record: story.task(id),
    attempts: attempts.filter((one) => one.task === id),
  });
  return compareView(story.task('a'), names.map(ofTask), underWay);
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

  test('says why a choice was withdrawn, until the task has ended', () => {
    const story = withdrawn();
    const told = 'a.v1 was chosen by a person and given up since: Conflicts with 2222222 in a.txt.';
    expect(textOf(story)[2]).toBe(told);
    expect(viewOf(story).withdrawn).toMatchObject({
      variant: 'a.v1',
      by: 'person',
      failure: { kind: 'conflict' },
    });
    const why = (): string => {
      const [a] = taskViewsOf([...story.state.tasks.values()]);
      return a === undefined ? '' : whyText(a, [], plain, 500).join('\n');
    };
    expect(why()).toContain(`${told} So the choice is open again. \`ym why a.v1\` says more`);
    const asked = { type: 'choice-asked', run: 'r1', id: 'a', finished: ['a.v2'] } as const;
    story.tell(asked);
    expect(why()).toContain(told);
    expect(why()).toContain('1 finished variant waits for your choice: a.v2.');
    expect(why()).toContain('then type `ym choose a N`. `ym why a.v1` says more about a.v1.');
    expect(why().split('given up since')).toHaveLength(2);
    story.decided('a', { kind: 'choose', variant: 'a.v2', by: 'person' });
    expect(why()).toContain(`${told} So another variant was chosen.`);
    expect(textOf(story).slice(2, 4)).toEqual([told, 'a.v2 was chosen by a person.']);
    const view = viewed([...story.state.tasks.values()], story.record(), story.now);
    expect(statusText(view, { now: story.now }, plain, 200)).toContain(`a: ${told} See ym why a`);
    story.built('a.v2').candidateJudged(true).lands();
    expect(viewOf(story).withdrawn).toBeUndefined();
  });

  test('says that a variant has stopped whose run is over', () => {
    const story = compared('a.v1').prepared('a.v2', 2).turn('a.v2', 2);
    const states = (...underWay: readonly string[]) =>
      viewOf(story, underWay).variants.map(({ state }) => state);
    expect(states('r1')).toEqual(['finished', 'working']);
    expect(states()).toEqual(['finished', 'stopped']);
  });

  test('names no base of a variant that has not started', () => {
    expect(textOf(compared('a.v1'))[1]).toBe('comparing; 2 variants from 1111111');
  });
});
