import { describe, expect, test } from 'vitest';
import { owner, Story, task } from '../../test/story.ts';
import { awaitedDecisions, waitOrStop } from './wait-or-stop.ts';

test('a run is not drained while a single attempt is live that nothing moves on', () => {
  const story = new Story().tasks(task('a')).start({ jobs: 1 });
  const waits = () => waitOrStop(story.state, story.record(), [story.task('a')], [], story.now);
  story.prepared('a').turn('a');
  expect(waits()).toEqual({ stop: { reason: 'slot-errors' } });
});

describe('a run that a person watches', () => {
  const question = { ok: true, tail: '', signal: { id: 'ask', question: 'Which port?' } } as const;
  const large = { kind: 'too-large', what: 'lines', value: 9, limit: 1 } as const;
  const asks = () =>
    new Story().tasks(task('a')).start({ jobs: 1 }).prepared('a').turn('a').turnEnds('a', question);
  const needsApproval = () =>
    new Story()
      .tasks(task('a'))
      .start({ jobs: 1, retries: 0 })
      .prepared('a')
      .works('a', 1, {
        violations: [large],
      });
  const needsChoice = () => {
    const variants = ['a.v1', 'a.v2'].map((id) => task(id, { variantOf: 'a' }));
    const of = { run: 'r1', id: 'a' };
    return new Story()
      .tasks(task('a'))
      .start({ jobs: 2 })
      .tell({ type: 'variants-added', ...of, base: 'base', variants, choose: 'person' })
      .prepared('a.v1')
      .prepared('a.v2', 2)
      .works('a.v1')
      .judged('a.v1', true)
      .works('a.v2', 2)
      .judged('a.v2', true)
      .tell({ type: 'choice-asked', ...of, finished: ['a.v1', 'a.v2'] });
  };
  /** The agent of a gives up, and another one proposes a change of the plan. */
  const needsPlan = () => {
    const of = { run: 'r1', id: 'a' };
    const [message, field] = ['There is no field', task('field')];
    const call = { ...of, call: 1, agent: 'architect' };
    return new Story()
      .tasks(task('a'), task('b', { after: ['a'] }))
      .start({ revision: { agent: 'architect', apply: false } })
      .prepared('a')
      .turn('a')
      .turnEnds('a', { ok: true, tail: '', signal: { id: 'gave-up', message } })
      .tell({
        type: 'attempt-failed',
        ...of,
        attempt: 1,
        failure: { kind: 'agent-gave-up', message },
      })
      .tell({ type: 'revision-started', ...call })
      .tell({
        type: 'plan-proposed',
        ...call,
        outcome: { id: 'proposed', added: [field], changed: [], canceled: [] },
        usage: { input: 7, cacheRead: 0, cacheWrite: 0, output: 1 },
      });
  };
  const watched = (story: Story, attended?: true): Story =>
    story.tell({ type: 'run-resumed', run: 'r1', owner, ...(attended && { attended }) });
  const live = (story: Story) => [...story.state.live].map((id) => story.task(id));
  const nothing = { answers: 0, approvals: 0, choices: 0 };

  test.each([
    ['an answer', asks, { answers: 1 }],
    ['an approval', needsApproval, { approvals: 1 }],
    ['a choice', needsChoice, { choices: 1 }],
  ])('waits without an end for %s, and ends without a person', (_what, make, awaited) => {
    const story = watched(make(), true);
    expect(awaitedDecisions(story.state, story.record(), live(story))).toEqual({
      ...nothing,
      ...awaited,
    });
    story.now += 24 * 3_600_000;
    expect(story.commands()).toEqual([]);
    watched(story);
    story.now += 24 * 3_600_000;
    expect(story.commands()).toEqual(['end-run question']);
  });

  test('waits without an end for a decision about the plan, goes on after it, and ends without a person', () => {
    const story = watched(needsPlan(), true);
    expect(awaitedDecisions(story.state, story.record(), [])).toEqual({ ...nothing, approvals: 1 });
    story.now += 24 * 3_600_000;
    expect(story.commands()).toEqual([]);
    const alone = watched(needsPlan());
    expect(alone.commands()).toEqual(['end-run drained']);
    story.tell({
      type: 'task-decided',
      id: 'a',
      decision: { kind: 'reject', reason: 'No' },
    });
    expect(awaitedDecisions(story.state, story.record(), [])).toBeUndefined();
    expect(story.commands().join()).toContain('a');
  });

  test('goes on with the work of others before it waits', () => {
    const story = watched(asks(), true).tasks(task('b')).prepared('b');
    expect(awaitedDecisions(story.state, story.record(), live(story))).toBeUndefined();
    expect(awaitedDecisions(story.state, story.record(), [])).toBeUndefined();
  });

  test('ends when its time is over', () => {
    const story = new Story().tasks(task('a')).start({ jobs: 1, wallMs: 60_000 });
    watched(story.prepared('a').turn('a').turnEnds('a', question), true);
    expect(story.commands()).toEqual([]);
    story.now += 60_000;
    expect(story.commands()).toContain('end-run budget-wall');
  });
});
