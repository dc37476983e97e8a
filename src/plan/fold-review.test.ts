import { describe, expect, test } from 'vitest';
import { Story, task } from '../../test/story.ts';
import type { Finding } from '../model/review.ts';
import type { ReviewSettings, RunSettings } from '../model/run.ts';
import type { Task } from '../model/task.ts';

const review: ReviewSettings = { reviewers: ['r'], person: false, rounds: 3, retries: 1 };

/** A task whose work has passed its gate, in a run with these reviewers. */
function story(
  wish: Partial<ReviewSettings> = {},
  more: Partial<RunSettings> = {},
  asked: Partial<Task> = {},
): Story {
  const told = new Story().tasks(task('a', asked));
  told.start({ jobs: 1, pool: 99, review: { ...review, ...wish }, ...more });
  return told.prepared('a').works('a').judged('a', true);
}

const finding = (id: string, more: Partial<Finding> = {}): Finding => ({
  id,
  severity: 'major',
  text: `about ${id}`,
  ...more,
});

const state = (told: Story, id = 'a') => told.task(id).attempt?.state;

/** The agent fixes what reviewers found, and its gate is green again. */
function fixes(told: Story): Story {
  return told.works('a').judged('a', true);
}

const unreadable = { kind: 'review-failed', reviewer: 'r', cause: 'no verdict' } as const;
const limited = { kind: 'provider-rate-limit', agent: 'r', message: 'slow down' } as const;

describe('work that has passed its gate', () => {
  test('waits for a reviewer, holds no slot, and is looked at before anything new begins', () => {
    const told = story().tasks(task('b'));
    expect(state(told)).toEqual({ id: 'unreviewed', commit: 'a-1-1', tree: 'tree-a-1-1' });
    expect(told.says()).toEqual(['begin-review a 1']);
    told.reviewerStarts('a');
    expect(state(told)).toMatchObject({ id: 'reviewing', slot: 1, round: 1, reviewer: 'r' });
    expect(told.says()).toEqual(['run-review a 1']);
  });

  test('queues at once where nobody is asked to look', () => {
    const told = new Story().tasks(task('a')).start().queued('a');
    expect(state(told)).toMatchObject({ id: 'queued' });
  });

  test('queues at once where tasks of its type skip the review', () => {
    const pipelines = { docs: ['work', 'gate', 'land'] } as const;
    expect(state(story({}, { pipelines }, { type: 'docs' }))).toMatchObject({ id: 'queued' });
    expect(state(story({}, { pipelines }))).toMatchObject({ id: 'unreviewed' });
  });

  test('queues at once where it changes nothing but tasks; more than that is reviewed', () => {
    const made = (files: readonly string[], count = files.length) => {
      const told = new Story().tasks(task('a')).start({ review });
      const changes = { files, count, added: 1, removed: 0 };
      return told.prepared('a').works('a', 1, { changes }).judged('a', true);
    };
    expect(state(made(['tasks/b.md', 'tasks/c.md']))).toMatchObject({ id: 'queued' });
    expect(state(made(['tasks/b.md', 'src/c.ts']))).toMatchObject({ id: 'unreviewed' });
    expect(state(made(['tasks/b.md'], 9))).toMatchObject({ id: 'unreviewed' });
    expect(state(made([]))).toMatchObject({ id: 'unreviewed' });
  });

  test('is reviewed also where its gate was spared', () => {
    const told = new Story().tasks(task('a')).start({ review }).prepared('a').works('a');
    const spared = { type: 'gate-skipped', run: 'r1', id: 'a', attempt: 1 } as const;
    told.tell({ ...spared, tree: 'tree-a-1-1', reason: 'x' });
    expect(state(told)).toMatchObject({ id: 'unreviewed' });
    expect(told.task('a').attempt?.gateSkipped).toBe(true);
  });
});

