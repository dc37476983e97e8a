import type { EventBody } from '../../src/model/event.ts';
import { failures } from './failures.ts';
import { logOf, owner, settings } from './fixtures.ts';

const commit = (digit: string): string => digit.repeat(40);
const of = (id: string, attempt: number) => ({ run: 'r1', id, attempt });
const started = (id: string, attempt: number, slot: number): EventBody => ({
  ...of(id, attempt),
  type: 'attempt-started',
  slot,
  fence: attempt,
  agent: 'mine',
  branch: `yard/r1/${id}-${attempt}`,
});
const turn = (id: string, attempt: number, number: number, slot: number): EventBody => ({
  ...of(id, attempt),
  type: 'turn-started',
  turn: number,
  slot,
});
const well = (id: string, attempt: number, number: number): EventBody => ({
  ...of(id, attempt),
  type: 'turn-ended',
  turn: number,
  result: { ok: true, tail: 'done' },
});
const badly = (
  id: string,
  attempt: number,
  failure: (typeof failures)[keyof typeof failures],
): EventBody[] => [
  { ...of(id, attempt), type: 'turn-ended', turn: 1, result: { ok: false, failure } },
  { ...of(id, attempt), type: 'attempt-failed', failure },
];
const judged = (id: string, green: boolean): EventBody => ({
  ...of(id, 1),
  type: 'branch-judged',
  tree: commit('7'),
  gate: 'g1',
  verdict: green
    ? { id: 'passed', ms: 2000 }
    : { id: 'failed', ms: 1500, failure: failures['gate-red'] },
  cached: false,
});
export const landing = (id: string, attempt: number, candidate: string): EventBody[] => {
  const entries = [{ id, attempt, commit: commit('a') }];
  return [
    {
      run: 'r1',
      candidate,
      type: 'candidate-built',
      parent: commit('0'),
      commit: commit('b'),
      tree: commit('7'),
      entries,
    },
    {
      run: 'r1',
      candidate,
      type: 'candidate-judged',
      tree: commit('7'),
      gate: 'g1',
      verdict: { id: 'passed', ms: 2000 },
      cached: true,
    },
    { run: 'r1', candidate, type: 'landed', commit: commit('b'), from: commit('0'), entries },
  ];
};

export const start: EventBody = {
  type: 'run-started',
  run: 'r1',
  owner,
  settings,
  base: commit('0'),
};
export const end: EventBody = { type: 'run-ended', run: 'r1', stop: { reason: 'drained' } };

/** A run in which everything happens: a landing, a red gate, an error and a retry, a hang, silence, a stop, a loss. */
export const story = logOf(
  start,
  started('api', 1, 1),
  turn('api', 1, 1, 1),
  well('api', 1, 1),
  judged('api', false),
  turn('api', 1, 2, 1),
  well('api', 1, 2),
  judged('api', true),
  ...landing('api', 1, 'c1'),
  started('ui', 1, 2),
  turn('ui', 1, 1, 2),
  ...badly('ui', 1, failures['agent-exited']),
  started('ui', 2, 1),
  turn('ui', 2, 1, 1),
  ...badly('ui', 2, failures['limit-crossed']),
  started('docs', 1, 2),
  turn('docs', 1, 1, 2),
  ...badly('docs', 1, failures['no-changes']),
  started('cut', 1, 1),
  turn('cut', 1, 1, 1),
  ...badly('cut', 1, failures.interrupted),
  started('lost', 1, 2),
  turn('lost', 1, 1, 2),
);
