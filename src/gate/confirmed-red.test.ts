import { expect, test } from 'vitest';
import { ManualClock } from '../../test/memory/clock.ts';
import { MemoryProcesses } from '../../test/memory/processes.ts';
import type { ConfirmedRed } from '../model/verdict.ts';
import { runGate } from './checks.ts';

/** Runs a gate whose command fails in these tests: in the first run, in the next, and so on. */
async function failsIn(runs: readonly (readonly string[])[], confirmed: readonly ConfirmedRed[]) {
  const clock = new ManualClock();
  const left = [...runs];
  const processes = new MemoryProcesses(clock, () => {
    const output = left.shift()?.map((name, at) => `not ok ${at + 1} - ${name}`);
    return {
      ms: 10,
      end: { id: 'exited', code: 1 },
      output: ['TAP version 13', ...(output ?? [])].join('\n'),
    };
  });
  const judged = runGate(processes, {
    gate: { id: 'g', commands: ['npm test'], timeoutMs: 1_000 },
    where: 'candidate',
    worktree: '/w',
    dir: '/files',
    name: 'gate',
    env: {},
    limits: { wallMs: 1_000, outputBytes: 100_000 },
    reruns: 1,
    quarantined: [],
    confirmed,
    pause: (ms) => clock.sleep(ms),
  });
  for (let n = 0; n < 20; n += 1) await clock.advance(100);
  const verdict = (await judged)?.verdict;
  const failure = verdict?.id === 'failed' ? verdict.failure : undefined;
  return {
    runs: processes.starts.length,
    confirmed: failure?.kind === 'gate-red' ? failure.confirmed : undefined,
  };
}

const known = (...names: readonly string[]): readonly ConfirmedRed[] => [
  { command: 'npm test', tests: names },
];

test('a test that fails in the rerun too is confirmed; one that fails once is not', async () => {
  expect(await failsIn([['a', 'b'], ['b']], [])).toEqual({ runs: 2, confirmed: ['b'] });
});

test('a command that fails in confirmed tests only is not rerun', async () => {
  expect(await failsIn([['b']], known('a', 'b'))).toEqual({ runs: 1, confirmed: ['b'] });
});

test('a command that fails in any other test, or names none, is rerun', async () => {
  expect(await failsIn([['b', 'c'], ['c']], known('b'))).toEqual({
    runs: 2,
    confirmed: ['c'],
  });
  expect(await failsIn([[], []], known('b'))).toEqual({ runs: 2, confirmed: [] });
  expect(await failsIn([['b'], ['b']], [{ command: 'lint', tests: ['b'] }])).toMatchObject({
    runs: 2,
  });
});
