import { describe, expect, test } from 'vitest';
import { ManualClock } from '../../test/memory/clock.ts';
import { MemoryProcesses } from '../../test/memory/processes.ts';
import { limits } from '../model/limits.ts';
import type { HowEnded, ProcessSpec } from './processes.ts';
import { runToCompletion } from './processes.ts';

const spec: ProcessSpec = {
  dir: '/files',
  name: 'setup-1',
  argv: ['sh', '-c', 'true'],
  cwd: '/w',
  env: {},
  limits: { wallMs: 1_000, outputBytes: 100 },
};

/** A world in which each start of a child ends as the list says, the last for ever. */
function world(...ends: HowEnded[]) {
  const clock = new ManualClock();
  let starts = 0;
  const processes = new MemoryProcesses(clock, () => {
    const end = ends[Math.min(starts, ends.length - 1)] ?? { id: 'exited', code: 0 };
    starts += 1;
    return { ms: 10, end };
  });
  const run = async () => {
    const done = runToCompletion(processes, spec);
    for (let n = 0; n < 10; n += 1) await clock.advance(10);
    return done;
  };
  return { clock, processes, run };
}

describe('a command whose outcome must be its own', () => {
  test('is run once when it comes to an end, good or bad', async () => {
    const { processes, run } = world({ id: 'exited', code: 7 });
    expect(await run()).toMatchObject({ name: 'setup-1', end: { how: { code: 7 } } });
    expect(processes.starts).toHaveLength(1);
  });

  test('is run again under the next name when the one before vanished', async () => {
    const { processes, run } = world({ id: 'lost' }, { id: 'lost' }, { id: 'exited', code: 0 });
    expect(await run()).toMatchObject({ name: 'setup-1-again2', end: { how: { code: 0 } } });
    expect(processes.starts.map(({ name }) => name)).toEqual([
      'setup-1',
      'setup-1-again1',
      'setup-1-again2',
    ]);
  });

  test('is given up when it vanishes every time', async () => {
    const { processes, run } = world({ id: 'lost' });
    expect(await run()).toMatchObject({ end: { how: { id: 'lost' } } });
    expect(processes.starts).toHaveLength(limits.commandRestarts + 1);
  });

  test('is run again however often it was interrupted before', async () => {
    const { clock, processes, run } = world({ id: 'exited', code: 0 });
    for (let times = 0; times < limits.commandRestarts * 2; times += 1) {
      const cut = runToCompletion(processes, spec);
      await clock.advance(0);
      processes.interruptAll();
      await clock.advance(0);
      expect((await cut).end.how.id).toBe('interrupted');
    }
    expect(await run()).toMatchObject({ end: { how: { code: 0 } } });
  });

  test('that is interrupted returns so, and only the next call runs it again', async () => {
    const { clock, processes, run } = world({ id: 'exited', code: 0 });
    const cut = runToCompletion(processes, spec);
    processes.interruptAll();
    await clock.advance(10);
    expect(await cut).toMatchObject({ name: 'setup-1', end: { how: { id: 'interrupted' } } });
    expect(processes.starts).toHaveLength(1);
    expect(await run()).toMatchObject({ name: 'setup-1-again1', end: { how: { code: 0 } } });
  });
});