describe('a review', () => {
  test('that approves lets the work queue', () => {
    const told = story().reviewed('a');
    expect(state(told)).toMatchObject({ id: 'queued', commit: 'a-1-1' });
    expect(told.says()).toEqual(['build-candidate a']);
  });

  test('counts as a start of the run, but not of the task', () => {
    const told = story().reviewed('a');
    expect(told.record().starts).toBe(2);
    expect(told.task('a').starts?.count).toBe(1);
  });

  test('that wants changes goes to the conversation of the agent itself, with all rounds', () => {
    const told = story({ rounds: 5 }).reviewed('a', finding('one'));
    expect(state(told)).toMatchObject({ id: 'between-turns', turnReason: { id: 'review' } });
    expect(told.says()).toEqual(['begin-turn a 1']);
    fixes(told).reviewed('a', finding('two'));
    expect(state(told)).toMatchObject({
      turnReason: {
        id: 'review',
        rounds: [
          { round: 1, commit: 'a-1-1', votes: [{ reviewer: 'r', findings: [{ id: 'one' }] }] },
          { round: 2, commit: 'a-1-2', votes: [{ reviewer: 'r', findings: [{ id: 'two' }] }] },
        ],
      },
    });
    expect(told.task('a').starts?.count).toBe(1);
  });

  test('asks every reviewer about one state of the work before anybody hears of it', () => {
    const told = story({ reviewers: ['r', 's'] }).reviewed('a', finding('one'));
    expect(state(told)).toMatchObject({ id: 'unreviewed' });
    told.reviewerStarts('a');
    expect(state(told)).toMatchObject({ id: 'reviewing', round: 1, reviewer: 's' });
    told.reviewEnds('a', { ok: true, verdict: 'approved', findings: [] });
    expect(state(told)).toMatchObject({
      id: 'between-turns',
      turnReason: {
        rounds: [{ votes: [{ reviewer: 'r' }, { reviewer: 's', verdict: 'approved' }] }],
      },
    });
  });

  test('needs the approval of all of them, on the same state of the work', () => {
    const told = story({ reviewers: ['r', 's'] });
    told.reviewed('a').reviewed('a', finding('one'));
    fixes(told).reviewerStarts('a');
    expect(state(told)).toMatchObject({ round: 2, reviewer: 'r' });
    told.reviewEnds('a', { ok: true, verdict: 'approved', findings: [] });
    expect(state(told)).toMatchObject({ id: 'unreviewed' });
    expect(state(told.reviewed('a'))).toMatchObject({ id: 'queued' });
  });

  test('begins a new round also where the work came back as it was', () => {
    const told = story().reviewed('a', finding('one'));
    told.turn('a').turnEnds('a', { ok: true, tail: '' }).captured('a', { commit: 'a-1-1' });
    told.judged('a', true).reviewerStarts('a');
    expect(state(told)).toMatchObject({ round: 2, commit: 'a-1-1' });
  });

  test('that is not the one under way changes nothing', () => {
    const told = story().reviewerStarts('a');
    const before = told.task('a');
    const result = { ok: true, verdict: 'approved', findings: [] } as const;
    const ended = { type: 'review-ended', run: 'r1', id: 'a', attempt: 1, result } as const;
    told.tell({ ...ended, round: 2, reviewer: 'r', again: 1 });
    told.tell({ ...ended, round: 1, reviewer: 's', again: 1 });
    told.tell({ ...ended, round: 1, reviewer: 'r', again: 2 });
    expect(told.task('a')).toEqual(before);
  });

  test('told twice counts once', () => {
    const told = story({ reviewers: ['r', 's'] }).reviewed('a');
    const result = { ok: true, verdict: 'approved', findings: [] } as const;
    const ended = { type: 'review-ended', run: 'r1', id: 'a', attempt: 1, result } as const;
    told.tell({ ...ended, round: 1, reviewer: 'r', again: 1 });
    expect(told.task('a').attempt?.reviews?.[0]?.votes).toHaveLength(1);
  });
});

describe('reviews that come to no end', () => {
  test('are left to a person after as many rounds as are allowed, with what is still open', () => {
    const told = story({ rounds: 2 }).reviewed('a', finding('one'));
    fixes(told).reviewed('a', finding('two', { severity: 'minor' }));
    expect(state(told)).toMatchObject({
      id: 'awaiting',
      commit: 'a-1-2',
      failure: {
        kind: 'approval-needed',
        because: 'review-limit',
        rounds: 2,
        findings: [{ id: 'two' }],
      },
    });
    expect(told.says()).toEqual(['end-run question']);
  });

  test('are left to a person as soon as they go in circles', () => {
    const told = story({ rounds: 9 }).reviewed('a', finding('one'));
    fixes(told).reviewed('a', finding('two'));
    fixes(told).reviewed('a', finding('one'));
    expect(state(told)).toMatchObject({
      id: 'awaiting',
      failure: { because: 'review-oscillates', rounds: 3 },
    });
  });

  test('end well where the last round approves', () => {
    const told = story({ rounds: 2 }).reviewed('a', finding('one'));
    expect(state(fixes(told).reviewed('a'))).toMatchObject({ id: 'queued' });
  });
});

