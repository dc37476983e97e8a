import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { HandClock } from '../../src/process/handclock.ts';
import { type Behaviour, MemoryProcesses } from '../../src/process/memory.ts';
import type { ProcessSpec } from '../../src/process/processes.ts';
import { type Act, type ProcessesRig, processesConformance } from '../conformance/processes.ts';

const behaviours: Record<Act, Behaviour> = {
  hello: { ms: 5, end: { id: 'exited', code: 0 }, output: 'hello\n' },
  seven: { ms: 5, end: { id: 'exited', code: 7 } },
  missing: { ms: 0, end: { id: 'not-started', cause: 'no-such-agent is not on PATH' } },
  brief: { ms: 500, end: { id: 'exited', code: 0 } },
  silent: { ms: 60_000, end: { id: 'exited', code: 0 } },
  'speaks-once': { ms: 60_000, end: { id: 'exited', code: 0 }, output: 'here\n' },
  floods: { ms: 60_000, end: { id: 'exited', code: 0 }, output: 'x'.repeat(20_000) },
};

async function memoryRig(): Promise<ProcessesRig> {
  const clock = new HandClock(1_000);
  const processes = new MemoryProcesses(clock, ({ argv }) => behaviours[argv[0] as Act]);
  let engines = 1;
  return {
    processes,
    dir: '/memory',
    argv: (act) => [act],
    async passing(promise) {
      let settled = false;
      const seen = promise.finally(() => {
        settled = true;
      });
      await clock.advance(0);
      for (let wake = clock.nextWake(); !settled && wake !== undefined; wake = clock.nextWake()) {
        await clock.advance(wake - clock.now());
      }
      return seen;
    },
    begun: async () => undefined,
    starts: (name) => processes.starts.filter((spec) => spec.name === name).length,
    another() {
      engines += 1;
      processes.become({ pid: engines, startedAt: '1', host: 'memory' });
      return processes;
    },
    close: async () => undefined,
  };
}

processesConformance('the in-memory twin', memoryRig);

describe('the in-memory twin', () => {
  const spec: ProcessSpec = {
    dir: '/memory',
    name: 'a',
    argv: ['agent'],
    cwd: '/memory',
    env: {},
    limits: { wallMs: 10_000, outputBytes: 1_000 },
  };
  let clock: HandClock;
  let effects: number;
  beforeEach(() => {
    clock = new HandClock();
    effects = 0;
  });
  afterEach(() => {
    expect(clock.nextWake()).toBeUndefined();
  });

  const world = (behaviour: Partial<Behaviour> = {}): MemoryProcesses =>
    new MemoryProcesses(clock, () => ({
      ms: 1_000,
      end: { id: 'exited', code: 0 },
      effect: () => {
        effects += 1;
      },
      ...behaviour,
    }));

  it('lets a child finish, with its effect, although nobody follows it', async () => {
    const processes = world();
    void processes.run(spec);
    processes.become({ pid: 2, startedAt: '2', host: 'memory' });
    await clock.advance(2_000);
    expect(effects).toBe(1);
    expect((await processes.run(spec)).endedAt).toBe(1_000);
    expect(effects).toBe(1);
  });

  it('leaves out the effect of a child that is ended', async () => {
    const processes = world();
    const running = processes.run(spec);
    await clock.advance(500);
    processes.interrupt(spec.dir, spec.name);
    expect(await running).toMatchObject({ how: { id: 'interrupted' }, endedAt: 500 });
    await clock.advance(2_000);
    expect(effects).toBe(0);
  });

  it('does not end children that only an earlier engine followed', async () => {
    const processes = world();
    void processes.run(spec);
    processes.become({ pid: 2, startedAt: '2', host: 'memory' });
    processes.interruptAll();
    processes.interrupt(spec.dir, spec.name);
    await clock.advance(1_000);
    expect((await processes.run(spec)).how.id).toBe('exited');
  });

  it('knows owners that were declared alive, by value', () => {
    const processes = world();
    const owner = { pid: 77, startedAt: 'x', host: 'memory' };
    expect(processes.isAlive(owner)).toBe(false);
    processes.owners.add({ ...owner });
    expect(processes.isAlive(owner)).toBe(true);
  });

  it('keeps what was written', async () => {
    const processes = world();
    await processes.write('/memory', 'prompt.md', 'Do it.');
    expect(processes.files.get('/memory/prompt.md')).toBe('Do it.');
  });

  it('crosses the nearest of several limits', async () => {
    const processes = world({ ms: 60_000 });
    const running = processes.run({
      ...spec,
      limits: { ...spec.limits, idleMs: 3_000, startMs: 2_000 },
    });
    await clock.advance(5_000);
    expect(await running).toMatchObject({ how: { limit: 'start' }, endedAt: 2_000 });
  });
});
