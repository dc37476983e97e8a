import { describe, expect, it } from 'vitest';
import type { GateResult } from '../gate/checks.ts';
import { fail, ok } from '../model/failure.ts';
import { endedBySignal } from '../model/machine-cause.ts';
import type { Ports } from './context.ts';
import { stillExact } from './gate-tree.ts';

const passed: GateResult = { verdict: { id: 'passed', ms: 5 }, flaked: [] };

/** A git that a signal ends so many times before it answers that no file differs. */
function gitKilled(times: number) {
  let left = times;
  const git = {
    differing: async () => {
      left -= 1;
      if (left < 0) return ok([]);
      const stderr = endedBySignal('SIGKILL');
      return fail({ kind: 'git-failed', args: ['diff'], exit: null, stderr } as const);
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
