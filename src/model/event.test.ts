import { describe, expect, test } from 'vitest';
import { owner, settings, task } from '../../test/story.ts';
import { isLive, slotOf } from './attempt.ts';
import { type Command, keyOf } from './command.ts';
import { type EventBody, runOf, tasksOf } from './event.ts';

const of = { run: 'r1', id: 'a', attempt: 1 };
const entries = [
  { id: 'a', attempt: 1, commit: 'x' },
  { id: 'b', attempt: 2, commit: 'y' },
];

describe('an event', () => {
  const started: EventBody = {
    type: 'run-started',
    run: 'r1',
    owner,
    settings: settings(),
    base: 'b',
  };
  const landed: EventBody = {
    type: 'landed',
    run: 'r1',
    candidate: 'c1',
    commit: 'x',
    from: 'p',
    entries,
  };

  test('has the tasks it concerns', () => {
    expect(tasksOf({ type: 'task-added', task: task('a') })).toEqual(['a']);
    expect(tasksOf({ type: 'turn-started', ...of, turn: 1, slot: 1 })).toEqual(['a']);
    expect(tasksOf(landed)).toEqual(['a', 'b']);
    const [first = { id: '', attempt: 1, commit: '' }] = entries;
    const together = { ...landed, entries: [{ ...first, coClaims: ['c', 'd'] }] };
    expect(tasksOf(together)).toEqual(['a', 'c', 'd']);
    expect(tasksOf(started)).toEqual([]);
  });

  test('knows its run, if it has one', () => {
    expect(runOf(started)).toBe('r1');
    expect(runOf({ type: 'task-added', task: task('a') })).toBeUndefined();
  });
});

describe('the key of a command', () => {
  const look = { id: 'a', attempt: 1, round: 1, reviewer: 'x', again: 1 };
  const step = { id: 'a', attempt: 1, round: 1, step: 'critique', again: 1 } as const;
  const commands: Command[] = [
    { type: 'claim', id: 'a', attempt: 1, slot: 1, agent: 'x', branch: 'b' },
    { type: 'prepare', id: 'a', attempt: 1 },
    { type: 'prepare', id: 'a', attempt: 2 },
    { type: 'begin-turn', id: 'a', attempt: 1, turn: 1, slot: 1, agent: 'x' },
    { type: 'run-turn', id: 'a', attempt: 1, turn: 1 },
    { type: 'run-turn', id: 'a', attempt: 1, turn: 2 },
    { type: 'interrupt', id: 'a', attempt: 1, turn: 1, by: 'x' },
    { type: 'capture', id: 'a', attempt: 1 },
    { type: 'judge-branch', id: 'a', attempt: 1, tree: 't' },
    { type: 'give-up', id: 'a', attempt: 1, failure: { kind: 'no-changes', tail: '' } },
    { type: 'save', id: 'a', attempt: 1, failure: { kind: 'no-changes', tail: '' } },
    { type: 'build-candidate', entries },
    { type: 'skip-gate', id: 'a', attempt: 1, tree: 't', reason: 'x' },
    { type: 'ask-approval', id: 'a', attempt: 1, failure: { kind: 'no-changes', tail: '' } },
    { type: 'begin-review', ...look, slot: 1 },
    { type: 'run-review', ...look },
    { type: 'run-review', ...look, round: 2 },
    { type: 'run-review', ...look, reviewer: 'y' },
    { type: 'run-review', ...look, again: 2 },
    { type: 'interrupt-review', ...look },
    { type: 'begin-critique', ...step, slot: 1, agent: 'x' },
    { type: 'run-critique', ...step },
    { type: 'run-critique', ...step, step: 'improve' },
    { type: 'run-critique', ...step, again: 2 },
    { type: 'interrupt-critique', ...step },
    { type: 'begin-gate', candidate: 'c1', count: 2, slot: 0 },
    { type: 'judge-candidate', candidate: 'c1', count: 2 },
    { type: 'judge-candidate', candidate: 'c1', count: 1 },
    { type: 'interrupt-gate', candidate: 'c1', count: 1 },
    { type: 'judge-target', commit: 'x', reason: 'blame', fresh: false },
    { type: 'land', candidate: 'c1', count: 1 },
    { type: 'land', candidate: 'c2', count: 1 },
    { type: 'verify' },
    { type: 'halt', by: 'x' },
    { type: 'end-run', stop: { reason: 'drained' } },
  ];

  test('differs for different work', () => {
    const keys = commands.map(keyOf);
    expect(new Set(keys).size).toBe(keys.length);
  });

  test('is the same for the same work', () => {
    const [first = ''] = commands.map((command) => keyOf({ ...command }));
    expect(first).toBe(keyOf(commands[0] as Command));
    // One at a time, whatever its branches: the next candidate is built on this one.
    expect(keyOf({ type: 'build-candidate', entries: [] })).toBe(
      keyOf({ type: 'build-candidate', entries, on: 'c1' }),
    );
    expect(keyOf({ type: 'begin-gate', candidate: 'c1', count: 1, slot: 0 })).toBe(
      keyOf({ type: 'begin-gate', candidate: 'c1', count: 1, slot: 1 }),
    );
    // One at a time, whatever the commit: there is one worktree for it.
    expect(keyOf({ type: 'judge-target', commit: 'y', reason: 'moved', fresh: true })).toBe(
      keyOf({ type: 'judge-target', commit: 'x', reason: 'blame', fresh: false }),
    );
  });
});

describe('an attempt', () => {
  test('holds a slot from its start until its branch is judged, and while it is given up', () => {
    expect(slotOf({ id: 'preparing', slot: 3 })).toBe(3);
    expect(slotOf({ id: 'gating', slot: 2, commit: 'x', tree: 't', since: 1 })).toBe(2);
    expect(slotOf({ id: 'queued', commit: 'x', tree: 't', since: 1 })).toBeUndefined();
    const failure = { kind: 'no-changes', tail: '' } as const;
    expect(slotOf({ id: 'giving-up', failure })).toBeUndefined();
    expect(slotOf({ id: 'giving-up', slot: 1, failure })).toBe(1);
  });

  test('holds a slot while a reviewer runs, and none while it waits for one', () => {
    const work = { commit: 'x', tree: 't' };
    const look = { round: 1, reviewer: 'r', again: 1, since: 1 };
    expect(slotOf({ id: 'reviewing', slot: 2, ...work, ...look })).toBe(2);
    expect(slotOf({ id: 'unreviewed', ...work })).toBeUndefined();
    const failure = { kind: 'approval-needed', because: 'asked-for' } as const;
    expect(slotOf({ id: 'awaiting', ...work, since: 1, failure })).toBeUndefined();
  });

  test('lives until it has landed or failed', () => {
    expect(isLive({ id: 'queued', commit: 'x', tree: 't', since: 1 })).toBe(true);
    expect(isLive({ id: 'landed', commit: 'x' })).toBe(false);
    expect(isLive({ id: 'failed', failure: { kind: 'no-changes', tail: '' } })).toBe(false);
  });
});
