import { describe, expect, test } from 'vitest';
import { Story, task } from '../../test/story.ts';
import type { Finding } from '../model/finding.ts';
import type { ReviewSettings, RunSettings } from '../model/run.ts';
import type { Task } from '../model/task.ts';

const review: ReviewSettings = { reviewers: ['r'], person: false, rounds: 3, retries: 1 };

/** A task whose work has passed its gate, in a run with these reviewers. */
function newStory(
  wish: Partial<ReviewSettings> = {},
  more: Partial<RunSettings> = {},
  asked: Partial<Task> = {},
): Story {
  const story = new Story().tasks(task('a', asked));
  story.start({ jobs: 1, pool: 99, review: { ...review, ...wish }, ...more });
  return story.prepared('a').works('a').judged('a', true);
}

const finding = (id: string, more: Partial<Finding> = {}): Finding => ({
  id,
  severity: 'major',
  text: `about ${id}`,
  ...more,
});

const state = (story: Story, id = 'a') => story.task(id).attempt?.state;

/** The agent fixes what reviewers found, and its gate is green again. */
function fixes(story: Story): Story {
  return story.works('a').judged('a', true);
}

const unreadable = { kind: 'review-failed', reviewer: 'r', cause: 'no verdict' } as const;
const limited = { kind: 'provider-rate-limit', agent: 'r', message: 'slow down' } as const;

describe('work that has passed its gate', () => {
  test('waits for a reviewer, holds no slot, and is looked at before anything new begins', () => {
    const story = newStory().tasks(task('b'));
    const work = { commit: 'a-1-1', tree: 'tree-a-1-1' };
    expect(state(story)).toEqual({ id: 'unreviewed', ...work, tries: 0, failed: 0 });
    expect(story.commands()).toEqual(['begin-call a 1']);
    story.reviewerStarts('a');
    expect(state(story)).toMatchObject({ id: 'calling', slot: 1, call: { round: 1, agent: 'r' } });
    expect(story.commands()).toEqual(['run-call a 1']);
  });

  test('queues at once where nobody is asked to look', () => {
    const story = new Story().tasks(task('a')).start().queued('a');
    expect(state(story)).toMatchObject({ id: 'queued' });
  });

  test('queues at once where tasks of its type skip the review', () => {
    const pipelines = { docs: ['work', 'gate', 'land'] } as const;
    expect(state(newStory({}, { pipelines }, { type: 'docs' }))).toMatchObject({ id: 'queued' });
    expect(state(newStory({}, { pipelines }))).toMatchObject({ id: 'unreviewed' });
  });

  test('queues at once where it changes nothing but tasks; more than that is reviewed', () => {
    const made = (files: readonly string[], count = files.length) => {
      const story = new Story().tasks(task('a')).start({ review });
      const changes = { files, count, added: 1, removed: 0 };
      return story.prepared('a').works('a', 1, { changes }).judged('a', true);
    };
    expect(state(made(['tasks/b.md', 'tasks/c.md']))).toMatchObject({ id: 'queued' });
    expect(state(made(['tasks/b.md', 'src/c.ts']))).toMatchObject({ id: 'unreviewed' });
    expect(state(made(['tasks/b.md'], 9))).toMatchObject({ id: 'unreviewed' });
    expect(state(made([]))).toMatchObject({ id: 'unreviewed' });
  });

  test('is reviewed also when its gate was skipped', () => {
    const story = new Story().tasks(task('a')).start({ review }).prepared('a').works('a');
    const gateSkipped = { type: 'gate-skipped', run: 'r1', id: 'a', attempt: 1 } as const;
    story.tell({ ...gateSkipped, tree: 'tree-a-1-1', reason: 'x' });
    expect(state(story)).toMatchObject({ id: 'unreviewed' });
    expect(story.task('a').attempt?.captured?.judged).toBe(false);
  });
});

