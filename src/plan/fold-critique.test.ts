import { describe, expect, test } from 'vitest';
import { Story, task } from '../../test/story.ts';
import type { Finding } from '../model/finding.ts';
import type { CritiqueSettings, RunSettings } from '../model/run.ts';
import type { Task } from '../model/task.ts';

const critique: CritiqueSettings = { critic: 'critic', rounds: 3, retries: 1 };

function newStory(
  wish: Partial<CritiqueSettings> = {},
  more: Partial<RunSettings> = {},
  asked: Partial<Task> = {},
): Story {
  const story = new Story().tasks(task('a', asked));
  return story.start({ jobs: 1, critique: { ...critique, ...wish }, ...more }).prepared('a');
}

const vague: Finding = { id: 'vague', severity: 'major', text: 'Which file?' };
const clear = { ok: true, verdict: 'approved', findings: [] } as const;
const unclear = { ok: true, verdict: 'needs-changes', findings: [vague] } as const;
const better = (body: string) => ({ ok: true, body }) as const;
const unreadable = {
  ok: false,
  failure: { kind: 'review-failed', reviewer: 'critic', cause: 'no verdict' },
} as const;
const limited = {
  ok: false,
  failure: { kind: 'provider-rate-limit', agent: 'critic', message: 'slow down' },
} as const;

const attempt = (story: Story) => story.task('a').attempt;
const looks = (story: Story) => story.decide().commands[0];

describe('what a task asks for', () => {
  test('is looked at before anybody works on it, in the slot of the task', () => {
    const story = newStory();
    expect(looks(story)).toEqual({
      type: 'begin-call',
      id: 'a',
      attempt: 1,
      slot: 1,
      call: { kind: 'critique', round: 1, agent: 'critic', again: 1 },
    });
  });

  test('is looked at by nobody where nobody is asked, or where its type skips it', () => {
    expect(new Story().tasks(task('a')).start().prepared('a').commands()).toEqual([
      'begin-turn a 1',
    ]);
    const pipelines = { chore: ['work', 'land'] } as const;
    expect(newStory({}, { pipelines }, { type: 'chore' }).commands()).toEqual(['begin-turn a 1']);
  });

  test('that is clear is worked on as it is', () => {
    const story = newStory().criticised('a', clear);
    expect(attempt(story)).toMatchObject({
      state: { id: 'prepared' },
      critique: { settled: true },
    });
    expect(attempt(story)?.critique?.body).toBeUndefined();
    expect(story.commands()).toEqual(['begin-turn a 1']);
  });

  test('that is not is put in better words, and looked at again', () => {
    const story = newStory().criticised('a', unclear);
    expect(looks(story)).toMatchObject({ call: { kind: 'improve', round: 1, agent: 'scripted' } });
    story.criticised('a', better('In a.ts.'));
    expect(looks(story)).toMatchObject({ call: { kind: 'critique', round: 2, agent: 'critic' } });
    story.criticised('a', clear);
    expect(attempt(story)?.critique).toMatchObject({ body: 'In a.ts.', settled: true });
    expect(story.commands()).toEqual(['begin-turn a 1']);
    expect(story.task('a').task.body).toBe('');
  });

  test('is improved by whom the run names', () => {
    const story = newStory({ improver: 'writer' }).criticised('a', unclear);
    expect(looks(story)).toMatchObject({ call: { kind: 'improve', agent: 'writer' } });
  });

  test('keeps the newest of better words', () => {
    const story = newStory().criticised('a', unclear).criticised('a', better('one'));
    story.criticised('a', unclear).criticised('a', better('two')).criticised('a', clear);
    expect(attempt(story)?.critique?.body).toBe('two');
    expect(attempt(story)?.critique?.rounds).toMatchObject([
      { round: 1, votes: [{ reviewer: 'critic', verdict: 'needs-changes' }] },
      { round: 2, votes: [{ verdict: 'needs-changes' }] },
      { round: 3, votes: [{ verdict: 'approved' }] },
    ]);
  });

  test('that stays unclear blocks the task, with what was found last', () => {
    const story = newStory({ rounds: 2 }).criticised('a', unclear).criticised('a', better('one'));
    story.criticised('a', unclear);
    const failure = { kind: 'critique-unsettled', rounds: 2, findings: [vague] } as const;
    expect(attempt(story)?.state).toEqual({ id: 'giving-up', slot: 1, failure });
    story.tell({ type: 'attempt-failed', run: 'r1', id: 'a', attempt: 1, failure });
    expect(story.task('a').status).toEqual({ id: 'blocked', failure });
    expect(story.commands()).toEqual(['end-run drained']);
  });

  test('is looked at as often as there are rounds, however often it is improved', () => {
    expect(attempt(newStory({ rounds: 1 }).criticised('a', unclear))?.state.id).toBe('giving-up');
  });

  test('is not looked at again for later turns of the same attempt', () => {
    const story = newStory()
      .criticised('a', clear)
      .works('a')
      .judged('a', false)
      .targetJudged(true);
    expect(story.commands()).toEqual(['begin-turn a 1']);
  });

  test('is not looked at again where the task starts afresh in the same run', () => {
    const story = newStory().criticised('a', clear).turn('a');
    const failure = { kind: 'agent-exited', exit: 1, tail: '' } as const;
    story.turnEnds('a', { ok: false, failure });
    story.tell({ type: 'attempt-failed', run: 'r1', id: 'a', attempt: 1, failure }).prepared('a');
    expect(story.commands()).toEqual(['begin-turn a 2']);
  });
});

