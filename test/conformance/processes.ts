// Conformance suite for `Processes`, including the in-memory one.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type {
  ProcessEnd,
  Processes,
  ProcessLimits,
  ProcessSpec,
} from '../../src/port/processes.ts';
import { linesConformance, type SpeakingAct } from './process-lines.ts';

/** Children every implementation can run. The last three go on for a minute unless they are ended. */
export type Act =
  | SpeakingAct
  | 'hello'
  | 'seven'
  | 'missing'
  | 'brief'
  | 'silent'
  | 'speaks-once'
  | 'floods';

export interface ProcessesRig {
  readonly processes: Processes;
  readonly dir: string;
  argv(act: Act): readonly string[];
  /** The same, by a child that first starts another one, which leaves its group and does not listen to polite signals. */
  family(act: Act): readonly string[];
  /** Living members of a process family. Fails if none was ever started. */
  survivors(): Promise<number>;
  /** Lets time pass until the promise is settled. */
  passing<T>(promise: Promise<T>): Promise<T>;
  /** Resolves when the child has begun. */
  begun(spec: ProcessSpec): Promise<void>;
  /** Number of real starts of children with this name. */
  starts(name: string): number;
  /** Another engine on the same machine; the one before is gone and follows nothing any more. */
  another(): Processes;
  close(): Promise<void>;
}

const roomy: ProcessLimits = { wallMs: 50_000, outputBytes: 1024 * 1024 };