describe('a review', () => {
  test('that approves lets the work queue', () => {
    const story = newStory().reviewed('a');
    expect(state(story)).toMatchObject({ id: 'queued', commit: 'a-1-1' });
    expect(story.commands()).toEqual(['build-candidate a']);
  });

  test('counts as a start of the run, but not of the task', () => {
    const story = newStory().reviewed('a');
    expect(story.record().spent.starts).toBe(2);
    expect(story.task('a').starts).toBe(1);
  });

  test('that wants changes goes to the conversation of the agent itself, with all rounds', () => {
    const story = newStory({ rounds: 5 }).reviewed('a', finding('one'));
    expect(state(story)).toMatchObject({ id: 'between-turns', turnReason: { id: 'review' } });
    expect(story.commands()).toEqual(['begin-turn a 1']);
    fixes(story).reviewed('a', finding('two'));
    expect(state(story)).toMatchObject({
      turnReason: {
        id: 'review',
        rounds: [
          { round: 1, commit: 'a-1-1', votes: [{ reviewer: 'r', findings: [{ id: 'one' }] }] },
          { round: 2, commit: 'a-1-2', votes: [{ reviewer: 'r', findings: [{ id: 'two' }] }] },
        ],
      },
    });
    expect(story.task('a').starts).toBe(1);
  });

  test('asks every reviewer about one state of the work before anybody hears of it', () => {
    const story = newStory({ reviewers: ['r', 's'] }).reviewed('a', finding('one'));
    expect(state(story)).toMatchObject({ id: 'unreviewed' });
    story.reviewerStarts('a');
    expect(state(story)).toMatchObject({ id: 'calling', call: { round: 1, agent: 's' } });
    story.reviewEnds('a', { ok: true, verdict: 'approved', findings: [] });
    expect(state(story)).toMatchObject({
      id: 'between-turns',
      turnReason: {
        rounds: [{ votes: [{ reviewer: 'r' }, { reviewer: 's', verdict: 'approved' }] }],
      },
    });
  });

  test('needs the approval of all of them, on the same state of the work', () => {
    const story = newStory({ reviewers: ['r', 's'] });
    story.reviewed('a').reviewed('a', finding('one'));
    fixes(story).reviewerStarts('a');
    expect(state(story)).toMatchObject({ call: { round: 2, agent: 'r' } });
    story.reviewEnds('a', { ok: true, verdict: 'approved', findings: [] });
    expect(state(story)).toMatchObject({ id: 'unreviewed' });
    expect(state(story.reviewed('a'))).toMatchObject({ id: 'queued' });
  });

  test('begins a new round also where the work came back as it was', () => {
    const story = newStory().reviewed('a', finding('one'));
    story.turn('a').turnEnds('a', { ok: true, tail: '' }).captured('a', { commit: 'a-1-1' });
    story.judged('a', true).reviewerStarts('a');
    expect(state(story)).toMatchObject({ call: { round: 2 }, from: { commit: 'a-1-1' } });
  });

  test('that is not the one under way changes nothing', () => {
    const story = newStory().reviewerStarts('a');
    const before = story.task('a');
    const result = { ok: true, verdict: 'approved', findings: [] } as const;
    const ended = { type: 'call-ended', run: 'r1', id: 'a', attempt: 1, result } as const;
    const call = { kind: 'review', round: 1, agent: 'r', again: 1 } as const;
    story.tell({ ...ended, call: { ...call, round: 2 } });
    story.tell({ ...ended, call: { ...call, agent: 's' } });
    story.tell({ ...ended, call: { ...call, again: 2 } });
    expect(story.task('a')).toEqual(before);
  });
});

describe('reviews that come to no end', () => {
  test('are left to a person after as many rounds as are allowed, with what is still open', () => {
    const story = newStory({ rounds: 2 }).reviewed('a', finding('one'));
    fixes(story).reviewed('a', finding('two', { severity: 'minor' }));
    expect(state(story)).toMatchObject({
      id: 'awaiting',
      commit: 'a-1-2',
      failure: {
        kind: 'approval-needed',
        because: 'review-limit',
        rounds: 2,
        findings: [{ id: 'two' }],
      },
    });
    expect(story.commands()).toEqual(['end-run question']);
  });

  test('are left to a person as soon as they go in circles', () => {
    const story = newStory({ rounds: 9 }).reviewed('a', finding('one'));
    fixes(story).reviewed('a', finding('two'));
    fixes(story).reviewed('a', finding('one'));
    expect(state(story)).toMatchObject({
      id: 'awaiting',
      failure: { because: 'review-oscillates', rounds: 3 },
    });
  });

  test('end well where the last round approves', () => {
    const story = newStory({ rounds: 2 }).reviewed('a', finding('one'));
    expect(state(fixes(story).reviewed('a'))).toMatchObject({ id: 'queued' });
  });
});

