import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fits } from '../../../test/report/fits.ts';
import { colors, shown } from '../../../test/report/ink.ts';
import { cut, textLines, wrap } from './layout.ts';
import { inkOf, noInk, plain } from './style.ts';
import { table } from './table.ts';
import { clockTime, dayTime, isoTime, shortCommit, span } from './time.ts';
import { widthOf } from './width.ts';

const esc = String.fromCharCode(27);

describe('a line on its way to a terminal', () => {
  it('has the colors of its paints and no others', () => {
    const line = `${colors.red('bad')} ${esc}[32mgood${esc}[0m`;
    expect(shown(line)).toBe(`${esc}[31mbad${esc}[39m \\x1b[32mgood\\x1b[0m`);
  });

  it('takes no mark of another key for its own', () => {
    const forged = inkOf('guess').style.green('fine');
    expect(shown(forged)).toBe('\\ufdd0guess 32\\ufdd1fine\\ufdd0guess 39\\ufdd1');
    expect(noInk.shown(colors.red('x'))).not.toContain(esc);
  });

  it('is one line without a control character, whatever comes in', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        expect(shown(text)).not.toMatch(/\p{Cc}/u);
        expect(noInk.shown(text)).not.toMatch(/\p{Cc}/u);
      }),
    );
  });
});

describe('a text', () => {
  it('keeps its lines but for the empty ones at its end', () => {
    expect(textLines('one\r\n\ttwo\n\n\n')).toEqual(['one', '  two']);
    expect(textLines('')).toEqual([]);
  });
});

describe('cutting', () => {
  it.each([
    ['short', 10, 'short'],
    ['exactly', 7, 'exactly'],
    ['too long', 7, 'too lo…'],
    ['word word', 6, 'word…'],
    ['作業中', 5, '作業…'],
    ['é'.normalize('NFD').repeat(4), 3, `${'é'.normalize('NFD').repeat(2)}…`],
    ['x', 0, ''],
  ])('%j to %i columns gives %j', (text, width, wanted) => {
    expect(cut(text, width)).toBe(wanted);
  });

  it('makes visible what it cuts, and never exceeds the width', () => {
    expect(cut('a\u202eb\n', 20)).toBe('a\\u202eb ');
    expect(cut(`${esc}[2J`, 5)).toBe('\\x1b…');
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.nat(30), (text, width) => {
        expect(widthOf(cut(text, width))).toBeLessThanOrEqual(width);
      }),
    );
  });

  it('wraps at spaces and cuts only words that are too long', () => {
    expect(wrap('the quick brown fox', 10)).toEqual(['the quick', 'brown fox']);
    expect(wrap('unbelievable', 5)).toEqual(['unbe…']);
    expect(wrap('', 5)).toEqual(['']);
  });

  it('cuts no word of a command or a path that the reader is told to use', () => {
    const label = 'Type `ym retry unbelievable-id`, or read /tmp/unbelievable.out incomprehensibly';
    expect(wrap(label, 10)).toEqual([
      'Type `ym',
      'retry',
      'unbelievable-id`,',
      'or read',
      '/tmp/unbelievable.out',
      'incompreh…',
    ]);
  });
});

describe('a table', () => {
  const columns = [
    { title: 'name' },
    { title: 'n', align: 'right' as const },
    { title: 'text', gives: true },
  ];

  it('is as narrow as its cells', () => {
    expect(
      table(
        columns,
        [
          ['a', '10', 'x'],
          ['bcdef', '7', 'yy'],
        ],
        80,
      ),
    ).toEqual(['name    n  text', 'a      10  x', 'bcdef   7  yy']);
  });

  it('shortens the column that gives way', () => {
    const lines = table(columns, [['a', '1', 'a text that is far too long to fit']], 24);
    expect(lines[1]).toBe('a     1  a text that is…');
  });

  it('has no title line where no column has a title, and none without rows', () => {
    expect(table([{ title: '' }, { title: '' }], [['a', 'b']], 80)).toEqual(['a  b']);
    expect(table(columns, [], 80)).toEqual([]);
  });

  it('aligns by columns of the terminal, not by characters', () => {
    expect(
      table(
        [{ title: '' }, { title: '' }],
        [
          ['作業', 'x'],
          ['abc', 'y'],
        ],
        80,
      ),
    ).toEqual(['作業  x', 'abc   y']);
  });

  it('paints a cell without counting the paint', () => {
    const row = [{ text: 'ab', paint: colors.red }, 'x'];
    const [line = ''] = table([{ title: '' }, { title: '' }], [row], 80);
    expect(shown(line)).toBe(`${esc}[31mab${esc}[39m  x`);
    expect(widthOf(line)).toBe(5);
    expect(plain.red('ab')).toBe('ab');
  });

  it('is never wider than asked for', () => {
    const cell = fc.string({ unit: 'grapheme', maxLength: 30 });
    fc.assert(
      fc.property(fc.array(fc.tuple(cell, cell, cell)), fc.nat(60), (rows, width) => {
        for (const line of table(columns, rows, width)) {
          expect(fits(line, width)).toBe(true);
        }
      }),
    );
  });
});

describe('times', () => {
  it.each([
    [0, '0 ms'],
    [999, '999 ms'],
    [1000, '1 s'],
    [59_999, '59 s'],
    [61_000, '1 m 01 s'],
    [3_600_000, '1 h 00 m'],
    [90_000_000, '1 d 1 h'],
    [-5, '0 s'],
    [Number.NaN, '0 s'],
  ])('%i ms reads %s', (ms, wanted) => {
    expect(span(ms)).toBe(wanted);
  });

  it('are shown where the reader is', () => {
    const noon = Date.UTC(2024, 0, 31, 23, 30, 5);
    expect(clockTime(noon)).toBe('23:30:05');
    expect(clockTime(noon, -60)).toBe('00:30:05');
    expect(dayTime(noon, -60)).toBe('2024-02-01 00:30:05');
  });

  it('do not stop a reader when they are damaged', () => {
    expect(isoTime(Number.NaN)).toBe('1970-01-01T00:00:00.000Z');
    expect(isoTime(1e300)).toBe('1970-01-01T00:00:00.000Z');
  });

  it('shorten a commit and nothing else', () => {
    expect(shortCommit('a'.repeat(40))).toBe('aaaaaaa');
    expect(shortCommit('main')).toBe('main');
  });
});
