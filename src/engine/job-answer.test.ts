import { describe, expect, it, test } from 'vitest';
import { Story, task } from '../../test/story.ts';
import type { Call } from '../model/call.ts';
import type { CommandOf, Work } from '../model/command.ts';
import type { EventBody } from '../model/event.ts';
import { followUpPrefix, newTask } from '../model/task.ts';
import { gateIds, gateOf, type Remote, wrongAnswer } from './job-answer.ts';

const gate = { id: 'g', commands: ['x'], timeoutMs: 1 };
const quick = { id: 'q', commands: ['y'], timeoutMs: 1 };
const failure = { kind: 'agent-lost', turn: 1 } as const;
const passed = { id: 'passed' } as const;

function workOf(story: Story): Work {
  const { task: one, attempt } = story.task('a');
  if (attempt === undefined) throw new Error('a has no attempt');
  return { task: one, attempt };
}

const works = new Story().tasks(task('a')).start().prepared('a').turn('a');
const work = workOf(works);
const state = { id: 'gating', commit: 'c', tree: 't1', again: 0 };
const gating = { ...work, attempt: { ...work.attempt, state } } as unknown as Work;
const judging = { checks: [], reds: [], confirmed: [] };
const call = { kind: 'review', round: 1, agent: 'x' } as unknown as Call;
const conflictTask = newTask({ id: 'conflict', title: 'Resolve' });
const followUp = newTask({ id: 'more', title: 'More', labels: [`${followUpPrefix}a`] });

const at = { candidate: 'c1', count: 2, tree: 't2', commit: 'c', slot: 1, tasks: ['a', 'b'] };
const commands = {
  prepare: { type: 'prepare', work, parents: [] },
  'run-turn': { type: 'run-turn', work, turn: 1, messages: [], coClaims: [] },
  'run-call': { type: 'run-call', work, call },
  capture: { type: 'capture', work },
  'judge-branch': { type: 'judge-branch', work: gating, ...judging },
  'merge-target': { type: 'merge-target', work },
  save: { type: 'save', work, failure, conflictTask },
  'judge-candidate': { type: 'judge-candidate', gate: at, labels: [], ...judging },
} as unknown as { readonly [Type in Remote]: CommandOf<Type> };

const of = { run: 'r1', id: 'a', attempt: 1 };
const judged = { ...of, tree: 't1', gate: 'branch: q', verdict: passed, cached: false };
const redTests = { id: 'red', tests: ['a'], files: ['a.test.js'] };
const candidate = { run: 'r1', candidate: 'c1', count: 2 };
const verdict = { ...candidate, tree: 't2', gate: 'g', verdict: passed, cached: false };
const note = {
  type: 'note-added',
  origin: { by: 'agent', agent: 'x', task: 'a', attempt: 1, run: 'r1' },
};
const flaked = { type: 'check-flaked', run: 'r1', command: 'x', log: 'l' };
const paused = { type: 'step-paused', run: 'r1', step: 'gate', failure };

const problemOf = (type: Remote, event: object, refs: readonly string[] = []) => {
  const command = commands[type];
  const asked = { run: 'r1', command, gate: gateOf({ gate, quick }, command) };
  const at = refs.map((ref) => ({ ref, commit: 'c' }));
  return wrongAnswer(asked, [event as EventBody], at);
};

