import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { colors, shown } from '../../../test/report/ink.ts';
import { plain } from '../format/style.ts';
import { widthOf } from '../format/width.ts';
import {
  barOf,
  column,
  lineOf,
  padded,
  painted,
  roomFor,
  sparkline,
  titleLine,
  windowOf,
} from './line.ts';

describe('a line of parts', () => {
  it('shows them side by side and ends with an ellipsis where it is full', () => {
    const parts = ['› ', painted('search-index', plain.bold), ' 06:10 ', 'Edit src/index.ts'];
    expect(lineOf(parts, 60)).toBe('› search-index 06:10 Edit src/index.ts');
    expect(lineOf(parts, 26)).toBe('› search-index 06:10 Edit…');
    expect(lineOf(parts, 14)).toBe('› search-index');
    expect(lineOf(parts, 8)).toBe('› searc…');
    expect(lineOf(parts, 0)).toBe('');
  });

  it('shows control characters, which count with the columns that they take', () => {
    expect(lineOf(['a\u001b[2Jb', ' c'], 20)).toBe('a\\x1b[2Jb c');
    expect(lineOf(['a\u001b[2Jb', ' c'], 9)).toBe('a\\x1b[2Jb');
    expect(lineOf(['a\u001b[2Jb', ' c'], 8)).toBe('a\\x1b[2…');
  });

  it('paints what is left of a part after it is cut', () => {
    const line = lineOf([painted('one two', colors.red), ' three'], 5);
    expect(shown(line)).toBe('\u001b[31mone…\u001b[39m');
    expect(widthOf(line)).toBe(4);
  });

  it('is never wider than asked for, whatever is in it', () => {
    const text = fc.string({ unit: 'grapheme', maxLength: 12 });
    fc.assert(
      fc.property(
        fc.array(text, { maxLength: 5 }),
        fc.integer({ min: 0, max: 30 }),
        (some, width) => {
          const line = lineOf(
            some.map((one, at) => (at % 2 === 0 ? one : painted(one, colors.cyan))),
            width,
          );
          expect(widthOf(line)).toBeLessThanOrEqual(width);
        },
      ),
    );
  });
});

describe('columns', () => {
  it('have exactly their width', () => {
    expect(column('ab', 4)).toBe('ab  ');
    expect(column('ab', 4, 'right')).toBe('  ab');
    expect(column('abcdef', 4)).toBe('abc…');
    expect(column('作業中', 5)).toBe('作業…');
    expect(widthOf(padded(colors.red('作'), 5))).toBe(5);
  });

  it('get the room of the longest text, within bounds', () => {
    expect(roomFor(['a', 'abcd'], 2, 8)).toBe(4);
    expect(roomFor(['a'], 2, 8)).toBe(2);
    expect(roomFor(['a'.repeat(20)], 2, 8)).toBe(8);
    expect(roomFor([], 0, 8)).toBe(0);
  });
});

describe('parts of a pane', () => {
  it('have a title with a rule up to the edge', () => {
    expect(titleLine('SLOTS 3 of 4', 24, plain)).toBe('── SLOTS 3 of 4 ────────');
    expect(titleLine('SLOTS 3 of 4', 10, plain)).toBe('── SLOTS…');
  });

  it('keep the chosen line in sight', () => {
    const lines = Array.from({ length: 10 }, (_, at) => at);
    expect(windowOf(lines, 0, 4)).toEqual([0, 1, 2, 3]);
    expect(windowOf(lines, 5, 4)).toEqual([3, 4, 5, 6]);
    expect(windowOf(lines, 9, 4)).toEqual([6, 7, 8, 9]);
    expect(windowOf(lines, 9, 20)).toEqual(lines);
  });

  it('show shares as bars, the newest at the right', () => {
    expect(sparkline([0, 1, 4, 8], 4)).toBe(' ▁▄█');
    expect(sparkline([5], 3)).toBe('  █');
    expect(sparkline([1, 2, 3], 2)).toBe('▆█');
    expect(sparkline([], 2)).toBe('  ');
    expect(barOf(0.5, 4)).toBe('██░░');
    expect(barOf(0.999, 4)).toBe('███░');
    expect([barOf(1, 4), barOf(7, 4), barOf(-1, 4), barOf(Number.NaN, 4)]).toEqual([
      '████',
      '████',
      '░░░░',
      '░░░░',
    ]);
  });
});