describe('a reviewer that comes to no verdict', () => {
  test('is asked again, as another try of the same round', () => {
    const story = newStory().reviewFails('a', unreadable);
    expect(state(story)).toMatchObject({ id: 'unreviewed', failed: 1 });
    story.reviewerStarts('a');
    expect(state(story)).toMatchObject({ call: { round: 1, agent: 'r', again: 2 } });
    expect(story.task('a').attempt?.reviews).toHaveLength(1);
  });

  test('never counts as a verdict: after its tries a person is asked', () => {
    const story = newStory().reviewFails('a', unreadable).reviewFails('a', unreadable);
    expect(state(story)).toMatchObject({
      id: 'awaiting',
      failure: { because: 'review-failed', last: unreadable },
    });
  });

  test('has its tries again in the next round', () => {
    const story = newStory().reviewFails('a', unreadable).reviewed('a', finding('one'));
    fixes(story).reviewFails('a', unreadable);
    expect(state(story)).toMatchObject({ id: 'unreviewed', failed: 1 });
  });

  test('leaves its round behind, so that other work is not reviewed under the same number', () => {
    const story = newStory({ retries: 0 }).reviewFails('a', unreadable);
    story.decided('a', { kind: 'reject', reason: 'no' }).turnStarts('a');
    story.turnEnds('a', { ok: true, tail: '' }).captured('a').judged('a', true);
    expect(state(story.reviewerStarts('a'))).toMatchObject({ call: { round: 2, again: 1 } });
  });

  test('has its tries apart from those of the others', () => {
    const story = newStory({ reviewers: ['r', 's'] })
      .reviewFails('a', unreadable)
      .reviewed('a');
    story.reviewerStarts('a');
    expect(state(story)).toMatchObject({ call: { agent: 's', again: 1 } });
  });

  test('does not fail the slot it failed in', () => {
    const story = newStory().reviewFails('a', unreadable);
    expect(story.record().slots).toMatchObject([{ errors: 0 }]);
  });
});

describe('a reviewer whose account may not be used', () => {
  test('has failed nobody: it is asked again once that is over', () => {
    const story = newStory({ retries: 0 }).reviewFails('a', limited);
    expect(state(story)).toMatchObject({ id: 'unreviewed' });
    expect(story.record().accounts.paused).toHaveProperty('r');
    expect(story.commands()).toEqual([]);
    const { wakeAt = 0 } = story.decide();
    expect(wakeAt).toBeGreaterThan(story.now);
    story.now = wakeAt;
    expect(story.commands()).toEqual(['begin-call a 1']);
  });

  test('is not counted as a start of the run', () => {
    const story = newStory();
    const { starts } = story.record().spent;
    expect(story.reviewFails('a', limited).record().spent.starts).toBe(starts);
  });

  test('does not give away the tries that were used before', () => {
    const story = newStory({ retries: 1 }).reviewFails('a', unreadable).reviewFails('a', limited);
    story.now = story.decide().wakeAt ?? story.now;
    story.reviewFails('a', unreadable);
    expect(state(story)).toMatchObject({ id: 'awaiting', failure: { because: 'review-failed' } });
  });

  test('is asked in a try of its own: what the last one printed is not read again', () => {
    const story = newStory({ retries: 5 }).reviewFails('a', limited);
    story.now = story.decide().wakeAt ?? story.now;
    story.reviewerStarts('a');
    expect(state(story)).toMatchObject({ id: 'calling', call: { again: 2 } });
  });

  test('holds up nobody but what it has to look at', () => {
    const story = newStory().reviewFails('a', limited).tasks(task('b'));
    expect(story.commands()).toEqual(['claim b 1']);
  });

  test('ends the run where only a person can fix that', () => {
    const refused = { kind: 'provider-auth', agent: 'r', message: 'who are you' } as const;
    const story = newStory().reviewFails('a', refused);
    expect(story.commands()).toEqual(['end-run environment']);
    expect(state(story)).toMatchObject({ id: 'unreviewed' });
  });
});

describe('a review that is cut short', () => {
  const cut = { kind: 'interrupted', by: 'a person' } as const;

  test('by a stop is begun again by whoever goes on', () => {
    const story = newStory({ retries: 0 }).reviewerStarts('a');
    story.tell({ type: 'stop-asked', run: 'r1', how: 'now', by: 'x' });
    expect(story.commands()).toEqual(['halt', 'run-call a 1']);
    story.reviewEnds('a', { ok: false, failure: cut });
    expect(story.commands()).toEqual(['halt', 'end-run canceled']);
    const resumed = { pid: 2, startedAt: 'now', host: 'here' };
    story.tell({ type: 'run-ended', run: 'r1', stop: { reason: 'canceled' } });
    story.tell({ type: 'run-resumed', run: 'r1', owner: resumed });
    expect(story.commands()).toEqual(['begin-call a 1']);
  });

  test('because nobody wants the work any more is ended, and the work is given up', () => {
    const story = newStory().reviewerStarts('a').decided('a', { kind: 'cancel', reason: 'no' });
    expect(story.commands()).toEqual(['run-call a 1', 'interrupt-call a 1']);
    story.reviewEnds('a', { ok: false, failure: cut });
    expect(story.commands()).toEqual(['give-up a 1']);
  });

  test('because the money is gone leaves it to a person', () => {
    const story = newStory({}, { tokens: 100 });
    const usage = { input: 200, cacheRead: 0, cacheWrite: 0, output: 0 };
    story.reviewerStarts('a').reviewEnds('a', { ok: false, failure: cut, usage });
    expect(story.commands()).toEqual(['ask-approval a 1']);
  });
});

