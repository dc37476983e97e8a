import { describe, expect, test } from 'vitest';
import { owner, Story, task } from '../../test/story.ts';
import { endOf, runMs } from '../model/run-record.ts';

const person = { reviewers: [], person: true, rounds: 3, retries: 1 } as const;

/** Work of `a` waits for a person, and the target is about to be looked at as a whole. */
function waiting(): Story {
  const story = new Story().tasks(task('a')).start({ verify: 'report', review: person });
  story.prepared('a').works('a').judged('a', true);
  expect(story.commands()).toEqual(['verify']);
  return story;
}

/** The look ends; `since` is when it had begun. */
const looked = (story: Story, since?: number): Story =>
  story.tell({
    type: 'run-verified',
    run: 'r1',
    outcome: { kind: 'passed', command: 'x', ms: 1 },
    since,
  });

describe('what was seen of the target at the end of a run', () => {
  test('is the last word where nothing lands any more', () => {
    expect(looked(waiting()).commands()).toEqual(['end-run question']);
  });

  test('is looked at again after a landing that a person allowed meanwhile', () => {
    const story = waiting().decided('a', { kind: 'approve' });
    looked(story).builds().gatesBegin().candidateJudged(true).lands();
    expect(story.record().target.verified).toBeUndefined();
    expect(story.commands()).toEqual(['verify']);
    expect(looked(story).commands()).toEqual(['end-run drained']);
  });

  test('is looked at again after a landing that a person allowed a moment later', () => {
    const story = looked(waiting()).decided('a', { kind: 'approve' });
    story.builds().gatesBegin().candidateJudged(true).lands();
    expect(story.commands()).toEqual(['verify']);
  });

  test('holds up nobody whose question is answered a moment later', () => {
    const story = new Story().tasks(task('a')).start({ verify: 'report' });
    story.prepared('a').turn('a');
    story.turnEnds('a', { ok: true, tail: '', signal: { id: 'ask', question: 'which?' } });
    story.now += 10 * 24 * 3600_000;
    expect(story.commands()).toEqual(['verify']);
    looked(story).decided('a', { kind: 'answer', text: 'this one' });
    expect(story.commands()).toEqual(['begin-turn a 1']);
  });

  test('holds up nobody whose question is answered while it is looked at', () => {
    const story = new Story().tasks(task('a')).start({ verify: 'report' });
    story.prepared('a').turn('a');
    story.turnEnds('a', { ok: true, tail: '', signal: { id: 'ask', question: 'which?' } });
    story.now += 10 * 24 * 3600_000;
    const began = story.now;
    story.decided('a', { kind: 'answer', text: 'this one' });
    expect(looked(story, began).commands()).toEqual(['begin-turn a 1']);
    expect(story.record().target.verified).toBeUndefined();
  });
});

test('a run whose process died ended at its last sign of life', () => {
  const story = new Story().start();
  const { startedAt } = story.record();
  story.now += 3_600_000;
  const died = { type: 'run-ended', run: 'r1', stop: { reason: 'died' } } as const;
  story.tell({ ...died, heardAt: startedAt + 1_000 });
  expect(endOf(story.record())).toBe(startedAt + 1_000);
  story.now += 3_600_000;
  story.tell({ type: 'run-resumed', run: 'r1', owner });
  expect(runMs(story.record(), story.now)).toBe(1_000);
});

describe('a run that is resumed', () => {
  test('was under way without the time between its end and the resume', () => {
    const story = new Story().start();
    for (let times = 0; times < 2; times += 1) {
      story.now += 1_000;
      story.tell({ type: 'run-ended', run: 'r1', stop: { reason: 'canceled' } });
      story.now += 3_600_000;
      story.tell({ type: 'run-resumed', run: 'r1', owner });
    }
    const ms = runMs(story.record(), story.now);
    expect(ms).toBeGreaterThan(2_000);
    expect(ms).toBeLessThan(3_000);
  });

  test('was under way until the last sign of life of a process that died', () => {
    const story = new Story().start();
    const heardAt = story.now + 1_000;
    story.now += 3_600_000;
    story.tell({ type: 'run-resumed', run: 'r1', owner, heardAt });
    expect(runMs(story.record(), story.now)).toBe(1_000);
  });

  const resumed = (verify?: 'none' | 'fix') => {
    const story = new Story().start({ verify: 'report' });
    story.tell({ type: 'run-ended', run: 'r1', stop: { reason: 'canceled' } });
    const again = { ...owner, pid: 2 };
    const how = verify === undefined ? {} : { verify };
    return story.tell({ type: 'run-resumed', run: 'r1', owner: again, ...how });
  };

  test('verifies the target at its end as it was started, unless it is resumed with another wish', () => {
    expect(resumed().record().settings.verify).toBe('report');
    expect(resumed().commands()).toEqual(['verify']);
    expect(resumed('fix').record().settings.verify).toBe('fix');
    expect(resumed('none').commands()).toEqual(['end-run drained']);
  });
});
