import { describe, expect, test } from 'vitest';
import { owner, settings, task } from '../../test/story.ts';
import { newAttempt } from './attempt.ts';
import { isLive, slotOf } from './attempt-state.ts';
import { type Command, keyOf, type Work } from './command.ts';
import { type EventBody, runOf, tasksOf } from './event.ts';
import type { Candidate } from './train-record.ts';

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

function workOf(id: string, number: number): Work {
  const state = { id: 'preparing', slot: 1 } as const;
  const of = { run: 'r1', number, fence: 1, agent: 'x', branch: 'b', startedAt: 0 };
  return { task: task(id), attempt: newAttempt({ ...of, state }) };
}

function candidateOf(id: string): Candidate {
  const prefix = { commit: 'x', tree: 't' };
  const of = { id, parent: 'p', ...prefix, prefixes: [prefix], entries };
  return { ...of, state: { id: 'passed' }, landed: 0, green: 1 };
}

describe('the key of a command', () => {
  const ofA = { id: 'a', attempt: 1 };
  const work = workOf('a', 1);
  const call = { kind: 'review', round: 1, agent: 'x', again: 1 } as const;
  const failure = { kind: 'no-changes', tail: '' } as const;
  const prepare = { type: 'prepare', parents: [] } as const;
  const runTurn = { type: 'run-turn', work, messages: [], coClaims: [] } as const;
  const judging = { checks: [], reds: [], confirmed: [] };
  const prefix = { commit: 'x', tree: 't' };
  const gate = { candidate: 'c1', count: 2, slot: 0, ...prefix, tasks: ['a'], since: 1 };
  const judge = {
    type: 'judge-candidate',
    labels: [],
    gateChangedTree: false,
    ...judging,
  } as const;
  const land = { type: 'land', count: 1, checks: [], how: { id: 'land', spent: [] } } as const;
  const build = {
    type: 'build-candidate',
    candidate: 'c1',
    landings: [],
    style: 'merge',
    seen: {},
    spent: [],
  } as const;
  const beginGate = { type: 'begin-gate', candidate: 'c1', ...prefix, tasks: ['a'] } as const;
  const blame = {
    type: 'judge-target',
    commit: 'x',
    reason: 'blame',
    fresh: false,
    slot: 1,
    outdated: false,
  } as const;
  const commands: Command[] = [
    { type: 'claim', id: 'a', attempt: 1, slot: 1, agent: 'x', branch: 'b' },
    { ...prepare, work },
    { ...prepare, work: workOf('a', 2) },
    { type: 'begin-turn', id: 'a', attempt: 1, turn: 1, slot: 1, agent: 'x' },
    { ...runTurn, turn: 1 },
    { ...runTurn, turn: 2 },
    { type: 'interrupt', ...ofA, branch: 'b', turn: 1, by: 'x' },
    { type: 'capture', work },
    { type: 'judge-branch', work, ...judging },
    { type: 'give-up', id: 'a', attempt: 1, failure },
    { type: 'save', work, failure },
    build,
    { type: 'skip-gate', id: 'a', attempt: 1, tree: 't', reason: 'x' },
    { type: 'ask-approval', id: 'a', attempt: 1, failure },
    { type: 'begin-call', ...ofA, call, slot: 1 },
    { type: 'run-call', work, call },
    { type: 'run-call', work, call: { ...call, round: 2 } },
    { type: 'run-call', work, call: { ...call, agent: 'y' } },
    { type: 'run-call', work, call: { ...call, again: 2 } },
    { type: 'run-call', work, call: { ...call, kind: 'critique' } },
    { type: 'run-call', work, call: { ...call, kind: 'improve' } },
    { type: 'interrupt-call', ...ofA, branch: 'b', call },
    { ...beginGate, count: 2, slot: 0 },
    { ...judge, gate },
    { ...judge, gate: { ...gate, count: 1 } },
    { type: 'interrupt-gate', candidate: 'c1', count: 1 },
    blame,
    { ...land, candidate: candidateOf('c1') },
    { type: 'verify', policy: 'report', slot: 1, again: '' },
    { type: 'halt', by: 'x' },
    { type: 'end-run', stop: { reason: 'drained' }, seen: {} },
  ];

  test('differs for different work', () => {
    const keys = commands.map(keyOf);
    expect(new Set(keys).size).toBe(keys.length);
  });

  test('is the same for the same work', () => {
    const [first = ''] = commands.map((command) => keyOf({ ...command }));
    expect(first).toBe(keyOf(commands[0] as Command));
    // One at a time, whatever its branches: the next candidate is built on this one.
    expect(keyOf(build)).toBe(keyOf({ ...build, candidate: 'c2', on: { id: 'c1', head: 'x' } }));
    expect(keyOf({ ...beginGate, count: 1, slot: 0 })).toBe(
      keyOf({ ...beginGate, count: 1, slot: 1 }),
    );
    // One at a time, whatever the candidate: there is one checkout.
    expect(keyOf({ ...land, candidate: candidateOf('c1') })).toBe(
      keyOf({ ...land, candidate: candidateOf('c2') }),
    );
    // One at a time, whatever the commit: there is one worktree for it.
    expect(keyOf({ ...blame, commit: 'y', reason: 'moved', fresh: true })).toBe(keyOf(blame));
  });
});

describe('an attempt', () => {
  test('holds a slot from its start until its branch is judged, and while it is given up', () => {
    expect(slotOf({ id: 'preparing', slot: 3 })).toBe(3);
    expect(slotOf({ id: 'gating', slot: 2, commit: 'x', tree: 't', since: 1, again: 0 })).toBe(2);
    expect(slotOf({ id: 'queued', commit: 'x', tree: 't', since: 1 })).toBeUndefined();
    const failure = { kind: 'no-changes', tail: '' } as const;
    expect(slotOf({ id: 'giving-up', failure })).toBeUndefined();
    expect(slotOf({ id: 'giving-up', slot: 1, failure })).toBe(1);
  });

  test('holds a slot while a reviewer runs, and none while it waits for one', () => {
    const work = { commit: 'x', tree: 't' };
    const call = { kind: 'review', round: 1, agent: 'r', again: 1 } as const;
    const from = { id: 'unreviewed', ...work, tries: 0, failed: 0 } as const;
    expect(slotOf({ id: 'calling', slot: 2, since: 1, call, from })).toBe(2);
    expect(slotOf(from)).toBeUndefined();
    const failure = { kind: 'approval-needed', because: 'asked-for' } as const;
    expect(slotOf({ id: 'awaiting', ...work, since: 1, failure })).toBeUndefined();
  });

  test('lives until it has landed or failed', () => {
    expect(isLive({ id: 'queued', commit: 'x', tree: 't', since: 1 })).toBe(true);
    expect(isLive({ id: 'landed', commit: 'x' })).toBe(false);
    expect(isLive({ id: 'failed', failure: { kind: 'no-changes', tail: '' } })).toBe(false);
  });
});
