import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ProcessSpec } from '../../src/port/processes.ts';
import { longLine, poem } from '../conformance/process-lines.ts';
import { type Act, type ProcessesRig, processesConformance } from '../conformance/processes.ts';
import { ManualClock } from '../memory/clock.ts';
import { type Behavior, MemoryProcesses } from '../memory/processes.ts';

const end = { id: 'exited', code: 0 } as const;
const long = `short\n${'x'.repeat(longLine)}\nafter\n`;
const more = Array.from({ length: 100 }, (_, n) => ({ ms: n * 20, output: 'more\n' }));

const behaviors: Record<Exclude<Act, 'parts'>, Behavior> = {
  hello: { ms: 5, end: { id: 'exited', code: 0 }, output: 'hello\n' },
  seven: { ms: 5, end: { id: 'exited', code: 7 } },
  missing: { ms: 0, end: { id: 'not-started', cause: 'no-such-agent is not on PATH' } },
  brief: { ms: 500, end: { id: 'exited', code: 0 } },
  silent: { ms: 60_000, end: { id: 'exited', code: 0 } },
  'speaks-once': { ms: 60_000, end: { id: 'exited', code: 0 }, output: 'here\n' },
  floods: { ms: 60_000, end: { id: 'exited', code: 0 }, output: 'x'.repeat(20_000) },
  poem: { ms: 5, end, output: poem },
  'two-parts': { ms: 600, end, output: 'first\n', later: [{ ms: 500, output: 'second\n' }] },
  leaves: { ms: 300, end, output: 'done\n', later: [{ ms: 300, output: 'bye\n' }] },
  blurts: { ms: 5, end, output: long },
  'long-line': { ms: 60_000, end, output: long },
  stays: { ms: 60_000, end, output: 'work\ndone\n' },
  chatters: { ms: 60_000, end, output: 'done\n', later: more },
};

function behave({ argv, endSignal = 'SIGTERM' }: ProcessSpec): Behavior {
  const act = argv[0] as Act;
  if (act !== 'parts') return behaviors[act];
  return { ms: 60_000, end, output: 'up\n', parting: `${endSignal}\n` };
}

async function memoryRig(): Promise<ProcessesRig> {
  const clock = new ManualClock(1_000);
  const processes = new MemoryProcesses(clock, behave);
  let engines = 1;
  return {
    processes,
    dir: '/memory',
    argv: (act) => [act],
    family: (act) => [act],
    survivors: async () => 0,
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
  let clock: ManualClock;
  let effects: number;
  beforeEach(() => {
    clock = new ManualClock();
    effects = 0;
  });
  afterEach(() => {
    expect(clock.nextWake()).toBeUndefined();
  });

  const world = (behavior: Partial<Behavior> = {}): MemoryProcesses =>
    new MemoryProcesses(clock, () => ({
      ms: 1_000,
      end: { id: 'exited', code: 0 },
      effect: () => {
        effects += 1;
      },
      ...behavior,
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

  describe('that has something to say', () => {
    const limits = { ...spec.limits, lingerMs: 500, idleMs: 2_000 };
    const listened = (last?: string): ProcessSpec & { readonly heard: string[] } => {
      const heard: string[] = [];
      const line = (text: string): boolean => {
        heard.push(`${clock.now()} ${text}`);
        return text === last;
      };
      return { ...spec, limits, listener: { line }, heard };
    };

    it('says it in its time, and not to an engine that is gone', async () => {
      const later = [
        { ms: 100, output: 'two\nthr' },
        { ms: 300, output: 'ee' },
      ];
      const processes = world({ output: 'one\n', later });
      const gone = listened();
      void processes.run(gone);
      await clock.advance(50);
      processes.become({ pid: 2, startedAt: '2', host: 'memory' });
      const next = listened();
      const running = processes.run(next);
      await clock.advance(2_000);
      expect(gone.heard).toEqual(['0 one']);
      expect(next.heard).toEqual(['50 one', '100 two', '1000 three']);
      expect(await processes.tail(spec.dir, spec.name, 100)).toBe('one\ntwo\nthree');
      expect((await running).endedAt).toBe(1_000);
    });

    it('has done by its last word what it does with it, and is ended when it stays', async () => {
      let isDone = false;
      const effect = (): void => {
        isDone = true;
      };
      const later = [{ ms: 200, output: 'done\n', effect }];
      const processes = world({ ms: 60_000, later, parting: 'told' });
      const given = listened('done');
      const running = processes.run(given);
      await clock.advance(1_000);
      const how = { id: 'limit', limit: 'linger', value: 500 };
      expect(await running).toMatchObject({ how, endedAt: 700 });
      expect(isDone).toBe(true);
      expect(effects).toBe(0);
      expect(given.heard).toEqual(['200 done', '700 told']);
    });

    it('is idle only after it spoke last', async () => {
      const processes = world({ ms: 60_000, later: [{ ms: 1_500, output: 'still here\n' }] });
      const running = processes.run(listened());
      await clock.advance(5_000);
      expect(await running).toMatchObject({ how: { limit: 'idle' }, endedAt: 3_500 });
    });

    it('is not heard where its output was cut, nor to the end of a line that was', async () => {
      const processes = world({ output: 'x'.repeat(600), later: [{ ms: 10, output: '\ny\nz\n' }] });
      const given = { ...listened(), limits: { ...limits, outputBytes: 604 } };
      const running = processes.run(given);
      await clock.advance(20);
      expect((await running).how).toMatchObject({ limit: 'output' });
      expect(given.heard.map((line) => line.length)).toEqual([603, 4]);
    });
  });
});
