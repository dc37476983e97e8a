import { describe, expect, test } from 'vitest';
import { Story, task } from '../../test/story.ts';
import { batchLimits, noBatches } from '../model/batch.ts';
import type { RunRecord } from '../model/run-record.ts';
import { type StartReason, startReasons } from './start-reason.ts';

/** A run of two slots in which `a` works in slot 1. */
function atWork(settings: Parameters<Story['start']>[0] = {}): Story {
  const story = new Story()
    .tasks(
      task('a', { paths: ['src/a.ts'] }),
      task('b', { labels: ['ui'] }),
      task('same', { paths: ['src/a.ts'] }),
    )
    .start({ jobs: 2, ...settings });
  story.prepared('a', 1);
  return story;
}

function reasonOf(story: Story, id: string, change: Partial<RunRecord> = {}): StartReason {
  const run = { ...story.record(), ...change };
  return startReasons(run, [...story.state.tasks.values()], story.now)(story.task(id));
}

describe('the reason why a ready task has not started', () => {
  test('is none while a slot is free for it', () => {
    expect(reasonOf(atWork(), 'b')).toEqual({ id: 'next' });
  });

  test('is the lack of a free slot only if none is free', () => {
    expect(reasonOf(atWork({ jobs: 1 }), 'b')).toEqual({ id: 'slot' });
  });

  test('names the task whose files it overlaps with', () => {
    expect(reasonOf(atWork({ jobs: 1 }), 'same')).toEqual({ id: 'overlap', task: 'a' });
  });

  test('is the scope of the run, whatever is free', () => {
    const story = atWork({ scope: { kind: 'only', tasks: ['a'] } });
    expect(reasonOf(story, 'b')).toEqual({ id: 'not-in-run' });
    const labeled = atWork({ scope: { kind: 'ready', labels: ['ui'] } });
    expect(reasonOf(labeled, 'same')).toEqual({ id: 'not-in-run' });
    expect(reasonOf(labeled, 'b')).toEqual({ id: 'next' });
  });

  test('is the end of the run once the user asked for it', () => {
    const phase = { id: 'running', stopAsked: 'finish' } as const;
    expect(reasonOf(atWork(), 'b', { phase })).toEqual({ id: 'stopping' });
  });

  test('is a budget that is used up', () => {
    const spent = { starts: 1, tokens: 50, costUsd: 0, turns: 1 };
    const story = atWork({ tokens: 50 });
    expect(reasonOf(story, 'b', { spent })).toEqual({ id: 'budget', budget: 'budget-tokens' });
    const starts = { id: 'budget', budget: 'max-attempts' };
    expect(reasonOf(atWork({ maxAttempts: 1 }), 'b')).toEqual(starts);
  });

  test('is a pause of all slots that may take it', () => {
    const slots = [{ errors: 0 }, { errors: 0, paused: true as const }];
    expect(reasonOf(atWork(), 'b', { slots })).toEqual({ id: 'slot' });
    const all = slots.map((slot) => ({ ...slot, paused: true as const }));
    expect(reasonOf(atWork(), 'b', { slots: all })).toEqual({ id: 'slots-paused' });
  });

  test('is the pause of the account of every agent that may take it', () => {
    const story = atWork();
    const { agent } = story.record().settings;
    const failure = { kind: 'other', message: 'refused' } as const;
    const pause = { failure, since: story.now, times: 1 };
    const until = story.now + 1000;
    const paused = (known: object) => ({
      accounts: { paused: { [agent]: { ...pause, ...known } } },
    });
    const reason = { id: 'account-paused', account: agent };
    expect(reasonOf(story, 'b', paused({ until }))).toEqual({ ...reason, until });
    expect(reasonOf(story, 'b', paused({}))).toEqual(reason);
  });

  test('is a batch that holds other tasks back', () => {
    const story = atWork();
    const at = story.now;
    const after = { id: 'a', attempt: 1, turn: 1 };
    const current = {
      number: 1,
      source: 'planner',
      ids: ['b'],
      at,
      after,
    } as const;
    const batches = { ...noBatches, current };
    expect(reasonOf(story, 'b', { batches })).toEqual({ id: 'next' });
    const until = at + batchLimits.batchFloorMs;
    expect(reasonOf(story, 'same', { batches })).toEqual({ id: 'batch', until });
  });

  test('is the lack of a worker with the labels that it needs', () => {
    const story = new Story().tasks(task('g', { labels: ['needs:gpu'] })).start({ jobs: 1 });
    expect(reasonOf(story, 'g')).toEqual({ id: 'no-worker', labels: ['gpu'] });
  });

  test.each(['draining', 'ended', 'lost', 'refused'] as const)(
    'names the worker with these labels if it is %s',
    (state) => {
      const story = new Story().tasks(task('g', { labels: ['needs:gpu'] })).start({ jobs: 1 });
      const of = { run: story.run, host: 'h', slots: 1 };
      const changed = { type: 'worker-changed', ...of } as const;
      story.tell({ ...changed, worker: 'w1', labels: [], state: 'joined' });
      expect(reasonOf(story, 'g')).toEqual({ id: 'no-worker', labels: ['gpu'] });
      story.tell({ ...changed, worker: 'w2', labels: ['gpu'], state: 'joined' });
      expect(reasonOf(story, 'g')).toEqual({ id: 'next' });
      story.tell({ ...changed, worker: 'w2', labels: ['gpu'], state });
      expect(reasonOf(story, 'g')).toEqual({ id: 'workers-away', workers: { w2: state } });
    },
  );
});
