import { describe, expect, test } from 'vitest';
import { Story, task } from '../../test/story.ts';
import type { ProviderFailure } from '../model/failure.ts';
import { limits } from '../model/limits.ts';
import type { PoolMember, RunSettings } from '../model/run.ts';

const agentPool: readonly PoolMember[] = [
  { name: 'one', account: 'claude', volunteers: false },
  { name: 'two', account: 'claude', volunteers: false },
  { name: 'other', account: 'codex', volunteers: false },
];
const of = { agent: 'one', message: 'no more' } as const;
const quota = (resetAt?: number): ProviderFailure =>
  resetAt === undefined
    ? { kind: 'quota-exhausted', ...of }
    : { kind: 'quota-exhausted', ...of, resetAt };
const limited = (retryAfterMs?: number): ProviderFailure =>
  retryAfterMs === undefined
    ? { kind: 'provider-rate-limit', ...of }
    : { kind: 'provider-rate-limit', ...of, retryAfterMs };

function started(more: Partial<RunSettings> = {}): Story {
  return new Story()
    .tasks(task('a', { agent: 'one' }), task('b', { agent: 'two' }), task('c', { agent: 'other' }))
    .start({ jobs: 3, agent: 'one', agentPool, ...more });
}

function refused(story: Story, id: string, failure: ProviderFailure, slot = 1): Story {
  return story.turn(id, slot).turnEnds(id, { ok: false, failure, session: 's1' });
}

const working = (id: string, slot: number, story: Story) =>
  story.prepared(id, slot, 'base', story.task(id).task.agent);

describe('an account without quota', () => {
  test('starts nothing of anybody who uses it, while others go on', () => {
    const story = working('a', 1, started());
    refused(story, 'a', quota(500_000));
    expect(story.commands()).toEqual(['claim c 1']);
  });

  test('goes on at the time it was told, in order, with the conversation kept', () => {
    const story = working('b', 2, working('a', 1, started({ scope: { kind: 'only', tasks: [] } })));
    story.turn('b', 2);
    refused(story, 'a', quota(500_000));
    story.turnEnds('b', { ok: false, failure: quota(400_000), session: 's2' });
    story.landed('c', 3);
    expect(story.decide()).toEqual({ commands: [], wakeAt: 500_000 });
    story.now = 500_000;
    expect(story.commands()).toEqual(['begin-turn a 1', 'begin-turn b 1']);
    expect(story.task('a').attempt?.conversation.session?.id).toBe('s1');
  });

  test('that names a time which is over already is asked again soon', () => {
    const story = working('a', 1, started({ scope: { kind: 'only', tasks: ['a'] } }));
    refused(story, 'a', quota(500));
    expect(story.record().accounts.paused?.claude?.until).toBe(story.now + limits.rateLimitMs);
  });

  test('counts no start: neither of the task nor of the run', () => {
    const story = working('a', 1, started({ retries: 0, maxAttempts: 1, pool: 9 }));
    refused(story, 'a', quota(2_000));
    story.now = 2_000;
    expect(story.record().spent.starts).toBe(0);
    expect(story.commands()).toContain('begin-turn a 1');
    refused(story, 'a', quota(3_000));
    expect(story.task('a').starts).toBe(1);
  });

  test('does not start what was being made ready when it happened', () => {
    const story = working('b', 2, working('a', 1, started({ scope: { kind: 'only', tasks: [] } })));
    refused(story, 'a', quota(500_000));
    expect(story.commands().filter((said) => said.endsWith(' b 1'))).toEqual([]);
    story.now = 500_000;
    expect(story.commands()).toContain('begin-turn b 1');
  });

  test('of which nobody says until when is asked less and less often, then left to a person', () => {
    const story = new Story().tasks(task('a')).start({ jobs: 1 }).prepared('a');
    const pauses: (number | undefined)[] = [];
    for (let times = 1; times <= limits.pausesMax + 1; times += 1) {
      refused(story, 'a', quota());
      const pause = story.record().accounts.paused?.scripted;
      pauses.push(pause?.until && pause.until - story.now);
      story.now = pause?.until ?? story.now;
    }
    const minutes = pauses.map((pause) => pause && pause / 60_000);
    expect(minutes).toEqual([15, 30, 60, 120, 120, 120, 120, 120, 120, 120, undefined]);
    expect(story.commands()).toEqual(['end-run environment']);
  });

  test('is forgotten after a turn that went well', () => {
    const story = new Story().tasks(task('a')).start({ jobs: 1 }).prepared('a');
    refused(story, 'a', limited());
    story.now += limits.rateLimitMs;
    story.turn('a').turnEnds('a', { ok: true, tail: '', signal: { id: 'nothing' } });
    expect(story.record().accounts.paused).toEqual({});
    refused(story, 'a', limited());
    expect(story.record().accounts.paused?.scripted).toMatchObject({ times: 1 });
  });

  test('stays paused when a turn that began before ends well', () => {
    const story = working('b', 2, working('a', 1, started()));
    story.turn('b', 2);
    refused(story, 'a', quota(500_000));
    story.turnEnds('b', { ok: true, tail: '', signal: { id: 'nothing' } });
    expect(story.commands()).toEqual(['claim c 1']);
  });

  test('ends a run that will not wait so long, as a matter of quota', () => {
    const story = new Story().tasks(task('a')).start({ jobs: 1, quotaWaitMs: 1_000 }).prepared('a');
    refused(story, 'a', quota(500_000));
    expect(story.decide().commands).toEqual([
      {
        type: 'end-run',
        stop: { reason: 'quota', failure: quota(500_000) },
        seen: { tip: 'base' },
      },
    ]);
  });

  test('is asked again when a person resumes the run', () => {
    const story = new Story().tasks(task('a')).start({ jobs: 1, quotaWaitMs: 1_000 }).prepared('a');
    refused(story, 'a', quota(500_000));
    story.tell(
      { type: 'run-ended', run: 'r1', stop: { reason: 'quota' } },
      { type: 'run-resumed', run: 'r1', owner: { pid: 2, startedAt: '', host: '' } },
    );
    expect(story.commands()).toEqual(['begin-turn a 1']);
  });
});

