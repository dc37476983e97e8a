// A run in which one task lands: a turn with usage, a review, the gate of a candidate, a landing.
import type { EventBody } from '../../src/model/event.ts';
import { logOf } from './fixtures.ts';
import { end, start } from './story.ts';

const of = { run: 'r1', id: 'api', attempt: 1 };
const on = { run: 'r1', candidate: 'c1' };
const usage = { input: 10, cacheRead: 20, cacheWrite: 5, output: 7, costUsd: 0.25 };
const call = { kind: 'review', round: 1, agent: 'codex', again: 1 } as const;
const work = { ...of, type: 'work-captured', commit: 'c', tree: 't', by: 'agent' } as const;
const approved = { ok: true, verdict: 'approved', findings: [], model: 'gpt-5' } as const;

const events: readonly EventBody[] = [
  start,
  { ...of, type: 'attempt-started', slot: 1, fence: 1, agent: 'mine', branch: 'yard/r1/api-1' },
  { ...of, type: 'turn-started', turn: 1, slot: 1, model: 'opus' },
  { ...of, type: 'turn-ended', turn: 1, result: { ok: true, tail: '', usage, model: 'opus-5' } },
  work,
  { ...of, type: 'call-started', call, slot: 1 },
  { ...of, type: 'call-ended', call, result: approved },
  {
    ...on,
    type: 'candidate-built',
    parent: 'b',
    commit: 'm',
    tree: 't',
    entries: [{ id: 'api', attempt: 1, commit: 'c' }],
  },
  { ...on, type: 'gate-started', count: 1, commit: 'm', tree: 't', slot: 0, tasks: ['api'] },
  {
    ...on,
    type: 'candidate-judged',
    count: 1,
    tree: 't',
    gate: 'g1',
    cached: false,
    verdict: { id: 'passed', ms: 1500 },
  },
  {
    ...on,
    type: 'landed',
    commit: 'm',
    from: 'b',
    entries: [{ id: 'api', attempt: 1, commit: 'c' }],
  },
  end,
];

export const landedStory = logOf(...events);
