import { describe, expect, test } from 'vitest';
import { Story, task } from '../../test/story.ts';
import type { RunSettings } from '../model/run.ts';
import { branchGateSkipReason } from './gates.ts';

/** A run in which `a` has work to be judged. */
function newStory(more: Partial<RunSettings> = {}, type = 'task'): Story {
  const story = new Story().tasks(task('a', { type }), task('b'), task('c'));
  return story
    .start({ jobs: 3, pool: 99, ...more })
    .prepared('a')
    .works('a');
}

function skipReason(story: Story): string | undefined {
  return branchGateSkipReason(story.task('a'), story.record());
}

/** Work of the same kind came out like this before. */
function seen(good: number, bad: number, more: Partial<RunSettings> = {}): Story {
  const story = newStory({ branchGate: 'auto', ...more });
  for (let at = 0; at < good; at += 1) story.tasks(task(`g${at}`)).landed(`g${at}`, 2);
  for (let at = 0; at < bad; at += 1) {
    story
      .tasks(task(`b${at}`))
      .queued(`b${at}`, 2)
      .built(`b${at}`)
      .candidateJudged(false);
  }
  return story;
}

const two = { gateSlots: 2 };

describe('the gate of a branch', () => {
  test('is always run where nobody says otherwise', () => {
    expect(skipReason(newStory())).toBeUndefined();
    expect(skipReason(newStory({ branchGate: 'always' }))).toBeUndefined();
    expect(newStory().commands()).toContain('begin-branch-gate a 1');
  });

  test('is never run where it is not wanted', () => {
    const story = newStory({ branchGate: 'never' });
    expect(skipReason(story)).toBe('gate.branch is never');
    expect(story.commands()).toContain('skip-gate a 1');
  });

  test('runs before a review: a reviewer is not paid for red work', () => {
    const review = { reviewers: ['critic'], person: false, rounds: 1, retries: 0 };
    expect(skipReason(newStory({ branchGate: 'auto', review }))).toBeUndefined();
    const pipelines = { default: ['work', 'gate', 'land'] } as const;
    expect(skipReason(newStory({ branchGate: 'auto', review, pipelines }))).toContain(
      'merge queue',
    );
  });

  test('is not run for tasks whose type skips it', () => {
    const pipelines = { docs: ['work', 'land'] } as const;
    expect(skipReason(newStory({ pipelines }, 'docs'))).toBe('tasks of type docs skip it');
    expect(skipReason(newStory({ pipelines }))).toBeUndefined();
  });
});

describe('the gate of a branch, where the run decides', () => {
  test('is off while nothing speaks for it, whether the queue is empty or not', () => {
    expect(skipReason(newStory({ branchGate: 'auto' }))).toBe('the merge queue judges it');
    const story = newStory({ branchGate: 'auto' }).queued('b', 2);
    expect(skipReason(story)).toBe('the merge queue judges it');
    expect(skipReason(story.built('b').gatesBegin())).toBe('the merge queue judges it');
  });

  test('is on once enough branches of the same agent and type were red, with a gate to spare', () => {
    expect(skipReason(seen(3, 0, two))).toContain('3 of 3');
    expect(skipReason(seen(0, 1, two))).toContain('0 of 1');
    expect(skipReason(seen(0, 2, two))).toBeUndefined();
    expect(skipReason(seen(4, 2, two))).toBeUndefined();
    expect(skipReason(seen(8, 2, two))).toContain('8 of 10');
  });

  test('stays off with a single gate at once: it would only delay the candidate', () => {
    expect(skipReason(seen(1, 3))).toContain('1 of 4');
  });

  test('learns from its own verdicts too, so that filtered branches keep the filter on', () => {
    const story = seen(4, 2, two);
    story.tasks(task('d')).prepared('d', 2).works('d', 2).judged('d', false);
    expect(story.record().train.outcomesByKind['scripted task']).toEqual({ good: 4, bad: 3 });
    expect(story.record().train.recentOutcomes).toHaveLength(6);
  });

  test('learns by agent and type: others say nothing about it', () => {
    const story = newStory({ branchGate: 'auto', ...two }, 'hard');
    for (const id of ['b', 'c']) story.queued(id, 2).built(id).candidateJudged(false);
    expect(skipReason(story)).toBe('the merge queue judges it');
  });

  test('is on for a branch that was red before, however good all others were', () => {
    const story = seen(9, 0);
    expect(skipReason(story)).toContain('9 of 9');
    story.judged('a', true).built('a').candidateJudged(false).works('a');
    expect(story.task('a').attempt?.returns.reds).toBe(1);
    expect(skipReason(story)).toBeUndefined();
  });

  test('is on where it has a quick command of its own', () => {
    expect(skipReason(newStory({ branchGate: 'auto', quickGate: true }))).toBeUndefined();
    expect(skipReason(seen(9, 0, { quickGate: true }))).toBeUndefined();
  });
});