describe('a critic that comes to no verdict', () => {
  test('because the run was stopped has cost the task nothing', () => {
    const story = newStory();
    const before = story.task('a').starts;
    story.criticised('a', { ok: false, failure: { kind: 'interrupted', by: 'a person' } });
    expect(attempt(story)?.state.id).toBe('giving-up');
    expect(story.task('a').starts).toBe(before - 1);
  });

  test('is asked again, as another try', () => {
    const story = newStory().criticised('a', unreadable);
    expect(looks(story)).toMatchObject({ call: { kind: 'critique', round: 1, again: 2 } });
  });

  test('blocks the task after its tries; nobody works on what nobody understood', () => {
    const story = newStory().criticised('a', unreadable).criticised('a', unreadable);
    expect(attempt(story)?.state).toMatchObject({
      id: 'giving-up',
      failure: { kind: 'critique-unsettled', rounds: 0, last: unreadable.failure },
    });
  });

  test('has its tries again after each answer', () => {
    const story = newStory().criticised('a', unreadable).criticised('a', unclear);
    expect(looks(story)).toMatchObject({ call: { kind: 'improve', again: 1 } });
    story.criticised('a', unreadable);
    expect(looks(story)).toMatchObject({ call: { kind: 'improve', again: 2 } });
  });

  test('because its account is paused has used no try, and is asked when that is over', () => {
    const story = newStory({ retries: 0 }).criticised('a', limited);
    expect(attempt(story)?.state).toMatchObject({ id: 'prepared' });
    expect(story.record().accounts.paused).toHaveProperty('critic');
    expect(story.commands()).toEqual([]);
    const { wakeAt = 0 } = story.decide();
    expect(wakeAt).toBeGreaterThan(story.now);
    story.now = wakeAt;
    expect(story.commands()).toEqual(['begin-call a 1']);
  });

  test('because its account was paused is asked in a try of its own', () => {
    const story = newStory({ retries: 0 }).criticised('a', limited);
    story.now = story.decide().wakeAt ?? story.now;
    expect(looks(story)).toMatchObject({ type: 'begin-call', call: { again: 2 } });
  });

  test('because somebody stopped it gives the attempt up, and nobody is blamed', () => {
    const failure = { kind: 'interrupted', by: 'a person' } as const;
    const story = newStory().criticised('a', { ok: false, failure });
    expect(attempt(story)?.state).toMatchObject({ id: 'giving-up', failure });
    story.tell({ type: 'attempt-failed', run: 'r1', id: 'a', attempt: 1, failure });
    expect(story.task('a')).toMatchObject({ status: { id: 'open' }, failures: 0 });
  });

  test('is ended where nobody wants the task any more', () => {
    const story = newStory();
    const of = { run: 'r1', id: 'a', attempt: 1 };
    const call = { kind: 'critique', round: 1, agent: 'critic', again: 1 } as const;
    story.tell({ type: 'call-started', ...of, call, slot: 1 });
    expect(story.commands()).toEqual(['run-call a 1']);
    story.decided('a', { kind: 'cancel', reason: 'no' });
    expect(story.commands()).toEqual(['run-call a 1', 'interrupt-call a 1']);
  });

  test('that is not the one under way changes nothing', () => {
    const story = newStory();
    const of = { run: 'r1', id: 'a', attempt: 1 };
    const call = { kind: 'critique', round: 1, agent: 'critic', again: 1 } as const;
    story.tell({ type: 'call-started', ...of, call, slot: 1 });
    const before = story.task('a');
    const ended = { type: 'call-ended', ...of, result: clear } as const;
    story.tell({ ...ended, call: { ...call, round: 2 } });
    story.tell({ ...ended, call: { ...call, kind: 'improve' } });
    story.tell({ ...ended, call: { ...call, again: 2 } });
    expect(story.task('a')).toEqual(before);
  });
});

describe('the cost of a look', () => {
  test('is a start of the run, not of the task, and its tokens count', () => {
    const usage = { input: 5, cacheRead: 0, cacheWrite: 0, output: 2 };
    const story = newStory().criticised('a', { ...clear, usage });
    expect(story.record()).toMatchObject({ spent: { starts: 1, tokens: 7 } });
    expect(story.task('a').starts).toBe(1);
  });

  test('is not begun where the run has no token left', () => {
    const usage = { input: 5, cacheRead: 0, cacheWrite: 0, output: 2 };
    const story = newStory({}, { tokens: 5 }).criticised('a', { ...unclear, usage });
    expect(story.commands()).toEqual(['give-up a 1']);
  });
});
