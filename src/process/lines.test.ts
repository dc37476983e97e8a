import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { LineListener } from '../port/processes.ts';
import { LineSplitter } from './output-reader.ts';

function note(last?: string): LineListener & { readonly lines: string[] } {
  const lines: string[] = [];
  return {
    lines,
    line(text) {
      lines.push(text);
      return text === last;
    },
  };
}

/** The lines of all the bytes at once, up to the first that is too long. A character stands for a byte until the end. */
function linesOf(bytes: Buffer, bound = Number.MAX_SAFE_INTEGER): string[] {
  const text = bytes.toString('latin1');
  const parts = text.split('\n');
  if (parts.at(-1) === '') parts.pop();
  const lines = parts.map((part) => part.replace(/\r$/, ''));
  const tooLong = lines.findIndex((line) => line.length > bound);
  return (tooLong === -1 ? lines : lines.slice(0, tooLong)).map((line) =>
    Buffer.from(line, 'latin1').toString('utf8'),
  );
}

/** Gives the bytes in pieces, each in memory that is used again at once. */
function hear(listener: LineSplitter, bytes: Buffer, cuts: readonly number[]): void {
  const places = [...cuts.map((cut) => cut % (bytes.length + 1)), bytes.length].sort(
    (a, b) => a - b,
  );
  let from = 0;
  for (const to of places) {
    const piece = Buffer.from(bytes.subarray(from, to));
    listener.take(piece);
    piece.fill('?');
    from = to;
  }
  listener.end();
}

/** Bytes in which line ends, returns and parts of characters are as frequent as anything else. */
const anyBytes = fc
  .array(
    fc.oneof(
      fc.constantFrom('\n', '\r\n', '\r', '', 'a', 'ä', '€', '🙂').map((text) => Buffer.from(text)),
      fc.uint8Array({ maxLength: 4 }).map((bytes) => Buffer.from(bytes)),
    ),
    { maxLength: 40 },
  )
  .map((parts) => Buffer.concat(parts));
const anyCuts = fc.array(fc.nat(), { maxLength: 12 });

describe('the lines of any bytes', () => {
  it('are the same wherever the bytes are cut', () => {
    fc.assert(
      fc.property(anyBytes, anyCuts, (bytes, cuts) => {
        const heard = note();
        hear(new LineSplitter(heard), bytes, cuts);
        expect(heard.lines).toEqual(linesOf(bytes));
      }),
    );
  });

  it('are those before the first that is too long, wherever the bytes are cut', () => {
    fc.assert(
      fc.property(anyBytes, anyCuts, fc.integer({ min: 1, max: 8 }), (bytes, cuts, bound) => {
        const heard = note();
        const listener = new LineSplitter(heard, bound);
        hear(listener, bytes, cuts);
        expect(heard.lines).toEqual(linesOf(bytes, bound));
        expect(listener.isCrossed).toBe(heard.lines.length < linesOf(bytes).length);
      }),
    );
  });

  it('are the same however little time there is', () => {
    fc.assert(
      fc.property(anyBytes, fc.array(fc.boolean(), { minLength: 1 }), (bytes, times) => {
        const heard = note();
        const listener = new LineSplitter(heard);
        let asked = 0;
        const hasTime = (): boolean => times[asked++ % times.length] ?? false;
        for (let at = 0; at < bytes.length; ) at += listener.take(bytes.subarray(at), hasTime);
        listener.end();
        expect(heard.lines).toEqual(linesOf(bytes));
      }),
    );
  });
});

describe('an ear', () => {
  it('hands a line on as soon as it has ended, and not before', () => {
    const heard = note();
    const listener = new LineSplitter(heard);
    listener.take(Buffer.from('one\ntw'));
    expect(heard.lines).toEqual(['one']);
    listener.take(Buffer.from('o\r'));
    expect(heard.lines).toEqual(['one']);
    listener.take(Buffer.from('\n'));
    expect(heard.lines).toEqual(['one', 'two']);
  });

  it('stops after the line with which its time is up', () => {
    const heard = note();
    expect(new LineSplitter(heard).take(Buffer.from('one\ntwo\n'), () => false)).toBe(4);
    expect(heard.lines).toEqual(['one']);
  });

  it('revokes the final message if the listener does', () => {
    const listener = new LineSplitter(note('done'));
    listener.take(Buffer.from('work\n'));
    expect(listener.isFinal).toBe(false);
    listener.take(Buffer.from('done\n'));
    expect(listener.isFinal).toBe(true);
    listener.take(Buffer.from('more\n'));
    expect(listener.isFinal).toBe(false);
  });

  it('knows that a line is too long before it has ended, and keeps nothing of it', () => {
    const heard = note();
    const listener = new LineSplitter(heard, 10);
    listener.take(Buffer.from('short\n0123456789'));
    expect(listener.isCrossed).toBe(false);
    listener.take(Buffer.from('ab'));
    expect(listener.isCrossed).toBe(true);
    listener.take(Buffer.from('\nafter\n'));
    listener.end();
    expect(heard.lines).toEqual(['short']);
  });

  it('does not count the end of a line', () => {
    const heard = note();
    const listener = new LineSplitter(heard, 3);
    for (const piece of ['abc\r\n', 'abc\r', '\n', 'abc\n']) listener.take(Buffer.from(piece));
    expect(heard.lines).toEqual(['abc', 'abc', 'abc']);
    listener.take(Buffer.from('abcd\n'));
    expect(listener.isCrossed).toBe(true);
  });

  it('uses the given line limit, or the longest possible string', () => {
    expect(new LineSplitter(note(), 7).bound).toBe(7);
    expect(new LineSplitter(note(), 0).bound).toBe(new LineSplitter(note()).bound);
    expect(new LineSplitter(note(), Number.MAX_SAFE_INTEGER).bound).toBe(
      new LineSplitter(note()).bound,
    );
  });
});
