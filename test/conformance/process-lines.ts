// Conformance suite for listeners of `Processes` and the limits that depend on them.
import { describe, expect, it } from 'vitest';
import type { LineListener, ProcessLimits, ProcessSpec } from '../../src/port/processes.ts';
import type { Act, ProcessesRig } from './processes.ts';

/** Children that have something to say. The last four go on for a minute unless they are ended. */
export type SpeakingAct =
  /** Prints `poem`, the last line without its end. */
  | 'poem'
  /** Prints `first`, and after a while `second`. */
  | 'two-parts'
  /** Prints `done`, and after a while `bye`, and leaves. */
  | 'leaves'
  /** Prints `short`, a line of `longLine` bytes, and `after`, and leaves. */
  | 'blurts'
  /** The same, and does not leave. */
  | 'long-line'
  /** Prints `work` and `done`, and does not leave. */
  | 'stays'
  /** Prints `done` and goes on to print for ever. */
  | 'chatters'
  /** Prints `up`, and when it is told to end, the name of the signal. */
  | 'parts';

export const poem = 'one\r\n\ntwo \u00e4 \u{1f642}\n  three';
export const longLine = 20_000;

/** Keeps what it hears; `last` is the last word. */
class Note implements LineListener {
  readonly lines: string[] = [];
  readonly #last: string | undefined;
  readonly #waiting = new Map<string, () => void>();

  constructor(last?: string) {
    this.#last = last;
  }

  line(text: string): boolean {
    this.lines.push(text);
    this.#waiting.get(text)?.();
    return this.#last !== undefined && this.lines.includes(this.#last);
  }

