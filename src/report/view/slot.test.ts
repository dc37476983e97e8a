import { expect, it } from 'vitest';
import { anAttempt, aRecord, aRun, endedPhase } from '../../../test/report/fixtures.ts';
import type { Attempt, AttemptState } from '../../model/attempt.ts';
import { busyWorktrees, slotViews } from './slot.ts';

const worktree = { id: 'w', dir: '/pool/w', base: 'first' };
const working: AttemptState = { id: 'working', slot: 1, turn: 1, since: 1 };
const work = { commit: 'c', tree: 't' };
const gating: AttemptState = { id: 'gating', slot: 1, ...work, since: 1, again: 0 };
const captured = {
  ...work,
  changes: { files: ['a'], count: 1, added: 5, removed: 4 },
  judged: false,
  clashes: [],
};

const recordOf = (state: AttemptState, more: Partial<Attempt> = {}) =>
  aRecord('api', undefined, { attempt: anAttempt(state, { worktree, ...more }) });

it('compares busy worktrees of this machine with the newest target commit in them', () => {
  const baseOf = (state: AttemptState, more: Partial<Attempt> = {}) =>
    busyWorktrees([recordOf(state, more)], aRun()).map(({ base }) => base);
  expect(busyWorktrees([recordOf(working)], aRun())).toEqual([
    { branch: 'yard/r1/api-1', dir: '/pool/w', base: 'first' },
  ]);
  expect(baseOf(working, { captured: { ...captured, base: 'second' } })).toEqual(['second']);
  const { returns } = anAttempt(working);
  const merge = { onto: 'third', log: '', stat: '' };
  const clean = { ...returns, merged: { id: 'clean', ...merge, commit: 'm' } as const };
  expect(baseOf(working, { returns: clean })).toEqual(['third']);
  const none = { ...returns, merged: { id: 'none', ...merge, cause: 'unrelated' } as const };
  expect(baseOf(working, { returns: none })).toEqual(['first']);
  expect(baseOf(working, { worker: 'w1' })).toEqual([]);
  expect(baseOf(gating)).toEqual([]);
  expect(busyWorktrees([recordOf(working)], aRun({ phase: endedPhase(5) }))).toEqual([]);
});

it('shows the size of work as it was counted, and of captured work once nothing changes it', () => {
  const counted = { count: 2, added: 212, removed: 40 };
  const workSizes = new Map([['yard/r1/api-1', counted]]);
  const changesIn = (state: AttemptState, more: Partial<Attempt>, sizes = workSizes) => {
    const facts = { lastActions: new Map(), workSizes: sizes };
    const [slot] = slotViews([recordOf(state, more)], aRun(), facts, 9);
    return slot?.phase === 'idle' ? 'idle' : slot?.changes;
  };
  const kept = { count: 1, added: 5, removed: 4 };
  expect(changesIn(working, {})).toEqual(counted);
  expect(changesIn(working, { captured })).toEqual(counted);
  expect(changesIn(working, { captured }, new Map())).toEqual(kept);
  expect(changesIn(working, {}, new Map())).toBeUndefined();
  expect(changesIn(gating, { captured })).toEqual(kept);
});
