// Every way an agent can fail: what is said of it, what is kept, how often it is tried, and what is gone afterwards.
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { flat } from '../../rig/project.ts';
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

test('an agent that changes nothing has failed, and says so', async () => {
  const y = testProject({
    config: { retries: 0 },
    tasks: [{ id: 'a' }],
    script: { a: [[print('All is well already.')]] },
  });
  expect(await y.ym('run', y.plan)).toMatchObject({ code: 1 });
  const { state, failure } = await y.task('a');
  expect(state).toBe('failed');
  expect(failure).toMatchObject({ kind: 'no-changes' });
  expect(failure?.why).toContain('All is well already');
  expect(failure?.do).toContain('ym skip a');
});

test('an agent that gives up is heard', async () => {
  const say = 'echo "The API is not documented."; echo __DONE__';
  const y = testProject({
    config: {
      retries: 0,
      agent: 'mine',
      agents: { mine: { use: 'command', command: ['sh', '-c', say], done: 'signal' } },
    },
    tasks: [{ id: 'a' }],
  });
  expect(await y.ym('run', y.plan)).toMatchObject({ code: 1 });
  const { failure } = await y.task('a');
  expect(failure).toMatchObject({ kind: 'agent-gave-up' });
  expect(failure?.what).toContain('The API is not documented');
});

test('an agent that ends without the word it owes has not completed', async () => {
  const y = testProject({
    config: {
      retries: 0,
      retry: { silent: 1 },
      agent: 'mine',
      agents: { mine: { use: 'command', command: ['touch', 'a.txt'], done: 'signal' } },
    },
    tasks: [{ id: 'a' }],
    leaves: ['branches'],
  });
  expect(await y.ym('run', y.plan)).toMatchObject({ code: 1 });
  expect(await y.task('a')).toMatchObject({ failure: { kind: 'agent-stuck' } });
  expect(y.show('a.txt', y.leftovers().branches[0])).toBe('');
});

test('a set-up command that fails is named, and no agent is started', async () => {
  const y = testProject({
    config: { retries: 0, worktree: { setup: ['echo preparing', 'echo broken; exit 9'] } },
    tasks: [{ id: 'a' }],
    script: { a: [[{ touch: { file: 'started' } }, write('a.txt', 'a\n')]] },
  });
  const run = await y.ym('run', y.plan);
  expect(run.code).toBe(3);
  expect(flat(run.stdout)).toContain('The setup command "echo broken; exit 9" failed');
  expect(run.stdout).toMatch(/^printed +broken$/m);
  const log = /full output is in (\S+setup-2\.out)/.exec(flat(run.stdout))?.[1] ?? '';
  expect(readFileSync(log, 'utf8')).toBe('broken\n');
  expect(await y.task('a')).toMatchObject({ state: 'ready' });
  expect(y.isSeen('started')).toBe(false);
  const need = { kind: 'run', command: 'ym resume', failure: { kind: 'setup-failed' } };
  expect(await y.status()).toMatchObject({ needsYou: [need] });
  expect((await y.ym('failures')).stdout).toMatch(/^ +3 +setup-failed /m);
  y.write('yardmaster.yaml', y.read('yardmaster.yaml').replace('; exit 9', ''));
  y.commit('Fix the set-up');
  expect(await y.ym('verify')).toMatchObject({ code: 0 });
  expect(await y.ym('resume')).toMatchObject({ code: 0 });
  expect(y.landings()).toEqual({ a: 1 });
  expect(await y.status()).toMatchObject({ needsYou: [] });
  expect(flat((await y.ym('failures')).stdout)).toContain('The task has landed since.');
});

test('agents are started at most once a task and once more for each retry', async () => {
  const y = testProject({
    config: { quarantine: 100 },
    tasks: ['a', 'b', 'c'].map((id) => ({ id })),
    script: { default: [[exit(1)]] },
  });
  expect((await y.ym('run', y.plan, '--retries', '1')).code).toBe(1);
  const starts = (await y.events()).filter(({ type }) => type === 'turn-started');
  expect(starts).toHaveLength(6);
  expect((await y.status()).spend.starts).toBe(6);
});

test('a gate that cannot come to a verdict lands nothing', async () => {
  const y = testProject({
    config: { retries: 0, gate: { commands: ['sh gate.sh'], timeout: '300ms' } },
    files: { 'gate.sh': 'test ! -e a.txt || sleep 600\n' },
    tasks: [{ id: 'a' }],
    script: { a: [[write('a.txt', 'a\n')]] },
    leaves: ['branches'],
  });
  const before = y.tip();
  expect((await y.ym('run', y.plan)).code).toBe(1);
  expect(y.tip()).toBe(before);
  const { failure } = await y.task('a');
  expect(failure?.what).toMatch(/gate/i);
  expect(failure?.do).toMatch(/^Read \/\S+\.out, or type `ym log a --gate`/);
});
