import { describe, expect, test } from 'vitest';
import { owner, Story, task } from '../../test/story.ts';
import { limits } from '../model/limits.ts';
import type { RunSettings } from '../model/run.ts';
import { stateOf } from '../model/task-record.ts';

/** `a` claims `b` on its way, and is handed over as a branch or a request with both in it. */
function handedOver(more: Partial<RunSettings> = {}): Story {
  const story = new Story().tasks(task('a'), task('b')).start({ delivery: 'pr', ...more });
  story
    .prepared('a')
    .turn('a')
    .calls('a', { id: 'claim', ids: ['b'] });
  story.turnEnds('a', { ok: true, tail: '' }).captured('a').judged('a', true);
  story.built('a').candidateJudged(true);
  const [candidate] = story.record().train.candidates;
  const entries = candidate?.entries ?? [];
  expect(entries).toMatchObject([{ id: 'a', coClaims: ['b'] }]);
  const branch = 'yard/r1/a-1';
  return story.tell({ type: 'delivered', run: 'r1', candidate: 'c1', how: 'pr', entries, branch });
}

function seen(story: Story, state: 'open' | 'merged' | 'closed'): Story {
  const branch = 'yard/r1/a-1';
  const pull = {
    branch,
    number: 1,
    url: 'https://forge/1',
    state,
    checks: 'passed',
    mergeCommit: 'm',
  } as const;
  return story.tell({ type: 'pulls-seen', run: 'r1', branches: [branch], states: [pull] });
}

describe('tasks that were claimed by work that is handed over', () => {
  test('are handed over with it, and nobody starts them again', () => {
    const story = handedOver();
    expect(story.task('b').status).toEqual(story.task('a').status);
    expect(story.task('b').coClaimedBy).toBeUndefined();
    expect(story.commands().filter((said) => said.startsWith('claim'))).toEqual([]);
  });

  test('land when its request is merged', () => {
    const story = seen(handedOver(), 'merged');
    expect(stateOf(story.task('a'))).toBe('landed');
    expect(story.task('b').status).toMatchObject({ id: 'landed', commit: 'm' });
  });

  test('are blocked when its request is closed', () => {
    const story = seen(handedOver(), 'closed');
    expect(stateOf(story.task('a'))).toBe('blocked');
    expect(stateOf(story.task('b'))).toBe('blocked');
  });
});

describe('work that a person cancels while it is handed over', () => {
  test('is at its end with that: nobody waits for it any more', () => {
    const story = new Story().tasks(task('a')).start({ delivery: 'branch' });
    story.queued('a').built('a').candidateJudged(true);
    const entries = story.record().train.candidates[0]?.entries ?? [];
    story.tell(
      { type: 'task-decided', id: 'a', decision: { kind: 'cancel', reason: 'x' } },
      {
        type: 'delivered',
        run: 'r1',
        candidate: 'c1',
        how: 'branch',
        entries,
        branch: 'yard/r1/a-1',
      },
    );
    expect(story.task('a').status.id).toBe('canceled');
    expect(story.task('a').attempt?.state.id).toBe('landed');
    expect(story.commands()).toEqual(['end-run drained']);
  });
});

describe('a pull request that nobody has merged yet', () => {
  const resumed = { type: 'run-resumed', run: 'r1', owner: { ...owner, pid: 2 } } as const;
  const ended = { type: 'run-ended', run: 'r1', stop: { reason: 'drained' } } as const;

  test('is read when the run is resumed, and the run goes on from there', () => {
    const story = handedOver().tell(ended, resumed);
    expect(story.decide().commands).toEqual([
      { type: 'watch-pulls', pulls: [{ branch: 'yard/r1/a-1', commit: 'a-1-1' }] },
    ]);
    expect(seen(story, 'open').commands()).toEqual(['end-run drained']);
  });

  test('is not read by a run that is canceled', () => {
    const story = handedOver().tell(ended, resumed);
    story.tell({ type: 'stop-asked', run: 'r1', how: 'now', by: 'me' });
    expect(story.commands()).toEqual(['halt', 'end-run canceled']);
  });

  test('keeps a run that has time for it, and is read from time to time', () => {
    const story = handedOver({ deliveryWaitMs: 3_600_000 });
    const wakeAt = story.now + limits.pullWatchMs;
    expect(story.decide()).toEqual({ commands: [], wakeAt });
    story.now = wakeAt;
    expect(story.commands()).toEqual(['watch-pulls']);
  });

  test('keeps the run no longer than its patience lasts', () => {
    const story = seen(handedOver({ deliveryWaitMs: 3 * limits.pullPatienceMs }), 'open');
    expect(story.commands()).toEqual([]);
    story.now += limits.pullPatienceMs;
    expect(seen(story, 'open').commands()).toEqual(['end-run drained']);
  });
});

describe('work that is delivered', () => {
  const newStory = (ids: string, delivery: 'pr' | 'stack') => {
    const names = ids.split(' ');
    const story = new Story().tasks(...names.map((id) => task(id)));
    story.start({ jobs: 1, pool: 99, gateSlots: 2, train: { batch: 8, style: 'merge' }, delivery });
    for (const id of names) story.queued(id);
    return story;
  };

  const delivered = (story: Story, url?: string) => {
    const entries = [{ id: 'a', attempt: 1, commit: 'a-1-1' }];
    const of = { run: 'r1', candidate: 'c1', how: 'pr', entries, branch: 'yard/r1/a-1' } as const;
    return story.tell({ type: 'delivered', ...of, ...(url === undefined ? {} : { url }) });
  };

  test('is done for this run, but has not landed: what comes after it waits', () => {
    const story = newStory('a', 'pr').tasks(task('child', { after: ['a'] }));
    delivered(story.built('a').judgedAs('c1', true), 'https://example.invalid/1');
    expect(story.task('a').status).toEqual({
      id: 'delivered',
      how: 'pr',
      branch: 'yard/r1/a-1',
      commit: 'a-1-1',
      url: 'https://example.invalid/1',
    });
    expect(story.record()).toMatchObject({
      train: { candidates: [], landed: 1 },
      target: { tip: 'base' },
    });
    expect(story.task('child').blockers).toBe(1);
    expect(story.commands()).toEqual(['end-run drained']);
  });

  test('as a stack lets those after it begin', () => {
    const story = newStory('a', 'stack').tasks(task('child', { after: ['a'] }));
    const entries = [{ id: 'a', attempt: 1, commit: 'a-1-1' }];
    story.built('a').judgedAs('c1', true);
    const of = {
      run: 'r1',
      candidate: 'c1',
      how: 'stack',
      entries,
      branch: 'yard/r1/a-1',
    } as const;
    story.tell({ type: 'delivered', ...of });
    expect(story.task('child').blockers).toBe(0);
  });

  test('that is stored twice counts once', () => {
    const story = newStory('a', 'pr').built('a').judgedAs('c1', true);
    delivered(delivered(story));
    expect(story.record().train.landed).toBe(1);
  });

  test('lets those beside it go on', () => {
    const story = newStory('a b', 'pr').built('a').builtOn(undefined, 'b');
    delivered(story.judgedAs('c1', true));
    expect(story.record().train.candidates).toMatchObject([{ id: 'c2', entries: [{ id: 'b' }] }]);
  });
});
