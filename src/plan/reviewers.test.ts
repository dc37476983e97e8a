import { describe, expect, test } from 'vitest';
import { anAttempt } from '../../test/report/fixtures.ts';
import { Story, settings, task } from '../../test/story.ts';
import type { Attempt } from '../model/attempt.ts';
import type { ReviewRound, ReviewVerdict } from '../model/review.ts';
import type { PoolMember } from '../model/run.ts';
import { nextReview, unreviewed } from './fold-review.ts';

const review = { reviewers: ['r', 's'], person: false, rounds: 3, retries: 1 };
const run = () => new Story().start({ review }).record();

function attempt(reviews: readonly ReviewRound[], tries = 0): Attempt {
  const state = { id: 'unreviewed', commit: 'x', tree: 't', tries, failed: 0 } as const;
  return anAttempt(state, { reviews });
}

const round = (number: number, commit: string, ...by: readonly string[]): ReviewRound => {
  const verdict: ReviewVerdict = 'approved';
  return {
    round: number,
    commit,
    votes: by.map((reviewer) => ({ reviewer, verdict, findings: [] })),
  };
};

describe('who reviews next', () => {
  test('is the first of all in the first round', () => {
    expect(nextReview(attempt([]), run(), 'x')).toEqual({
      kind: 'review',
      round: 1,
      agent: 'r',
      again: 1,
    });
  });

  test('is whoever has not spoken about this state of the work', () => {
    const next = nextReview(attempt([round(1, 'x', 'r')]), run(), 'x');
    expect(next).toEqual({ kind: 'review', round: 1, agent: 's', again: 1 });
  });

  test('is the first again, in a new round, where the work has changed', () => {
    const next = nextReview(attempt([round(1, 'x', 'r', 's')]), run(), 'y');
    expect(next).toEqual({ kind: 'review', round: 2, agent: 'r', again: 1 });
  });

  test('leaves a round behind that was half way when the work changed', () => {
    const next = nextReview(attempt([round(1, 'x', 'r')]), run(), 'y');
    expect(next).toEqual({ kind: 'review', round: 2, agent: 'r', again: 1 });
  });

  test('is the first again where all have spoken and the work came back as it was', () => {
    const next = nextReview(attempt([round(1, 'x', 'r', 's')]), run(), 'x');
    expect(next).toEqual({ kind: 'review', round: 2, agent: 'r', again: 1 });
  });

  test('is the same again, in a further try, where it came to no verdict', () => {
    const next = nextReview(attempt([round(1, 'x', 'r')], 2), run(), 'x');
    expect(next).toEqual({ kind: 'review', round: 1, agent: 's', again: 3 });
  });

  test('is nobody where nobody is asked', () => {
    const none = { ...run(), settings: settings() };
    expect(nextReview(attempt([]), none, 'x')).toBeUndefined();
  });
});

describe('work that waits for a review', () => {
  const newStory = () => {
    const story = new Story().tasks(task('a'), task('b', { priority: 0 }), task('c'));
    story.start({ jobs: 2, pool: 9, review });
    for (const id of ['a', 'b', 'c']) story.prepared(id).works(id).judged(id, true);
    return story;
  };
  const live = (story: Story) => [...story.state.tasks.values()];

  test('is looked at in the order of its importance', () => {
    expect(unreviewed(live(newStory())).map(({ task }) => task.id)).toEqual(['b', 'a', 'c']);
  });

  test('is left alone where nobody wants it any more', () => {
    const story = newStory().decided('b', { kind: 'cancel', reason: 'x' });
    expect(unreviewed(live(story)).map(({ task }) => task.id)).toEqual(['a', 'c']);
  });

  test('takes as many slots as there are, each one another', () => {
    const begun = newStory()
      .decide()
      .commands.filter(({ type }) => type === 'begin-call');
    expect(begun).toMatchObject([
      { id: 'b', call: { agent: 'r' }, slot: 1 },
      { id: 'a', call: { agent: 'r' }, slot: 2 },
    ]);
  });

  test('gets the last agent start that the run may have', () => {
    const story = new Story().tasks(task('a')).start({ jobs: 1, review, maxAttempts: 2 });
    story.prepared('a').works('a').judged('a', true);
    expect(story.commands()).toEqual(['begin-call a 1']);
    story.reviewed('a');
    expect(story.commands()).toEqual(['ask-approval a 1']);
  });

  test('is looked at with the model of the reviewer, whatever the task asks for', () => {
    const member = (name: string, model?: string): PoolMember => ({
      name,
      account: name,
      volunteers: name === 'scripted',
      model,
    });
    const agentPool = [member('scripted', 'small'), member('r', 'large:high'), member('s')];
    const story = new Story()
      .tasks(task('a'))
      .start({ agentPool, review, models: { default: 'tiny' } });
    story.prepared('a').works('a').judged('a', true);
    expect(story.decide().commands).toMatchObject([{ model: 'large', reasoning: 'high' }]);
    story.reviewerStarts('a');
    expect(story.task('a').attempt?.state).toMatchObject({ model: 'large', reasoning: 'high' });
  });

  test('uses no more of an agent at once than its count says', () => {
    const agentPool = [
      { name: 'scripted', account: 'x', volunteers: true },
      { name: 'r', account: 'y', volunteers: false, count: 1 },
      { name: 's', account: 'z', volunteers: false },
    ];
    const story = new Story()
      .tasks(task('a'), task('b'))
      .start({ jobs: 2, pool: 9, review, agentPool });
    for (const id of ['a', 'b']) story.prepared(id).works(id).judged(id, true);
    expect(story.commands()).toEqual(['begin-call a 1']);
    story.reviewerStarts('a');
    expect(story.commands()).toEqual(['run-call a 1']);
  });
});