describe('a budget that allows no more reviews', () => {
  test('leaves it to a person', () => {
    const story = newStory({}, { maxAttempts: 1 });
    const [asked] = story.decide().commands;
    if (asked?.type !== 'ask-approval') throw new Error(story.commands().join(', '));
    expect(asked.failure).toEqual({ kind: 'approval-needed', because: 'review-budget' });
    story.tell({ ...asked, type: 'approval-asked', run: 'r1' });
    expect(state(story)).toMatchObject({ id: 'awaiting', commit: 'a-1-1', failure: asked.failure });
    expect(story.decided('a', { kind: 'approve' }).commands()).toEqual(['build-candidate a']);
  });

  test('is not met by a stop: whoever goes on may still review', () => {
    const story = newStory().tell({ type: 'stop-asked', run: 'r1', how: 'finish', by: 'x' });
    expect(story.commands()).toEqual(['end-run stop-asked']);
    expect(state(story)).toMatchObject({ id: 'unreviewed' });
  });

  test('asks about nothing that is not waiting for a review', () => {
    const story = new Story().tasks(task('a')).start({ review }).prepared('a');
    const failure = { kind: 'approval-needed', because: 'review-budget' } as const;
    story.tell({ type: 'approval-asked', run: 'r1', id: 'a', attempt: 1, failure });
    expect(state(story)).toMatchObject({ id: 'prepared' });
  });
});

describe('a person who has to approve', () => {
  test('is asked after all reviewers, or at once where there are none', () => {
    const needed = { id: 'awaiting', failure: { because: 'asked-for' } };
    expect(state(newStory({ person: true }).reviewed('a'))).toMatchObject(needed);
    expect(state(newStory({ person: true, reviewers: [] }))).toMatchObject(needed);
  });

  test('lets the work queue by approving of it', () => {
    const story = newStory({ person: true, reviewers: [] }).decided('a', { kind: 'approve' });
    expect(state(story)).toMatchObject({ id: 'queued', commit: 'a-1-1' });
    expect(story.task('a').attempt?.approved).toBe('a-1-1');
  });

  test('approves of one state of the work, not of what comes later', () => {
    const story = newStory({ person: true, reviewers: [] }).decided('a', { kind: 'approve' });
    const failure = { kind: 'conflict', files: ['x'], target: 'base', branch: 'b' } as const;
    story.tell({ type: 'merge-refused', run: 'r1', id: 'a', attempt: 1, failure });
    fixes(story);
    expect(state(story)).toMatchObject({ id: 'awaiting', commit: 'a-1-2' });
  });

  test('tells the agent why not by rejecting it', () => {
    const story = newStory({ person: true, reviewers: [] });
    story.decided('a', { kind: 'reject', reason: 'too long' });
    expect(state(story)).toEqual({
      id: 'between-turns',
      turnReason: { id: 'rejected', reason: 'too long' },
    });
    expect(story.commands()).toEqual(['begin-turn a 1']);
    story.turn('a');
    expect(state(story)).toMatchObject({ id: 'working', turnReason: { id: 'rejected' } });
  });

  test('may approve of what reviewers could not agree on, and nobody looks again', () => {
    const story = newStory({ rounds: 1 }).reviewed('a', finding('one'));
    expect(state(story.decided('a', { kind: 'approve' }))).toMatchObject({ id: 'queued' });
  });

  test('says nothing by approving or rejecting what does not wait for it', () => {
    const story = newStory();
    const before = story.task('a');
    story.decided('a', { kind: 'approve' }).decided('a', { kind: 'reject', reason: 'x' });
    expect(story.task('a')).toEqual(before);
  });

  test('is waited for by the run only as long as other work goes on', () => {
    const story = newStory({ person: true, reviewers: [] }).tasks(task('b'));
    expect(story.commands()).toEqual(['claim b 1']);
    story.decided('b', { kind: 'skip', reason: 'x' });
    expect(story.decide().commands).toMatchObject([
      { type: 'end-run', stop: { reason: 'question', failure: { because: 'asked-for' } } },
    ]);
  });

  test('may give it up instead', () => {
    const story = newStory({ person: true, reviewers: [] });
    expect(story.decided('a', { kind: 'cancel', reason: 'no' }).commands()).toEqual([
      'give-up a 1',
    ]);
  });
});
