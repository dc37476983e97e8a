import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readCsv } from './csv.ts';

const cellsOf = (text: string): unknown => {
  const read = readCsv(text);
  return read.ok ? [read.value.columns, ...read.value.rows.map(({ cells }) => cells)] : read;
};

describe('readCsv', () => {
  it('reads quotes, doubled quotes and line breaks in cells', () => {
    expect(cellsOf('id,text\r\n1,"a ""b"", c"\r\n2,"line 1\nline 2"\r\n3,\r\n')).toEqual([
      ['id', 'text'],
      ['1', 'a "b", c'],
      ['2', 'line 1\nline 2'],
      ['3', ''],
    ]);
  });

  it('takes the separator that the header has most, outside of quotes', () => {
    expect(cellsOf('\uFEFF"a,b,c";d\n1;2\n')).toEqual([
      ['a,b,c', 'd'],
      ['1', '2'],
    ]);
    expect(cellsOf('a\tb\n1\t2')).toEqual([
      ['a', 'b'],
      ['1', '2'],
    ]);
  });

  it('knows the line of each row, and skips empty lines', () => {
    const read = readCsv('a,b\n"x\ny",1\n\nz,2\n');
    expect(read.ok && read.value.rows.map(({ line }) => line)).toEqual([2, 5]);
  });

  it.each([
    ['a,b\n1\n2,3\n4,5,6\n', 2, 'the row has 1 cells and the header 2'],
    ['a,b\n1,"open\n', 2, 'a quoted cell is not closed'],
    ['a,b\n1,x"y\n', 2, 'a quote stands inside a cell without quotes'],
    ['a,b\n1,"x"y\n', 2, 'text follows the closing quote of a cell'],
    ['\n\n', undefined, 'it is empty'],
  ])('refuses %j and names the line', (text, line, problem) => {
    const read = readCsv(text);
    const { problem: found, line: at } = (read.ok ? undefined : read.failure[0]) ?? {};
    expect([found, at]).toEqual([problem, line]);
  });

  it('reads back whatever cells were written', () => {
    const cell = fc.string({ unit: fc.constantFrom('a', '"', ',', ';', '\n', '\r', '\t', 'é') });
    const row = fc.tuple(cell, cell, cell);
    fc.assert(
      fc.property(fc.array(row, { maxLength: 5 }), (rows) => {
        const written = [['a', 'b', 'c'], ...rows]
          .map((cells) => cells.map((one) => `"${one.replaceAll('"', '""')}"`).join(','))
          .join('\r\n');
        const expected = rows.filter((cells) => cells.some((one) => one !== ''));
        expect(cellsOf(written)).toEqual([['a', 'b', 'c'], ...expected]);
      }),
    );
  });
});
