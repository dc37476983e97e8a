import { describe, expect, test } from 'vitest';
import { owner, Story, task } from '../../test/story.ts';
import type { RunSettings } from '../model/run.ts';
import { limits } from './limits.ts';
import { stateOf } from './record.ts';

/** `a` claims `b` on its way, and is handed over as a branch or a request with both in it. */
function handedOver(more: Partial<RunSettings> = {}): Story {
  const story = new Story().tasks(task('a'), task('b')).start({ delivery: 'pr', ...more });
  story
    .prepared('a')
    .turn('a')
    .calls('a', { id: 'claim', ids: ['b'] });
  story.turnEnds('a', { ok: true, tail: '' }).captured('a').judged('a', true);
  story.built('a').candidateJudged(true);
  const [candidate] = story.record().candidates;
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
    expect(story.says().filter((said) => said.startsWith('claim'))).toEqual([]);
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
    const entries = story.record().candidates[0]?.entries ?? [];
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
    expect(story.task('a').status.id).toBe('cancelled');
    expect(story.task('a').attempt?.state.id).toBe('landed');
    expect(story.says()).toEqual(['end-run drained']);
  });
});

describe('a pull request that nobody has merged yet', () => {
  const resumed = { type: 'run-resumed', run: 'r1', owner: { ...owner, pid: 2 } } as const;
  const ended = { type: 'run-ended', run: 'r1', stop: { reason: 'drained' } } as const;

  test('is read when the run is resumed, and the run goes on from there', () => {
    const story = handedOver().tell(ended, resumed);
    expect(story.decide().commands).toEqual([{ type: 'watch-pulls', branches: ['yard/r1/a-1'] }]);
    expect(seen(story, 'open').says()).toEqual(['end-run drained']);
  });

  test('is not read by a run that is cancelled', () => {
    const story = handedOver().tell(ended, resumed);
    story.tell({ type: 'stop-asked', run: 'r1', how: 'now', by: 'me' });
    expect(story.says()).toEqual(['halt', 'end-run cancelled']);
  });

  test('keeps a run that has time for it, and is read from time to time', () => {
    const story = handedOver({ deliveryWaitMs: 3_600_000 });
    const wakeAt = story.now + limits.pullWatchMs;
    expect(story.decide()).toEqual({ commands: [], wakeAt });
    story.now = wakeAt;
    expect(story.says()).toEqual(['watch-pulls']);
  });

  test('keeps the run no longer than its patience lasts', () => {
    const story = seen(handedOver({ deliveryWaitMs: 3 * limits.pullPatienceMs }), 'open');
    expect(story.says()).toEqual([]);
    story.now += limits.pullPatienceMs;
    expect(seen(story, 'open').says()).toEqual(['end-run drained']);
  });
});
