import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Heap } from './heap.ts';

const ascending = (a: number, b: number): boolean => a < b;

function filled(items: Iterable<number>): Heap<number> {
  const heap = new Heap(ascending);
  for (const item of items) heap.push(item);
  return heap;
}

describe('Heap', () => {
  it('has nothing to give while it is empty', () => {
    const heap = new Heap(ascending);
    expect(heap.peek()).toBeUndefined();
    expect(heap.pop()).toBeUndefined();
    expect([...heap.sorted()]).toEqual([]);
  });

  it('holds an item once, however often it is pushed', () => {
    const heap = filled([3, 3, 3]);
    expect(heap.size).toBe(1);
  });

  it('says whether there was something to delete', () => {
    const heap = filled([1]);
    expect(heap.delete(2)).toBe(false);
    expect(heap.delete(1)).toBe(true);
    expect(heap.delete(1)).toBe(false);
  });

  it('pops in order what was pushed and not deleted', () => {
    fc.assert(
      fc.property(fc.uniqueArray(fc.integer()), fc.array(fc.nat()), (items, picks) => {
        const heap = filled(items);
        const left = new Set(items);
        for (const pick of picks) {
          const gone = items[pick % (items.length || 1)];
          if (gone === undefined) continue;
          expect(heap.delete(gone)).toBe(left.delete(gone));
        }
        const popped: number[] = [];
        for (let item = heap.pop(); item !== undefined; item = heap.pop()) popped.push(item);
        expect(popped).toEqual([...left].sort((a, b) => a - b));
      }),
    );
  });

  it('reads in order without taking anything out', () => {
    fc.assert(
      fc.property(fc.uniqueArray(fc.integer()), (items) => {
        const heap = filled(items);
        const sorted = [...items].sort((a, b) => a - b);
        expect([...heap.sorted()]).toEqual(sorted);
        expect(heap.size).toBe(items.length);
        expect([...heap.sorted()]).toEqual(sorted);
      }),
    );
  });
});
