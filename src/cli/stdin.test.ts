import { Readable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { readUpTo } from './stdin.ts';

describe('a text from standard input', () => {
  const pieces = (...bytes: Buffer[]): Readable => Readable.from(bytes, { objectMode: false });

  it('is read whole, also where a character comes in two pieces', async () => {
    const bytes = Buffer.from('für alle\n');
    expect(await readUpTo(pieces(bytes.subarray(0, 2), bytes.subarray(2)), 9)).toBe('für alle\n');
    expect(await readUpTo(pieces(), 0)).toBe('');
  });

  it('is given up as soon as it is too long, and what still comes is not read', async () => {
    let read = 0;
    const endless = new Readable({
      read() {
        read += 1;
        this.push('x'.repeat(1000));
      },
    });
    expect(await readUpTo(endless, 5000)).toBeUndefined();
    expect(read).toBeLessThan(1000);
    expect(endless.destroyed).toBe(true);
  });
});
