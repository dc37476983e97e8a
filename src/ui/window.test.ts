import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { offsetOf, visibleRows } from './window.ts';

const list = { rows: 1_000, rowHeight: 20, blocks: [], height: 400 };

describe('a long list', () => {
  it('draws what is seen and a few rows around it', () => {
    expect(visibleRows({ ...list, top: 0 })).toEqual({
      first: 0,
      end: 41,
      offset: 0,
      total: 20_000,
    });
    expect(visibleRows({ ...list, top: 10_000 })).toMatchObject({ first: 480, end: 541 });
    expect(visibleRows({ ...list, top: 19_600 })).toMatchObject({ first: 960, end: 1_000 });
  });

  it('makes room for blocks below rows', () => {
    const blocks = [{ row: 10, height: 100 }];
    const { total, offset, first } = visibleRows({ ...list, blocks, top: 1_000 });
    expect(total).toBe(20_100);
    expect([first, offset]).toEqual([25, 600]);
    expect(offsetOf(10, 20, blocks)).toBe(200);
    expect(offsetOf(11, 20, blocks)).toBe(320);
  });

  it('draws every row that is seen, wherever it is scrolled and whatever blocks it has', () => {
    const block = fc.record({ row: fc.nat(299), height: fc.integer({ min: 1, max: 300 }) });
    fc.assert(
      fc.property(
        fc.nat(300),
        fc.nat(20_000),
        fc.uniqueArray(block, { selector: ({ row }) => row, maxLength: 5 }),
        (rows, top, given) => {
          const blocks = given.filter(({ row }) => row < rows).toSorted((a, b) => a.row - b.row);
          const { first, end } = visibleRows({ rows, rowHeight: 20, blocks, top, height: 400 });
          for (let row = 0; row < rows; row += 1) {
            const at = offsetOf(row, 20, blocks);
            const isSeen = at + 20 > top && at < top + 400;
            if (isSeen) expect(row >= first && row < end).toBe(true);
          }
        },
      ),
    );
  });
});