describe('the answer of a worker', () => {
  test.each<readonly [Remote, object]>([
    ['prepare', { type: 'worktree-ready', ...of }],
    ['run-turn', { type: 'turn-ended', ...of, turn: 1 }],
    ['run-turn', { type: 'tampering-seen', ...of, turn: 1 }],
    ['run-turn', { type: 'task-added', task: followUp }],
    ['run-turn', note],
    // The order of fields may change on the way.
    ['run-call', { type: 'call-ended', ...of, call: { agent: 'x', round: 1, kind: 'review' } }],
    ['capture', { type: 'work-captured', ...of, commit: 'c', tree: 't9' }],
    ['capture', { type: 'attempt-given-up', ...of }],
    ['judge-branch', { type: 'branch-judged', ...judged }],
    ['judge-branch', { ...flaked, tree: 't1' }],
    ['merge-target', { type: 'target-merged', ...of }],
    ['save', { type: 'attempt-failed', ...of }],
    ['save', { type: 'task-added', task: conflictTask }],
    ['judge-candidate', { type: 'candidate-judged', ...verdict }],
    ['judge-candidate', { type: 'gate-abandoned', ...candidate }],
    ['judge-candidate', { type: 'tampering-seen', ...of, id: 'b', attempt: 3 }],
    ['judge-candidate', paused],
  ])('to %s fits if it is about the same: %j', (type, event) => {
    expect(problemOf(type, event)).toBeUndefined();
  });

  test.each<readonly [Remote, object, string]>([
    ['capture', { type: 'landed', ...candidate }, 'landed for capture'],
    ['run-turn', { type: 'task-decided', id: 'a' }, 'task-decided for run-turn'],
    ['run-turn', { type: 'target-moved', run: 'r1' }, 'target-moved for run-turn'],
    ['capture', { type: 'work-captured', ...of, run: 'r2' }, 'another run'],
    ['capture', { type: 'work-captured', ...of, id: 'b' }, 'another attempt'],
    ['capture', { type: 'work-captured', ...of, attempt: 2 }, 'another attempt'],
    ['run-turn', { type: 'turn-ended', ...of, turn: 2 }, 'another turn'],
    ['run-turn', { type: 'task-added', task: conflictTask }, 'another task'],
    ['run-turn', { ...note, origin: { by: 'run', run: 'r1' } }, 'another origin'],
    ['run-turn', { ...note, origin: { ...note.origin, task: 'b' } }, 'another origin'],
    ['run-call', { type: 'call-ended', ...of, call: { ...call, round: 2 } }, 'another call'],
    ['save', { type: 'task-added', task: followUp }, 'another task'],
    ['judge-branch', { type: 'branch-judged', ...judged, tree: 't2' }, 'another tree'],
    ['judge-branch', { type: 'branch-judged', ...judged, gate: 'g' }, 'another gate'],
    ['judge-branch', { type: 'branch-judged', ...judged, tests: redTests }, 'another meaning'],
    ['judge-candidate', { type: 'candidate-judged', ...verdict, tree: 't1' }, 'another tree'],
    ['judge-candidate', { type: 'candidate-judged', ...verdict, gate: 'h' }, 'another gate'],
    ['judge-candidate', { type: 'candidate-judged', ...verdict, count: 1 }, 'another count'],
    ['judge-candidate', { type: 'candidate-judged', ...verdict, candidate: 'c2' }, 'another candi'],
    ['judge-candidate', { type: 'tampering-seen', ...of, id: 'z' }, 'another task'],
    ['judge-candidate', { ...paused, step: 'start' }, 'another step'],
  ])('to %s does not fit: %j', (type, event, problem) => {
    expect(problemOf(type, event)).toContain(problem);
  });

  it('moves only refs of its own attempt, and none for a candidate', () => {
    const event = { type: 'attempt-given-up', ...of };
    const { branch } = work.attempt;
    const own = [`refs/heads/${branch}`, `refs/heads/${branch}.2`];
    expect(problemOf('capture', event, own)).toBeUndefined();
    for (const ref of ['refs/heads/main', `refs/heads/${branch}1`, 'refs/heads/yard/r1/b-1']) {
      expect(problemOf('capture', event, [ref])).toContain(ref);
    }
    expect(problemOf('judge-candidate', paused, own)).toContain(branch);
  });
});

describe('the gates of a run', () => {
  it('judge a branch quickly, but not tests that come first', () => {
    const { 'judge-branch': command } = commands;
    const attempt = { ...command.work.attempt, testsFirst: { id: 'writing', agent: 'x' } as const };
    const tests = { ...command, work: { ...command.work, attempt } };
    const gates = [command, tests].map((one) => gateOf({ gate, quick }, one));
    expect(gates).toEqual(['branch: q', 'branch: g']);
  });

  it('are that of candidates, and the quicker one of branches', () => {
    expect([gateIds({ gate }), gateIds({ gate, quick })]).toEqual([['g'], ['g', 'q']]);
  });
});