  /** Resolves when the line is heard. */
  hears(text: string): Promise<void> {
    if (this.lines.includes(text)) return Promise.resolve();
    return new Promise((heard) => this.#waiting.set(text, heard));
  }
}

export function linesConformance(
  rig: () => ProcessesRig,
  spec: (name: string, act: Act, limits?: Partial<ProcessLimits>) => ProcessSpec,
): void {
  const run = (given: ProcessSpec) => rig().passing(rig().processes.run(given));
  const heardBy = (listener: LineListener, act: Act, limits: Partial<ProcessLimits> = {}) =>
    run({ ...spec('a', act, limits), listener });

  describe('a listener', () => {
    const lines = ['one', '', 'two \u00e4 \u{1f642}', '  three'];

    it('hears every line in order, with or without an end, before the end of the child', async () => {
      const note = new Note();
      expect((await heardBy(note, 'poem')).how).toEqual({ id: 'exited', code: 0 });
      expect(note.lines).toEqual(lines);
    });

    it('hears nothing of a child that prints nothing, or is not started', async () => {
      const note = new Note();
      await heardBy(note, 'seven');
      await run({ ...spec('b', 'missing'), listener: note });
      expect(note.lines).toEqual([]);
    });

    it('hears a child that has ended, each time it is asked for', async () => {
      const first = await run(spec('a', 'poem'));
      for (const processes of [rig().processes, rig().another()]) {
        const note = new Note();
        const end = await processes.run({ ...spec('a', 'poem'), listener: note });
        expect(end).toEqual(first);
        expect(note.lines).toEqual(lines);
      }
      expect(rig().starts('a')).toBe(1);
    });

    it('hears all beside another one of the same child', async () => {
      const notes = [new Note(), new Note()];
      const given = notes.map((listener) => ({ ...spec('a', 'two-parts'), listener }));
      const [one, two] = await rig().passing(
        Promise.all(given.map((each) => rig().processes.run(each))),
      );
      expect(two).toEqual(one);
      expect(notes.map((note) => note.lines)).toEqual([
        ['first', 'second'],
        ['first', 'second'],
      ]);
      expect(rig().starts('a')).toBe(1);
    });

    it('hears while the child runs', async () => {
      const listener = new Note();
      const running = rig().processes.run({ ...spec('a', 'speaks-once'), listener });
      await rig().passing(listener.hears('here'));
      rig().processes.interrupt(rig().dir, 'a');
      expect((await rig().passing(running)).how).toEqual({ id: 'interrupted' });
      expect(listener.lines).toEqual(['here']);
    });

    it('of an engine that takes over hears all from the start', async () => {
      const before = new Note();
      const gone = rig().processes.run({ ...spec('a', 'two-parts'), listener: before });
      await rig().passing(before.hears('first'));
      const listener = new Note();
      await rig().passing(
        rig()
          .another()
          .run({ ...spec('a', 'two-parts'), listener }),
      );
      expect(listener.lines).toEqual(['first', 'second']);
      expect(rig().starts('a')).toBe(1);
      await gone;
    });

    it.each([
      ['as told', { endSignal: 'SIGINT' }, 'SIGINT'],
      ['where nothing is told', {}, 'SIGTERM'],
    ] as const)(
      'hears what a child says to the signal it is ended with, %s',
      async (_, how, name) => {
        const listener = new Note();
        const running = rig().processes.run({ ...spec('a', 'parts'), ...how, listener });
        await rig().passing(listener.hears('up'));
        rig().processes.interrupt(rig().dir, 'a');
        expect((await rig().passing(running)).how).toEqual({ id: 'interrupted' });
        expect(listener.lines).toEqual(['up', name]);
      },
    );
  });

  describe('a line that is too long', () => {
    const how = { id: 'limit', limit: 'line', value: 10_000 };

    it.each(['long-line', 'blurts'] as const)('ends a child that %s', async (act) => {
      const note = new Note();
      const end = await heardBy(note, act, { lineBytes: 10_000 });
      expect(end.how).toEqual(how);
      expect(note.lines).toEqual(['short']);
      const again = new Note();
      expect(await heardBy(again, act, { lineBytes: 10_000 })).toEqual(end);
      expect(again.lines).toEqual(['short']);
    });

    it('is one byte longer than it may be', async () => {
      const note = new Note();
      const { how } = await heardBy(note, 'blurts', { lineBytes: longLine });
      expect(how).toEqual({ id: 'exited', code: 0 });
      expect(note.lines.map((line) => line.length)).toEqual([5, longLine, 5]);
      const short = { ...spec('b', 'blurts', { lineBytes: longLine - 1 }), listener: new Note() };
      expect((await run(short)).how).toEqual({ id: 'limit', limit: 'line', value: longLine - 1 });
    });

    it('is nobody\u2019s business where nobody listens', async () => {
      const end = await run(spec('a', 'blurts', { lineBytes: 10_000 }));
      expect(end.how).toEqual({ id: 'exited', code: 0 });
      const note = new Note();
      expect(await heardBy(note, 'blurts', { lineBytes: 10_000 })).toEqual(end);
      expect(note.lines).toEqual(['short']);
    });
  });

  describe('a child that has said its last word', () => {
    it.each(['stays', 'chatters'] as const)('is ended after a while when it %s', async (act) => {
      const note = new Note('done');
      const end = await heardBy(note, act, { lingerMs: 400 });
      expect(end.how).toEqual({ id: 'limit', limit: 'linger', value: 400 });
      expect(end.endedAt - end.startedAt).toBeGreaterThanOrEqual(350);
      expect(note.lines).toContain('done');
      expect(await run(spec('a', act))).toEqual(end);
    });

    it('may leave in that while, and is heard until then', async () => {
      const note = new Note('done');
      const end = await heardBy(note, 'leaves', { lingerMs: 20_000 });
      expect(end.how).toEqual({ id: 'exited', code: 0 });
      expect(note.lines).toEqual(['done', 'bye']);
    });

    it('may be silent for longer than others', async () => {
      const { how } = await heardBy(new Note('done'), 'stays', { lingerMs: 900, idleMs: 400 });
      expect(how).toEqual({ id: 'limit', limit: 'linger', value: 900 });
    });

    it('is known to an engine that takes over', async () => {
      const deaf = new Note();
      const given = spec('a', 'stays', { lingerMs: 400 });
      const gone = rig().processes.run({ ...given, listener: deaf });
      await rig().passing(deaf.hears('done'));
      const taken = rig()
        .another()
        .run({ ...given, listener: new Note('done') });
      const { how } = await rig().passing(taken);
      expect(how).toEqual({ id: 'limit', limit: 'linger', value: 400 });
      await gone;
    });

    it('may stay where no limit is set', async () => {
      const { how } = await heardBy(new Note('done'), 'stays', { wallMs: 900 });
      expect(how).toEqual({ id: 'limit', limit: 'wall', value: 900 });
    });

    it('is another one than a child that has not', async () => {
      const limits = { lingerMs: 100, wallMs: 900 };
      const { how } = await heardBy(new Note('never said'), 'stays', limits);
      expect(how).toEqual({ id: 'limit', limit: 'wall', value: 900 });
    });
  });

  describe('nobody is left of a child that', () => {
    it.each([
      ['hangs before its first word', 'silent', { startMs: 1_500 }, 'start'],
      ['hangs in the middle of its work', 'speaks-once', { idleMs: 600 }, 'idle'],
      ['hangs after its last word', 'stays', { lingerMs: 400 }, 'linger'],
      ['prints on after its last word', 'chatters', { lingerMs: 400 }, 'linger'],
      ['prints a line without end', 'long-line', { lineBytes: 10_000 }, 'line'],
      ['prints without end', 'floods', { outputBytes: 10_000 }, 'output'],
    ] as const)('%s', async (_, act, limits, limit) => {
      const given = {
        ...spec('a', act, limits),
        argv: rig().family(act),
        listener: new Note('done'),
      };
      const end = await run(given);
      expect(end.how).toMatchObject({ id: 'limit', limit });
      expect(await rig().survivors()).toBe(0);
    });

    it('is interrupted', async () => {
      const listener = new Note();
      const given = { ...spec('a', 'speaks-once'), argv: rig().family('speaks-once'), listener };
      const running = rig().processes.run(given);
      await rig().passing(listener.hears('here'));
      rig().processes.interruptAll();
      expect((await rig().passing(running)).how).toEqual({ id: 'interrupted' });
      expect(await rig().survivors()).toBe(0);
    });
  });
}
