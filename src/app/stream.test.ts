import { describe, expect, it } from 'vitest';
import { Stream } from './stream.ts';

async function readAll(stream: Stream<number>): Promise<readonly number[]> {
  const read: number[] = [];
  for await (const item of stream) read.push(item);
  return read;
}

describe('a stream', () => {
  it('gives all items in order, those pushed before and while it is read', async () => {
    const stream = new Stream<number>();
    stream.push(1);
    const all = readAll(stream);
    stream.push(2);
    await Promise.resolve();
    stream.push(3);
    setTimeout(() => {
      stream.push(4);
      stream.end();
    }, 1);
    expect(await all).toEqual([1, 2, 3, 4]);
  });

  it('that has ended is read to its end', async () => {
    const stream = new Stream<number>();
    for (const item of [1, 2]) stream.push(item);
    stream.end();
    expect(await readAll(stream)).toEqual([1, 2]);
  });

  it('takes items that are pushed by its reader', async () => {
    const stream = new Stream<number>();
    stream.push(3);
    const read: number[] = [];
    for await (const item of stream) {
      read.push(item);
      if (item > 0) stream.push(item - 1);
      else stream.end();
    }
    expect(read).toEqual([3, 2, 1, 0]);
  });
});
