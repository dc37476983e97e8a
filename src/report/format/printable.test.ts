import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fits } from '../../../test/report/fits.ts';
import { cut, printable, printableLines, wrap } from './printable.ts';
import { colors, plain } from './style.ts';
import { table } from './table.ts';
import { clockTime, dayTime, isoTime, shortCommit, span } from './time.ts';
import { widthOf } from './width.ts';

const esc = String.fromCharCode(27);
const bell = String.fromCharCode(7);

describe('printable text', () => {
  it.each([
    ['plain words', 'plain words'],
    [`${esc}[1;31mred${esc}[0m`, 'red'],
    [`${esc}]0;title${bell}after`, 'after'],
    ['one\ntwo\r\nthree\tfour', 'one two three four'],
    ['nul\0', 'nul\\u{0}'],
    [`lone${esc}`, 'lone\\u{1b}'],
    ['right\u202eleft', 'right\\u{202e}left'],
    ['half\ud800', 'half\\u{d800}'],
    ['Grüße 作業 👩‍💻', 'Grüße 作業 👩‍💻'],
  ])('turns %j into %j', (given, wanted) => {
    expect(printable(given)).toBe(wanted);
  });

  it('holds no control character, whatever comes in', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        expect(printable(text)).not.toMatch(/\p{Cc}/u);
      }),
    );
  });

  it('keeps the lines of an output, and of an overwritten line what was left', () => {
    expect(printableLines('10%\r50%\r100%\nnext\r\n\n\n')).toEqual(['100%', 'next']);
    expect(printableLines('')).toEqual([]);
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

  it('never exceeds the width', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.nat(30), (text, width) => {
        expect(widthOf(cut(printable(text), width))).toBeLessThanOrEqual(width);
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
    expect(line).toBe(`${esc}[31mab${esc}[39m  x`);
    expect(widthOf(line)).toBe(5);
    expect(plain.red('ab')).toBe('ab');
  });

  it('is never wider than asked for', () => {
    const cell = fc.string({ unit: 'grapheme', maxLength: 30 }).map(printable);
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
