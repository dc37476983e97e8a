import { describe, expect, it } from 'vitest';
import type { GateResult } from '../gate/checks.ts';
import { endedBySignal } from '../model/machine-cause.ts';
import { Trouble } from '../model/trouble.ts';
import type { Ports } from './context.ts';
import { stillExact } from './gate-tree.ts';

const passed: GateResult = { verdict: { id: 'passed', ms: 5 }, flaked: [] };

/** A git that a signal ends so many times before it answers that no file differs. */
function gitKilled(times: number) {
  let left = times;
  const git = {
    differing: async () => {
      left -= 1;
      if (left < 0) return [];
      const stderr = endedBySignal('SIGKILL');
      throw new Trouble({ kind: 'git-failed', args: ['diff'], exit: -1, stderr });
    },
  };
  return { git } as unknown as Pick<Ports, 'git'>;
}

const judged = (times: number) =>
  stillExact(
    gitKilled(times),
    { where: 'candidate', isRed: true },
    { worktree: '/gate', commit: 'c' },
    passed,
  );

describe('the comparison after a gate', () => {
  it('is repeated if a signal ends git', async () => {
    expect((await judged(2)).verdict).toEqual(passed.verdict);
  });

  it('gives no verdict if git is ended again and again', async () => {
    expect((await judged(100)).verdict).toMatchObject({
      id: 'not-run',
      failure: { kind: 'gate-not-run', cause: expect.stringContaining('SIGKILL') },
    });
  });
});
