// Every way an agent can fail: what is said of it, what is kept, how often it is tried, and what is gone afterwards.
import { expect, test } from 'vitest';
import { type Action, exit, hang, print, type TestProject, testProject, write } from '../../rig.ts';

interface Case {
  readonly name: string;
  /** What the agent does after it has written `half.txt`. */
  readonly acts: readonly Action[];
  readonly kind: string;
  /** Part of what `ym status` says happened. */
  readonly says: string;
  readonly config?: Readonly<Record<string, unknown>>;
}

const cases: readonly Case[] = [
  {
    name: 'ends with an exit status',
    acts: [print('no luck'), exit(7)],
    kind: 'agent-exited',
    says: 'exited with status 7',
  },
  {
    name: 'hangs without a word',
    acts: [hang],
    kind: 'limit-crossed',
    says: 'printed nothing for',
    config: { limits: { agent_idle: '300ms' } },
  },
  {
    name: 'works for too long',
    acts: [{ run: { shell: 'while :; do echo busy; sleep 0.05; done' } }],
    kind: 'limit-crossed',
    says: 'did not finish within',
    config: { limits: { agent_wall: '700ms' } },
  },
  {
    name: 'floods its output',
    acts: [{ flood: { bytes: 100_000_000, line: 'x'.repeat(200) } }],
    kind: 'limit-crossed',
    says: 'printed more than',
    config: { limits: { output: '1MB' } },
  },
  {
    name: 'dies of a signal',
    acts: [{ crash: { signal: 'SIGSEGV' } }],
    kind: 'agent-exited',
    says: 'SIGSEGV',
  },
];

function failing(
  acts: readonly Action[],
  config: Readonly<Record<string, unknown>> = {},
): TestProject {
  return testProject({
    config: { retries: 0, ...config },
    tasks: [{ id: 'a' }, { id: 'other' }],
    script: {
      a: [[write('half.txt', 'half\n'), ...acts]],
      other: [[write('other.txt', 'other\n')]],
    },
    leaves: ['branches'],
  });
}

test.each(cases)('an agent that $name fails with a reason, and its work is kept', async (one) => {
  const y = failing(one.acts, one.config);
  const before = y.tip();
  const run = await y.ym('run', y.plan);
  expect(run.code).toBe(1);
  const { state, attempts, failure } = await y.task('a');
  expect({ state, attempts, kind: failure?.kind }).toEqual({
    state: 'failed',
    attempts: 1,
    kind: one.kind,
  });
  expect(failure?.what).toContain(one.says);
  expect(failure?.why.length).toBeGreaterThan(5);
  expect(failure?.do).toContain('ym log a');
  const why = await y.ym('why', 'a', '--json');
  expect(why.stdout).toContain(one.kind);
  const { branches, worktrees } = y.leftovers();
  expect(branches).toHaveLength(1);
  expect(why.stdout).toContain(branches[0]?.replace('refs/heads/', ''));
  expect(y.show('half.txt', branches[0])).toBe('half\n');
  expect(worktrees).toEqual([]);
  expect(y.landings()).toEqual({ other: 1 });
  expect(y.tip('main^1')).toBe(before);
});
