import { describe, expect, test } from 'vitest';
import { endedPhase } from '../../../test/report/fixtures.ts';
import { viewed } from '../../../test/report/viewed.ts';
import { need } from '../../../test/rig/need.ts';
import { owner, Story, task } from '../../../test/story.ts';
import type { AttemptState } from '../../model/attempt.ts';
import type { TaskRecord } from '../../model/task-record.ts';
import { plain } from '../format/style.ts';
import { statusText } from '../status/status.ts';
import { resultOf } from '../summary/result.ts';
import { attachable } from './attach.ts';
import { whyText } from './task.ts';

const failure = { kind: 'blocked-by-person', reason: 'x' } as const;
const made = { commit: 'c', tree: 't', since: 1 };
const working: AttemptState = { id: 'working', slot: 1, turn: 1, since: 1 };

function recordIn(state: AttemptState): TaskRecord {
  const record = new Story().tasks(task('a')).start().prepared('a').turn('a').task('a');
  const { attempt } = record;
  if (attempt === undefined) throw new Error('no attempt');
  return { ...record, attempt: { ...attempt, state } };
}

function inState(state: AttemptState, isDriven = true, isHolderThere = false) {
  const found = attachable(recordIn(state), isDriven, isHolderThere);
  return found.id === 'yes' ? true : `${found.because}. ${found.remedy}`;
}

describe('whether a person can work in the worktree of an attempt', () => {
  test('is so while an agent works there, and between two turns', () => {
    expect(inState(working)).toBe(true);
    expect(inState({ id: 'between-turns', turnReason: { id: 'attached' } }, false)).toBe(true);
    expect(inState({ id: 'asking', question: '?', since: 1 })).toBe(true);
  });

  test('needs a run that can pause the agent', () => {
    expect(inState(working, false)).toBe(
      'a has no run that could pause its agent. Type `ym resume` first: its run is not active.',
    );
  });

  test('is not so while somebody else does, unless their process is gone', () => {
    const held: AttemptState = { id: 'held', since: 1, by: owner };
    expect(inState(held, true, true)).toBe(
      'a is held by another `ym attach`. Leave that session first.',
    );
    expect(inState(held)).toBe(true);
  });

  const states: readonly (readonly [AttemptState, RegExp])[] = [
    [{ id: 'preparing', slot: 1 }, /has not started yet\. Try again in a moment/],
    [{ id: 'returned', failure }, /was sent back and its next turn is about to start/],
    [{ id: 'awaiting', failure, ...made }, /waits for your approval\..*ym reject a WHY/],
    [{ id: 'gating', slot: 1, again: 0, ...made }, /the agent of .* is done/],
    [{ id: 'queued', ...made }, /the agent of .* is done/],
    [{ id: 'giving-up', failure }, /is over and its work is being saved/],
    [{ id: 'failed', failure }, /no agent works on a\..*ym run --only a/],
  ];
  test.each(states)('is refused with a reason for %o', (state, reason) => {
    expect(inState(state)).toMatch(reason);
  });

  test('is refused with a reason wherever the task stands', () => {
    const at = (status: TaskRecord['status']) =>
      attachable({ ...recordIn(working), status }, true, false);
    expect(at({ id: 'landed', commit: 'c', run: 'r', at: 1 })).toMatchObject({
      because: 'a is landed and no longer has a worktree',
    });
    expect(at({ id: 'blocked', failure })).toMatchObject({ because: 'a is blocked by you' });
    expect(at({ id: 'canceled', failure, at: 1 })).toMatchObject({ because: 'a is canceled' });
    const coClaimedBy = { run: 'r1', id: 'other', attempt: 1 };
    expect(attachable({ ...recordIn(working), coClaimedBy }, true, false)).toMatchObject({
      remedy: 'Type `ym attach other` instead.',
    });
  });
});

test('status, why and the summary say that a held task is held', () => {
  const by = { pid: 7, startedAt: 'now', host: 'here' };
  const story = new Story().tasks(task('a')).start({ jobs: 1 }).prepared('a').turn('a');
  story.decided('a', { kind: 'hold', attempt: 1, by });
  story.turnEnds('a', { ok: false, failure: { kind: 'interrupted', by: 'the run' } });
  const view = viewed([story.task('a')], story.record(), story.now);
  const status = statusText(view, { now: story.now }, plain, 100).join('\n');
  expect(status).toMatch(/1 +held by you/);
  expect(status).toContain('held by you (ym attach); continues when you leave');
  const first = need(view.tasks[0]);
  expect(whyText(first, [], plain, 200).join('\n')).toContain('It is held by you (`ym attach`)');
  const { notLanded } = resultOf(
    [story.task('a')],
    { kind: 'ready' },
    { ...story.record(), phase: endedPhase(1) },
  );
  expect(notLanded).toMatchObject([{ state: 'held', needsYou: false, command: 'ym resume' }]);
});
