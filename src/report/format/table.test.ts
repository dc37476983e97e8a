import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { table } from './table.ts';
import { widthOf } from './width.ts';

const bare = [{ title: '' }, { title: '', yields: 1 }, { title: '', gives: true }];

describe('a table', () => {
  it('shows what follows a column without any text', () => {
    expect(table(bare, [['a', '', 'b']], 20)).toEqual(['a  b']);
    expect(table(bare, [['', '', 'b']], 20)).toEqual(['b']);
  });

  it('keeps a column that only some rows fill', () => {
    const rows = [
      ['a', '', 'b'],
      ['a', 'xx', 'b'],
    ];
    expect(table(bare, rows, 20)).toEqual(['a      b', 'a  xx  b']);
  });

  it('leaves out columns that yield, one after the other, and only where it is too wide', () => {
    const columns = [
      { title: 'phase' },
      { title: 'agent', yields: 2 },
      { title: 'task' },
      { title: 'title', gives: true, yields: 1 },
    ];
    const row = ['working', 'claude-a', 'search-index', 'Build the search index'];
    expect(table(columns, [row], 60)[1]).toBe(
      'working  claude-a  search-index  Build the search index',
    );
    expect(table(columns, [row], 41)[1]).toBe('working  claude-a  search-index  Build t…');
    expect(table(columns, [row], 40)[1]).toBe('working  claude-a  search-index');
    expect(table(columns, [row], 30)[1]).toBe('working  search-index');
  });

  it('is never wider than asked for', () => {
    const cell = fc.string({ maxLength: 12 }).map((text) => text.replace(/[^ -~]/g, 'x'));
    const rows = fc.array(fc.tuple(cell, cell, cell), { maxLength: 5 });
    fc.assert(
      fc.property(rows, fc.integer({ min: 1, max: 40 }), (some, width) => {
        for (const line of table(bare, some, width)) {
          expect(widthOf(line)).toBeLessThanOrEqual(width);
        }
      }),
    );
  });
});
