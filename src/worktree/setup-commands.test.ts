import { describe, expect, test } from 'vitest';
import { ManualClock } from '../../test/memory/clock.ts';
import { type Behavior, MemoryProcesses } from '../../test/memory/processes.ts';
import { inOneStream } from '../port/processes.ts';
import { runSetup } from './setup.ts';

async function setUp(commands: readonly string[], behave: (command: string) => Behavior) {
  const clock = new ManualClock();
  const processes = new MemoryProcesses(clock, (spec) => behave(spec.argv[2] ?? ''));
  const done = runSetup(processes, {
    commands,
    worktree: '/w',
    dir: '/files',
    where: 'attempt',
    env: { A: 'b' },
    limits: { wallMs: 1_000, outputBytes: 100 },
  });
  for (let n = 0; n < 20; n += 1) await clock.advance(100);
  return { failure: await done, starts: processes.starts };
}

const exits = (code: number, output = ''): Behavior => ({
  ms: 10,
  end: { id: 'exited', code },
  output,
});

describe('setting a worktree up', () => {
  test('runs every command in order, in the worktree', async () => {
    const { failure, starts } = await setUp(['npm ci', 'npm run gen'], () => exits(0));
    expect(failure).toBeUndefined();
    expect(starts).toMatchObject([
      { name: 'setup-1', argv: inOneStream('npm ci'), cwd: '/w', env: { A: 'b' } },
      { name: 'setup-2', argv: inOneStream('npm run gen') },
    ]);
  });

  test('without commands is nothing', async () => {
    expect(await setUp([], () => exits(1))).toEqual({ failure: undefined, starts: [] });
  });

  test('stops at the first failing command and returns the end of its output', async () => {
    const { failure, starts } = await setUp(['a', 'b'], () => exits(9, 'no network'));
    const of = { kind: 'setup-failed', where: 'attempt', log: '/files/setup-1.out' };
    expect(failure).toEqual({ ...of, command: 'a', exit: 9, tail: 'no network' });
    expect(starts).toHaveLength(1);
  });

  test('has a limit of time', async () => {
    const { failure } = await setUp(['a'], () => ({ ...exits(0), ms: 5_000 }));
    expect(failure).toMatchObject({ kind: 'setup-failed', exit: -1 });
    expect(failure).toMatchObject({ tail: expect.stringContaining('limits.setup_wall') });
  });

  test('reports commands that did not start or were killed', async () => {
    const none = await setUp(['a'], () => ({ ms: 0, end: { id: 'not-started', cause: 'why' } }));
    expect(none.failure).toMatchObject({ kind: 'setup-failed', tail: 'why' });
    const killed = await setUp(['a'], () => ({
      ms: 1,
      end: { id: 'signaled', signal: 'SIGKILL' },
    }));
    expect(killed.failure).toMatchObject({ kind: 'setup-failed', exit: -1 });
    const lost = await setUp(['a'], () => ({ ms: 1, end: { id: 'lost' } }));
    expect(lost.failure).toMatchObject({ kind: 'setup-failed' });
  });
});
