import { describe, expect, test } from 'vitest';
import { Story, task } from '../../test/story.ts';
import type { Finding } from '../model/review.ts';
import type { CritiqueSettings, RunSettings } from '../model/run.ts';
import type { Task } from '../model/task.ts';

const critique: CritiqueSettings = { critic: 'critic', rounds: 3, retries: 1 };

function story(
  wish: Partial<CritiqueSettings> = {},
  more: Partial<RunSettings> = {},
  asked: Partial<Task> = {},
): Story {
  const told = new Story().tasks(task('a', asked));
  return told.start({ jobs: 1, critique: { ...critique, ...wish }, ...more }).prepared('a');
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

const attempt = (told: Story) => told.task('a').attempt;
const looks = (told: Story) => told.decide().commands[0];

describe('what a task asks for', () => {
  test('is looked at before anybody works on it, in the slot of the task', () => {
    const told = story();
    expect(looks(told)).toEqual({
      type: 'begin-critique',
      id: 'a',
      attempt: 1,
      slot: 1,
      round: 1,
      step: 'critique',
      again: 1,
      agent: 'critic',
    });
  });

  test('is looked at by nobody where nobody is asked, or where its type skips it', () => {
    expect(new Story().tasks(task('a')).start().prepared('a').says()).toEqual(['begin-turn a 1']);
    const pipelines = { chore: ['work', 'land'] } as const;
    expect(story({}, { pipelines }, { type: 'chore' }).says()).toEqual(['begin-turn a 1']);
  });

  test('that is clear is worked on as it is', () => {
    const told = story().criticised('a', clear);
    expect(attempt(told)).toMatchObject({ state: { id: 'prepared' }, critique: { settled: true } });
    expect(attempt(told)?.critique?.body).toBeUndefined();
    expect(told.says()).toEqual(['begin-turn a 1']);
  });

  test('that is not is put in better words, and looked at again', () => {
    const told = story().criticised('a', unclear);
    expect(looks(told)).toMatchObject({ round: 1, step: 'improve', agent: 'scripted' });
    told.criticised('a', better('In a.ts.'));
    expect(looks(told)).toMatchObject({ round: 2, step: 'critique', agent: 'critic' });
    told.criticised('a', clear);
    expect(attempt(told)?.critique).toMatchObject({ body: 'In a.ts.', settled: true });
    expect(told.says()).toEqual(['begin-turn a 1']);
    expect(told.task('a').task.body).toBe('');
  });

  test('is improved by whom the run names', () => {
    const told = story({ improver: 'writer' }).criticised('a', unclear);
    expect(looks(told)).toMatchObject({ step: 'improve', agent: 'writer' });
  });

  test('keeps the newest of better words', () => {
    const told = story().criticised('a', unclear).criticised('a', better('one'));
    told.criticised('a', unclear).criticised('a', better('two')).criticised('a', clear);
    expect(attempt(told)?.critique?.body).toBe('two');
    expect(attempt(told)?.critique?.rounds).toMatchObject([
      { round: 1, votes: [{ reviewer: 'critic', verdict: 'needs-changes' }] },
      { round: 2, votes: [{ verdict: 'needs-changes' }] },
      { round: 3, votes: [{ verdict: 'approved' }] },
    ]);
  });

  test('that stays unclear blocks the task, with what was found last', () => {
    const told = story({ rounds: 2 }).criticised('a', unclear).criticised('a', better('one'));
    told.criticised('a', unclear);
    const failure = { kind: 'critique-unsettled', rounds: 2, findings: [vague] } as const;
    expect(attempt(told)?.state).toEqual({ id: 'giving-up', slot: 1, failure });
    told.tell({ type: 'attempt-failed', run: 'r1', id: 'a', attempt: 1, failure });
    expect(told.task('a').status).toEqual({ id: 'blocked', failure });
    expect(told.says()).toEqual(['end-run drained']);
  });

  test('is looked at as often as there are rounds, however often it is improved', () => {
    expect(attempt(story({ rounds: 1 }).criticised('a', unclear))?.state.id).toBe('giving-up');
  });

  test('is not looked at again for later turns of the same attempt', () => {
    const told = story().criticised('a', clear).works('a').judged('a', false).targetJudged(true);
    expect(told.says()).toEqual(['begin-turn a 1']);
  });

  test('is not looked at again where the task starts afresh in the same run', () => {
    const told = story().criticised('a', clear).turn('a');
    const failure = { kind: 'agent-exited', exit: 1, tail: '' } as const;
    told.turnEnds('a', { ok: false, failure });
    told.tell({ type: 'attempt-failed', run: 'r1', id: 'a', attempt: 1, failure }).prepared('a');
    expect(told.says()).toEqual(['begin-turn a 2']);
  });
});

describe('a critic that comes to no verdict', () => {
  test('because the run was stopped has cost the task nothing', () => {
    const told = story();
    const before = told.task('a').starts?.count ?? 0;
    told.criticised('a', { ok: false, failure: { kind: 'interrupted', by: 'a person' } });
    expect(attempt(told)?.state.id).toBe('giving-up');
    expect(told.task('a').starts?.count).toBe(before - 1);
  });

  test('is asked again, as another try', () => {
    const told = story().criticised('a', unreadable);
    expect(looks(told)).toMatchObject({ round: 1, step: 'critique', again: 2 });
  });

  test('blocks the task after its tries; nobody works on what nobody understood', () => {
    const told = story().criticised('a', unreadable).criticised('a', unreadable);
    expect(attempt(told)?.state).toMatchObject({
      id: 'giving-up',
      failure: { kind: 'critique-unsettled', rounds: 0, last: unreadable.failure },
    });
  });

  test('has its tries again after each answer', () => {
    const told = story().criticised('a', unreadable).criticised('a', unclear);
    expect(looks(told)).toMatchObject({ step: 'improve', again: 1 });
    told.criticised('a', unreadable);
    expect(looks(told)).toMatchObject({ step: 'improve', again: 2 });
  });

  test('because its account is paused has used no try, and is asked when that is over', () => {
    const told = story({ retries: 0 }).criticised('a', limited);
    expect(attempt(told)?.state).toMatchObject({ id: 'prepared' });
    expect(told.record().pausedAccounts).toHaveProperty('critic');
    expect(told.says()).toEqual([]);
    const { wakeAt = 0 } = told.decide();
    expect(wakeAt).toBeGreaterThan(told.now);
    told.now = wakeAt;
    expect(told.says()).toEqual(['begin-critique a 1']);
  });

  test('because its account was paused is asked in a try of its own', () => {
    const told = story({ retries: 0 }).criticised('a', limited);
    told.now = told.decide().wakeAt ?? told.now;
    expect(looks(told)).toMatchObject({ type: 'begin-critique', again: 2 });
  });

  test('because somebody stopped it gives the attempt up, and nobody is blamed', () => {
    const failure = { kind: 'interrupted', by: 'a person' } as const;
    const told = story().criticised('a', { ok: false, failure });
    expect(attempt(told)?.state).toMatchObject({ id: 'giving-up', failure });
    told.tell({ type: 'attempt-failed', run: 'r1', id: 'a', attempt: 1, failure });
    expect(told.task('a')).toMatchObject({ status: { id: 'open' }, failures: 0 });
  });

  test('is ended where nobody wants the task any more', () => {
    const told = story();
    const of = { run: 'r1', id: 'a', attempt: 1, round: 1, step: 'critique', again: 1 } as const;
    told.tell({ type: 'critique-started', ...of, slot: 1, agent: 'critic' });
    expect(told.says()).toEqual(['run-critique a 1']);
    told.decided('a', { kind: 'cancel', reason: 'no' });
    expect(told.says()).toEqual(['run-critique a 1', 'interrupt-critique a 1']);
  });

  test('that is not the one under way changes nothing', () => {
    const told = story();
    const of = { run: 'r1', id: 'a', attempt: 1, round: 1, step: 'critique', again: 1 } as const;
    told.tell({ type: 'critique-started', ...of, slot: 1, agent: 'critic' });
    const before = told.task('a');
    told.tell({ type: 'critique-ended', ...of, round: 2, result: clear });
    told.tell({ type: 'critique-ended', ...of, step: 'improve', result: clear });
    told.tell({ type: 'critique-ended', ...of, again: 2, result: clear });
    expect(told.task('a')).toEqual(before);
  });
});

describe('the cost of a look', () => {
  test('is a start of the run, not of the task, and its tokens count', () => {
    const usage = { input: 5, cacheRead: 0, cacheWrite: 0, output: 2 };
    const told = story().criticised('a', { ...clear, usage });
    expect(told.record()).toMatchObject({ starts: 1, spent: { tokens: 7 } });
    expect(told.task('a').starts?.count).toBe(1);
  });

  test('is not begun where the run has no token left', () => {
    const usage = { input: 5, cacheRead: 0, cacheWrite: 0, output: 2 };
    const told = story({}, { tokens: 5 }).criticised('a', { ...unclear, usage });
    expect(told.says()).toEqual(['give-up a 1']);
  });
});
