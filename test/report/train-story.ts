// A run at full strength: a critique, rules, reviews, a person, two branches in one candidate, flakes and a delivery.
import type { EventBody } from '../../src/model/event.ts';
import type { QueueEntry } from '../../src/model/queue-entry.ts';
import { tamperings, violations } from './any-work.ts';
import { failures } from './failures.ts';
import { logOf } from './fixtures.ts';
import { end, start } from './story.ts';

const of = (id: string) => ({ run: 'r1', id, attempt: 1 });
const usage = { input: 900, cacheRead: 0, cacheWrite: 0, output: 100 };
const critique = (round: number, kind: 'critique' | 'improve') => ({
  ...of('api'),
  call: { kind, round, agent: kind === 'critique' ? 'gemini' : 'mine', again: 1 },
});
const review = (round: number, agent: string, again = 1) => ({
  ...of('api'),
  call: { kind: 'review' as const, round, agent, again },
});
const findings = [{ id: 'F1', severity: 'blocker', text: 'It drops errors.' } as const];
const asked = { ...review(1, 'codex'), type: 'call-started', slot: 2, model: 'gpt-5' } as const;
const green = { id: 'passed', ms: 5 } as const;
const red = { id: 'failed', ms: 5, failure: failures['gate-red'] } as const;
const judged = { tree: 't', gate: 'g1', cached: false };
const entry = (id: string): QueueEntry => ({ id, attempt: 1, commit: `c-${id}` });
const on = { run: 'r1', candidate: 'c1' };
const turn = (id: string, number: number): EventBody[] => [
  { ...of(id), type: 'turn-started', turn: number, slot: 1 },
  { ...of(id), type: 'turn-ended', turn: number, result: { ok: true, tail: '' } },
];

export const trainStory = logOf(
  start,
  { ...critique(1, 'critique'), type: 'call-started', slot: 1 },
  {
    ...critique(1, 'critique'),
    type: 'call-ended',
    result: { ok: true, verdict: 'needs-changes', findings, usage },
  },
  { ...critique(1, 'improve'), type: 'call-started', slot: 1 },
  { ...critique(1, 'improve'), type: 'call-ended', result: { ok: true, body: 'Better.' } },
  { ...critique(2, 'critique'), type: 'call-started', slot: 1 },
  {
    ...critique(2, 'critique'),
    type: 'call-ended',
    result: { ok: true, verdict: 'approved', findings: [] },
  },
  ...turn('api', 1),
  { ...of('api'), type: 'tampering-seen', turn: 1, found: [tamperings['git-hook']] },
  {
    ...of('api'),
    type: 'work-captured',
    commit: 'c1',
    tree: 't',
    by: 'agent',
    changes: { files: ['a'], count: 1, added: 3, removed: 1 },
    violations: [violations['test-deleted']],
  },
  ...turn('api', 2),
  { ...of('api'), type: 'work-captured', commit: 'c2', tree: 't', by: 'agent' },
  { ...of('api'), type: 'gate-skipped', tree: 't', reason: 'its agent is mostly right' },
  asked,
  {
    ...review(1, 'codex'),
    type: 'call-ended',
    result: { ok: false, failure: failures['review-failed'] },
  },
  { ...asked, ...review(1, 'codex', 2) },
  {
    ...review(1, 'codex', 2),
    type: 'call-ended',
    result: { ok: true, verdict: 'needs-changes', findings, usage, model: 'gpt-5' },
  },
  ...turn('api', 3),
  { ...of('api'), type: 'work-captured', commit: 'c3', tree: 't', by: 'person', resolves: 'old' },
  {
    ...review(2, 'codex'),
    type: 'call-ended',
    result: { ok: true, verdict: 'approved', findings: [] },
  },
  { ...of('api'), type: 'approval-asked', failure: failures['approval-needed'] },
  { type: 'task-decided', id: 'api', decision: { kind: 'reject', reason: 'too slow' } },
  { type: 'task-decided', id: 'api', decision: { kind: 'approve' } },
  { ...of('api'), type: 'conflict-predicted', with: 'docs', files: ['a', 'b'] },
  { ...of('api'), type: 'merge-deferred', behind: 'c0' },
  {
    ...on,
    type: 'candidate-built',
    parent: 'b',
    on: 'c0',
    commit: 'm2',
    tree: 't',
    entries: [entry('ui'), entry('api')],
    prefixes: [
      { commit: 'm1', tree: 't' },
      { commit: 'm2', tree: 't' },
    ],
  },
  { ...on, type: 'gate-started', count: 2, commit: 'm2', tree: 't', slot: 1, tasks: ['ui', 'api'] },
  { ...on, ...judged, type: 'candidate-judged', count: 2, verdict: red },
  { run: 'r1', candidate: 'c9', type: 'gate-abandoned', count: 1 },
  { ...on, type: 'gate-started', count: 1, commit: 'm1', tree: 't', slot: 1, tasks: ['ui'] },
  { type: 'check-flaked', run: 'r1', command: 'npm test', tree: 't', log: 'l' },
  {
    ...on,
    ...judged,
    type: 'candidate-judged',
    count: 1,
    verdict: { ...green, flaked: ['npm test'], quarantined: ['npm run slow'] },
  },
  { ...on, type: 'landed', commit: 'm1', from: 'b', entries: [entry('ui')] },
  {
    type: 'task-decided',
    id: 'api',
    decision: { kind: 'hand-in', commit: '9'.repeat(40), ref: 'x' },
  },
  { type: 'target-moved', run: 'r1', from: 'm1', to: 'x', by: { id: 'docs', attempt: 1 } },
  { type: 'target-moved', run: 'r1', from: 'x', to: 'm1' },
  {
    run: 'r1',
    candidate: 'c2',
    type: 'delivered',
    how: 'pr',
    entries: [entry('api')],
    branch: 'yard/api',
    url: 'https://example.com/pull/7',
  },
  {
    type: 'run-verified',
    run: 'r1',
    outcome: { kind: 'failed', command: 'npm test', exit: 1, ms: 9, tail: 'not ok 1\n' },
  },
  end,
);