export function processesConformance(title: string, open: () => Promise<ProcessesRig>): void {
  describe(`${title} as processes`, () => {
    let rig: ProcessesRig;
    beforeEach(async () => {
      rig = await open();
    });
    afterEach(() => rig.close());

    const spec = (name: string, act: Act, limits: Partial<ProcessLimits> = {}): ProcessSpec => ({
      dir: rig.dir,
      name,
      argv: rig.argv(act),
      cwd: rig.dir,
      env: { PATH: process.env.PATH ?? '' },
      limits: { ...roomy, ...limits },
    });
    const run = (given: ProcessSpec): Promise<ProcessEnd> => rig.passing(rig.processes.run(given));

    it('tells a child that exits 0 with its times and its output', async () => {
      const end = await run(spec('a', 'hello'));
      expect(end.how).toEqual({ id: 'exited', code: 0 });
      expect(end.endedAt).toBeGreaterThanOrEqual(end.startedAt);
      expect(end.stragglers).toBe(0);
      expect(await rig.processes.tail(rig.dir, 'a', 4096)).toBe('hello\n');
    });

    it('gives no more of the output than it is asked for', async () => {
      await run(spec('a', 'hello'));
      expect(await rig.processes.tail(rig.dir, 'a', 3)).toBe('lo\n');
    });

    it('hands on all that a child printed, line by line', async () => {
      await run(spec('a', 'poem'));
      const lines: string[] = [];
      await rig.processes.lines(rig.dir, 'a', (line) => lines.push(line));
      expect(lines).toEqual(['one', '', 'two \u00e4 \u{1f642}', '  three']);
    });

    it('has no output of a child it never saw', async () => {
      expect(await rig.processes.tail(rig.dir, 'nobody', 4096)).toBe('');
      await rig.processes.lines(rig.dir, 'nobody', () => expect.unreachable());
    });

    it('tells the exit code', async () => {
      expect((await run(spec('a', 'seven'))).how).toEqual({ id: 'exited', code: 7 });
    });

    it('says why a child did not start, and records no end for it', async () => {
      const { how } = await run(spec('a', 'missing'));
      expect(how.id).toBe('not-started');
      expect(how.id === 'not-started' && how.cause).toMatch(/no-such-agent/);
      expect(rig.processes.hasEnded(rig.dir, 'a')).toBe(false);
    });

    it('returns the same end when asked again, and starts nothing', async () => {
      const first = await run(spec('a', 'seven'));
      expect(await run(spec('a', 'seven'))).toEqual(first);
      expect(await rig.another().run(spec('a', 'seven'))).toEqual(first);
      expect(rig.starts('a')).toBe(1);
    });

    it('keeps children of other names and folders apart', async () => {
      const ends = await Promise.all([
        run(spec('a', 'seven')),
        run(spec('b', 'hello')),
        run({ ...spec('a', 'hello'), dir: `${rig.dir}/other` }),
      ]);
      expect(ends.map(({ how }) => how.id === 'exited' && how.code)).toEqual([7, 0, 0]);
    });

    it('follows one child for two callers', async () => {
      const given = spec('a', 'brief');
      const [one, two] = await rig.passing(
        Promise.all([rig.processes.run(given), rig.processes.run(given)]),
      );
      expect(one).toEqual(two);
      expect(rig.starts('a')).toBe(1);
    });

    it('takes over a child whose engine is gone, and sees its end', async () => {
      const given = spec('a', 'brief');
      const gone = rig.processes.run(given);
      await rig.begun(given);
      const end = await rig.passing(rig.another().run(given));
      expect(end.how).toEqual({ id: 'exited', code: 0 });
      expect(rig.starts('a')).toBe(1);
      // An engine that is gone only by name may still have to write.
      await gone;
    });

    it.each([
      ['wall', 'silent', { wallMs: 300 }, 300],
      ['idle', 'speaks-once', { idleMs: 400 }, 400],
      ['start', 'silent', { startMs: 300 }, 300],
      ['output', 'floods', { outputBytes: 10_000 }, 10_000],
    ] as const)('ends a child that crosses its %s limit', async (limit, act, limits, value) => {
      const end = await run(spec('a', act, limits));
      expect(end.how).toEqual({ id: 'limit', limit, value });
      expect(await run(spec('a', act, limits))).toEqual(end);
    });

    it('does not hold a child that speaks to its start limit', async () => {
      const end = await run(spec('a', 'speaks-once', { startMs: 200, wallMs: 900 }));
      expect(end.how).toEqual({ id: 'limit', limit: 'wall', value: 900 });
    });

    it('ends a child that is interrupted, and remembers that', async () => {
      const given = spec('a', 'silent');
      const running = rig.processes.run(given);
      await rig.begun(given);
      rig.processes.interrupt(rig.dir, 'a');
      expect((await rig.passing(running)).how).toEqual({ id: 'interrupted' });
      expect((await rig.another().run(given)).how).toEqual({ id: 'interrupted' });
    });

    it('ends all it follows when asked to', async () => {
      const given = [spec('a', 'silent'), spec('b', 'silent')];
      const running = given.map((one) => rig.processes.run(one));
      await Promise.all(given.map((one) => rig.begun(one)));
      rig.processes.interruptAll();
      const ends = await rig.passing(Promise.all(running));
      expect(ends.map(({ how }) => how.id)).toEqual(['interrupted', 'interrupted']);
    });

    it('ends all that runs in a folder, also what an engine before it started', async () => {
      const given = spec('a', 'silent');
      void rig.processes.run(given);
      await rig.begun(given);
      const next = rig.another();
      await rig.passing(next.endIn(rig.dir));
      expect(next.hasEnded(rig.dir, 'a')).toBe(true);
      await rig.passing(next.endIn(rig.dir));
    });

    it('ignores the interruption of a child it does not know, or that has ended', async () => {
      rig.processes.interrupt(rig.dir, 'nobody');
      await run(spec('a', 'hello'));
      rig.processes.interrupt(rig.dir, 'a');
      expect((await run(spec('a', 'hello'))).how).toEqual({ id: 'exited', code: 0 });
    });

    it('knows whether the end of a child is on record', async () => {
      const given = spec('a', 'silent', { wallMs: 300 });
      expect(rig.processes.hasEnded(rig.dir, 'a')).toBe(false);
      const running = rig.processes.run(given);
      await rig.begun(given);
      expect(rig.processes.hasEnded(rig.dir, 'a')).toBe(false);
      await rig.passing(running);
      expect(rig.processes.hasEnded(rig.dir, 'a')).toBe(true);
      expect(rig.another().hasEnded(rig.dir, 'a')).toBe(true);
    });

    it('writes files under the path it returns', async () => {
      expect(await rig.processes.write(rig.dir, 'prompt.md', 'Do it.')).toBe(
        `${rig.dir}/prompt.md`,
      );
    });

    it('knows itself, and nobody with its pid and another start', () => {
      const self = rig.processes.self();
      expect(rig.processes.isAlive(self)).toBe(true);
      expect(rig.processes.isAlive({ ...self, startedAt: '0' })).toBe(false);
      expect(rig.processes.isAlive({ ...self, startedAt: '1@elsewhere' })).toBe(false);
    });

    linesConformance(() => rig, spec);
  });
}
