import { describe, expect, test } from 'vitest';
import { owner, Story, task } from '../../test/story.ts';
import { limits } from '../model/limits.ts';
import { troubleIn } from '../model/run-record.ts';

const together = { batch: 4, style: 'merge' } as const;

describe('a candidate that is green and about to land', () => {
  const green = () => {
    const story = new Story().tasks(task('a'), task('b')).start({ train: together });
    return story.queued('a').queued('b', 2).built('a', 'b').candidateJudged(true);
  };

  test('is not taken apart by a cancel, since it may be on the target already', () => {
    const story = green().decided('a', { kind: 'cancel', reason: 'not needed' });
    expect(story.commands()).toContain('land c1');
    expect(story.task('b').attempt?.state.id).toBe('landing');
  });

  test('is still landed by the next engine when the first one dies after the cancel', () => {
    const story = green().decided('a', { kind: 'cancel', reason: 'not needed' });
    story.tell({ type: 'run-resumed', run: 'r1', owner: { ...owner, pid: 2 } });
    expect(story.commands()).toContain('land c1');
    expect(story.lands().task('b').status).toMatchObject({ id: 'landed' });
  });
});

describe('a green candidate that has to wait', () => {
  const waits = (story: Story, candidate: string) => {
    const failure = { kind: 'share-slow', ms: 1 } as const;
    return story.tell({ type: 'landing-waits', run: 'r1', candidate, failure, until: 9_999 });
  };
  const green = () => {
    const how = { train: { batch: 1, style: 'merge' } } as const;
    const story = new Story().tasks(task('a'), task('b')).start(how);
    return story.queued('a').queued('b', 2).built('a').candidateJudged(true);
  };
  const candidates = (story: Story) => story.record().train.candidates.map(({ id }) => id);

  test('is dropped if its task was canceled during the try', () => {
    const story = green().decided('a', { kind: 'cancel', reason: 'not needed' });
    expect(candidates(waits(story, 'c1'))).toEqual([]);
    expect(story.commands()).toContain('build-candidate b');
  });

  test('is left to the next try if its task is canceled meanwhile', () => {
    const story = waits(green(), 'c1').decided('a', { kind: 'cancel', reason: 'not needed' });
    expect(candidates(story)).toEqual(['c1']);
    expect(candidates(waits(story, 'c1'))).toEqual([]);
  });

  test('keeps none on top of it whose task was canceled', () => {
    const story = waits(green(), 'c1').built('b').judgedAs('c2', true);
    expect(candidates(story)).toEqual(['c1', 'c2']);
    story.decided('b', { kind: 'cancel', reason: 'not needed' });
    expect(candidates(story)).toEqual(['c1']);
  });

  test('ends an idle run soon if it is refused, and when git gives up if nothing answers', () => {
    const afterMinute = (kind: 'share-slow' | 'share-failed') => {
      const story = new Story().tasks(task('a')).start().queued('a').built('a');
      story.candidateJudged(true);
      const failure =
        kind === 'share-slow' ? ({ kind, ms: 1 } as const) : ({ kind, detail: 'x' } as const);
      const until = story.now + 2 * limits.gitWallMs;
      story.tell({ type: 'landing-waits', run: 'r1', candidate: 'c1', failure, until });
      story.now += limits.machinePatienceMs;
      const soon = story.commands();
      story.now += limits.gitWallMs;
      return [soon, story.commands()];
    };
    expect(afterMinute('share-failed')[0]).toEqual(['end-run environment']);
    expect(afterMinute('share-slow')).toEqual([[], ['end-run environment']]);
  });
});

describe('of two candidates on the same target', () => {
  test('one lands at a time, the urgent one first, and the target is known to be at it', () => {
    const how = { gateSlots: 2, train: { batch: 1, style: 'merge' } } as const;
    const story = new Story().tasks(task('a'), task('p', { priority: 0 })).start(how);
    story.queued('a').builds().gatesBegin();
    story.queued('p', 2).builds().gatesBegin();
    story.judgedAs('c1', true).judgedAs('c2', true);
    expect(story.record().train.candidates.map(({ id, urgent }) => [id, urgent])).toEqual([
      ['c2', true],
      ['c1', undefined],
    ]);
    expect(story.commands()).toEqual(['land c2']);
    story.lands();
    expect(story.record().target.tip).toBe('landing-p');
    expect(story.task('p').status).toMatchObject({ id: 'landed' });
  });
});

describe('what a person took back from the target', () => {
  test('is not held against later commits once the run goes on', () => {
    const story = new Story().tasks(task('a'), task('b')).start().landed('a');
    story.tell(
      { type: 'target-moved', run: 'r1', from: 'landing-a', to: 'base', rewound: true },
      { type: 'run-ended', run: 'r1', stop: { reason: 'environment' } },
      { type: 'run-resumed', run: 'r1', owner: { ...owner, pid: 2 } },
    );
    expect(troubleIn(story.record())).toBeUndefined();
  });
});

describe('a candidate that is not judged yet', () => {
  test('is dropped once one of its tasks is canceled, and the others queue again', () => {
    const story = new Story().tasks(task('a'), task('b')).start({ train: together });
    story.queued('a').queued('b', 2).built('a', 'b');
    story.decided('a', { kind: 'cancel', reason: 'not needed' });
    expect(story.record().train.candidates).toEqual([]);
    expect(story.task('b').attempt?.state.id).toBe('queued');
    expect(story.commands()).toEqual(['give-up a 1', 'build-candidate b']);
  });
});