describe('a reviewer that comes to no verdict', () => {
  test('is asked again, as another try of the same round', () => {
    const told = story().reviewFails('a', unreadable);
    expect(state(told)).toMatchObject({ id: 'unreviewed', failed: 1 });
    told.reviewerStarts('a');
    expect(state(told)).toMatchObject({ round: 1, reviewer: 'r', again: 2 });
    expect(told.task('a').attempt?.reviews).toHaveLength(1);
  });

  test('never counts as a verdict: after its tries a person is asked', () => {
    const told = story().reviewFails('a', unreadable).reviewFails('a', unreadable);
    expect(state(told)).toMatchObject({
      id: 'awaiting',
      failure: { because: 'review-failed', last: unreadable },
    });
  });

  test('has its tries again in the next round', () => {
    const told = story().reviewFails('a', unreadable).reviewed('a', finding('one'));
    fixes(told).reviewFails('a', unreadable);
    expect(state(told)).toMatchObject({ id: 'unreviewed', failed: 1 });
  });

  test('has its tries apart from those of the others', () => {
    const told = story({ reviewers: ['r', 's'] })
      .reviewFails('a', unreadable)
      .reviewed('a');
    told.reviewerStarts('a');
    expect(state(told)).toMatchObject({ reviewer: 's', again: 1 });
  });

  test('does not fail the slot it failed in', () => {
    const told = story().reviewFails('a', unreadable);
    expect(told.record().slotErrors).toEqual([0]);
  });
});

describe('a reviewer whose account may not be used', () => {
  test('has failed nobody: it is asked again once that is over', () => {
    const told = story({ retries: 0 }).reviewFails('a', limited);
    expect(state(told)).toMatchObject({ id: 'unreviewed' });
    expect(told.record().pausedAccounts).toHaveProperty('r');
    expect(told.says()).toEqual([]);
    const { wakeAt = 0 } = told.decide();
    expect(wakeAt).toBeGreaterThan(told.now);
    told.now = wakeAt;
    expect(told.says()).toEqual(['begin-review a 1']);
  });

  test('is not counted as a start of the run', () => {
    const told = story();
    const { starts } = told.record();
    expect(told.reviewFails('a', limited).record().starts).toBe(starts);
  });

  test('does not give away the tries that were used before', () => {
    const told = story({ retries: 1 }).reviewFails('a', unreadable).reviewFails('a', limited);
    told.now = told.decide().wakeAt ?? told.now;
    told.reviewFails('a', unreadable);
    expect(state(told)).toMatchObject({ id: 'awaiting', failure: { because: 'review-failed' } });
  });

  test('is asked in a try of its own: what the last one printed is not read again', () => {
    const told = story({ retries: 5 }).reviewFails('a', limited);
    told.now = told.decide().wakeAt ?? told.now;
    told.reviewerStarts('a');
    expect(state(told)).toMatchObject({ id: 'reviewing', again: 2 });
  });

  test('holds up nobody but what it has to look at', () => {
    const told = story().reviewFails('a', limited).tasks(task('b'));
    expect(told.says()).toEqual(['claim b 1']);
  });

  test('ends the run where only a person can fix that', () => {
    const refused = { kind: 'provider-auth', agent: 'r', message: 'who are you' } as const;
    const told = story().reviewFails('a', refused);
    expect(told.says()).toEqual(['end-run environment']);
    expect(state(told)).toMatchObject({ id: 'unreviewed' });
  });
});

describe('a review that is cut short', () => {
  const cut = { kind: 'interrupted', by: 'a person' } as const;

  test('by a stop is begun again by whoever goes on', () => {
    const told = story({ retries: 0 }).reviewerStarts('a');
    told.tell({ type: 'stop-asked', run: 'r1', how: 'now', by: 'x' });
    expect(told.says()).toEqual(['halt', 'run-review a 1']);
    told.reviewEnds('a', { ok: false, failure: cut });
    expect(told.says()).toEqual(['halt', 'end-run cancelled']);
    const resumed = { pid: 2, startedAt: 'now', host: 'here' };
    told.tell({ type: 'run-ended', run: 'r1', stop: { reason: 'cancelled' } });
    told.tell({ type: 'run-resumed', run: 'r1', owner: resumed });
    expect(told.says()).toEqual(['begin-review a 1']);
  });

  test('because nobody wants the work any more is ended, and the work is given up', () => {
    const told = story().reviewerStarts('a').decided('a', { kind: 'cancel', reason: 'no' });
    expect(told.says()).toEqual(['run-review a 1', 'interrupt-review a 1']);
    told.reviewEnds('a', { ok: false, failure: cut });
    expect(told.says()).toEqual(['give-up a 1']);
  });

  test('because the money is gone leaves it to a person', () => {
    const told = story({}, { tokens: 100 });
    const usage = { input: 200, cacheRead: 0, cacheWrite: 0, output: 0 };
    told.reviewerStarts('a').reviewEnds('a', { ok: false, failure: cut, usage });
    expect(told.says()).toEqual(['ask-approval a 1']);
  });
});