describe('too many requests', () => {
  test('pause for as long as the service says', () => {
    const story = new Story().tasks(task('a')).start({ jobs: 1 }).prepared('a');
    refused(story, 'a', limited(7_000));
    expect(story.decide()).toEqual({ commands: [], wakeAt: story.now + 7_000 });
  });

  test('pause for a doubling time where it says nothing', () => {
    const story = new Story().tasks(task('a')).start({ jobs: 1 }).prepared('a');
    for (const factor of [1, 2, 4]) {
      refused(story, 'a', limited());
      const until = story.now + factor * limits.rateLimitMs;
      expect(story.record().accounts.paused?.scripted?.until).toBe(until);
      story.now = until;
    }
  });
});

describe('an account that is refused for good', () => {
  const auth: ProviderFailure = { kind: 'provider-auth', ...of, status: 401 };

  test('ends the run with the reason, and keeps the conversation for whoever resumes it', () => {
    const story = new Story().tasks(task('a'), task('b')).start({ jobs: 1 }).prepared('a');
    refused(story, 'a', auth);
    expect(story.decide().commands).toEqual([
      { type: 'end-run', stop: { reason: 'environment', failure: auth }, seen: { tip: 'base' } },
    ]);
    expect(story.task('a').attempt).toMatchObject({
      conversation: { session: { id: 's1' } },
      state: { id: 'between-turns' },
    });
    expect(story.task('b').attempts).toBe(0);
  });

  test('is not freed by the time that a turn in flight was told', () => {
    const story = working('b', 2, working('a', 1, started()));
    story.turn('b', 2);
    refused(story, 'a', auth);
    story.turnEnds('b', { ok: false, failure: limited(1_000) });
    expect(story.record().accounts.paused?.claude).toMatchObject({ failure: auth });
    expect(story.record().accounts.paused?.claude?.until).toBeUndefined();
  });

  test('lets others finish first', () => {
    const story = working('a', 1, started());
    refused(story, 'a', auth);
    expect(story.commands()).toEqual(['claim c 1']);
    story.landed('c');
    expect(story.commands()).toEqual(['end-run environment']);
  });
});

describe('a service that fails', () => {
  const down: ProviderFailure = { kind: 'provider-server', ...of, status: 529 };

  test('is asked again after a doubling pause, by this attempt alone', () => {
    const story = new Story().tasks(task('a'), task('b')).start({ jobs: 2 }).prepared('a');
    refused(story, 'a', down);
    expect(story.commands()).toEqual(['claim b 1']);
    story.landed('b', 2);
    expect(story.decide().wakeAt).toBeGreaterThan(story.now);
    const waits: number[] = [];
    for (let times = 1; times <= 3; times += 1) {
      const state = story.task('a').attempt?.state;
      const until = state?.id === 'between-turns' ? (state.until ?? 0) : 0;
      story.now = Math.max(story.now, until);
      refused(story, 'a', down);
      const next = story.task('a').attempt?.state;
      waits.push((next?.id === 'between-turns' ? (next.until ?? 0) : 0) - story.now);
    }
    expect(waits).toEqual([4_000, 8_000, 16_000]);
  });

  test('is given up after so many in a row, and starts count again after a good turn', () => {
    const story = new Story().tasks(task('a')).start({ jobs: 1, providerRetries: 2 }).prepared('a');
    refused(story, 'a', down);
    refused(story, 'a', down);
    story.turn('a').turnEnds('a', { ok: true, tail: '', signal: { id: 'nothing' } });
    refused(story, 'a', down);
    refused(story, 'a', down);
    expect(story.task('a').attempt?.state.id).toBe('between-turns');
    refused(story, 'a', down);
    expect(story.task('a').attempt?.state).toMatchObject({ id: 'giving-up', failure: down });
  });

  test('keeps what the turn was about', () => {
    const story = new Story().tasks(task('a')).start({ jobs: 1 });
    story.prepared('a').works('a').judged('a', false).targetJudged(true);
    refused(story, 'a', down);
    refused(story, 'a', down);
    expect(story.task('a').attempt?.state).toMatchObject({
      turnReason: { id: 'paused', before: { id: 'returned', failure: { kind: 'gate-red' } } },
    });
  });
});

test('what would end the same again is not tried again', () => {
  for (const kind of ['model-unknown', 'provider-refused'] as const) {
    const story = new Story().tasks(task('a')).start({ jobs: 1 }).prepared('a');
    refused(story, 'a', { kind, ...of });
    story.tell({
      type: 'attempt-failed',
      run: 'r1',
      id: 'a',
      attempt: 1,
      failure: { kind, ...of },
    });
    expect(story.task('a').status).toMatchObject({ id: 'failed', failure: { kind } });
  }
});