describe('a budget that allows no more reviews', () => {
  test('leaves it to a person', () => {
    const told = story({}, { maxAttempts: 1 });
    const [asked] = told.decide().commands;
    if (asked?.type !== 'ask-approval') throw new Error(told.says().join(', '));
    expect(asked.failure).toEqual({ kind: 'approval-needed', because: 'review-budget' });
    told.tell({ ...asked, type: 'approval-asked', run: 'r1' });
    expect(state(told)).toMatchObject({ id: 'awaiting', commit: 'a-1-1', failure: asked.failure });
    expect(told.decided('a', { kind: 'approve' }).says()).toEqual(['build-candidate a']);
  });

  test('is not met by a stop: whoever goes on may still review', () => {
    const told = story().tell({ type: 'stop-asked', run: 'r1', how: 'finish', by: 'x' });
    expect(told.says()).toEqual(['end-run stop-asked']);
    expect(state(told)).toMatchObject({ id: 'unreviewed' });
  });

  test('asks about nothing that is not waiting for a review', () => {
    const told = new Story().tasks(task('a')).start({ review }).prepared('a');
    const failure = { kind: 'approval-needed', because: 'review-budget' } as const;
    told.tell({ type: 'approval-asked', run: 'r1', id: 'a', attempt: 1, failure });
    expect(state(told)).toMatchObject({ id: 'prepared' });
  });
});

describe('a person who has to approve', () => {
  test('is asked after all reviewers, or at once where there are none', () => {
    const needed = { id: 'awaiting', failure: { because: 'asked-for' } };
    expect(state(story({ person: true }).reviewed('a'))).toMatchObject(needed);
    expect(state(story({ person: true, reviewers: [] }))).toMatchObject(needed);
  });

  test('lets the work queue by approving of it', () => {
    const told = story({ person: true, reviewers: [] }).decided('a', { kind: 'approve' });
    expect(state(told)).toMatchObject({ id: 'queued', commit: 'a-1-1' });
    expect(told.task('a').attempt?.approved).toBe('a-1-1');
  });

  test('approves of one state of the work, not of what comes later', () => {
    const told = story({ person: true, reviewers: [] }).decided('a', { kind: 'approve' });
    const failure = { kind: 'conflict', files: ['x'], target: 'base', branch: 'b' } as const;
    told.tell({ type: 'merge-refused', run: 'r1', id: 'a', attempt: 1, failure });
    fixes(told);
    expect(state(told)).toMatchObject({ id: 'awaiting', commit: 'a-1-2' });
  });

  test('tells the agent why not by rejecting it', () => {
    const told = story({ person: true, reviewers: [] });
    told.decided('a', { kind: 'reject', reason: 'too long' });
    expect(state(told)).toEqual({
      id: 'between-turns',
      turnReason: { id: 'rejected', reason: 'too long' },
    });
    expect(told.says()).toEqual(['begin-turn a 1']);
    told.turn('a');
    expect(state(told)).toMatchObject({ id: 'working', turnReason: { id: 'rejected' } });
  });

  test('may approve of what reviewers could not agree on, and nobody looks again', () => {
    const told = story({ rounds: 1 }).reviewed('a', finding('one'));
    expect(state(told.decided('a', { kind: 'approve' }))).toMatchObject({ id: 'queued' });
  });

  test('says nothing by approving or rejecting what does not wait for it', () => {
    const told = story();
    const before = told.task('a');
    told.decided('a', { kind: 'approve' }).decided('a', { kind: 'reject', reason: 'x' });
    expect(told.task('a')).toEqual(before);
  });

  test('is waited for by the run only as long as other work goes on', () => {
    const told = story({ person: true, reviewers: [] }).tasks(task('b'));
    expect(told.says()).toEqual(['claim b 1']);
    told.decided('b', { kind: 'skip', reason: 'x' });
    expect(told.decide().commands).toMatchObject([
      { type: 'end-run', stop: { reason: 'question', failure: { because: 'asked-for' } } },
    ]);
  });

  test('may give it up instead', () => {
    const told = story({ person: true, reviewers: [] });
    expect(told.decided('a', { kind: 'cancel', reason: 'no' }).says()).toEqual(['give-up a 1']);
  });
});
