import { fail, ok, type Result } from '../model/failure.ts';
import type { Problem } from './document.ts';

/** Rows of a table, each with the line that it begins on. A column may occur several times. */
export interface Table {
  readonly columns: readonly string[];
  readonly rows: readonly { readonly line: number; readonly cells: readonly string[] }[];
}

interface Row {
  readonly line: number;
  readonly cells: string[];
}

/**
 * Reads CSV as RFC 4180 has it: quotes around cells with separators, line breaks or quotes; a quote in a cell is
 * doubled. The separator is the one that the header has most: comma, semicolon or tab. Empty lines are skipped.
 */
export function readCsv(text: string): Result<Table, readonly Problem[]> {
  const clean = text.replace(/^\uFEFF/, '');
  const rows = rowsIn(clean, separatorOf(clean));
  if (!rows.ok) return fail([rows.failure]);
  const [header, ...rest] = rows.value.filter(({ cells }) => cells.some((cell) => cell !== ''));
  if (header === undefined) {
    const remedy = 'Begin with a line that names the columns, then one line for each task.';
    return fail([{ problem: 'it is empty', remedy }]);
  }
  const width = header.cells.length;
  const uneven = rest.filter(({ cells }) => cells.length !== width);
  if (uneven.length > 0) return fail(uneven.map((row) => wrongWidth(row, width)));
  return ok({ columns: header.cells.map((name) => name.trim()), rows: rest });
}

function separatorOf(text: string): string {
  const [header = ''] = text.replace(/"(?:[^"]|"")*"/g, '').split(/\r?\n/);
  const counts = [',', ';', '\t'].map((sign) => ({ sign, count: header.split(sign).length }));
  return counts.toSorted((a, b) => b.count - a.count)[0]?.sign ?? ',';
}

function wrongWidth({ line, cells }: Row, width: number): Problem {
  return {
    line,
    problem: `the row has ${cells.length} cells and the header ${width}`,
    remedy: 'Put cells that contain the separator or a line break in double quotes.',
  };
}

/** One pass over the text. Cells are cut out whole, so that large texts stay cheap. */
function rowsIn(text: string, separator: string): Result<readonly Row[], Problem> {
  const rows: Row[] = [];
  let row: Row = { line: 1, cells: [] };
  let line = 1;
  for (let at = 0; at <= text.length; ) {
    const cell = text[at] === '"' ? quotedAt(text, at) : plainAt(text, at, separator);
    if (cell === undefined) {
      const remedy = 'Close the cell with a quote, and double every quote inside it.';
      return fail({ line, problem: 'a quoted cell is not closed', remedy });
    }
    if (cell.value.includes('"') && text[at] !== '"') {
      const remedy = 'Put the whole cell in quotes, and double the quotes inside it.';
      return fail({ line, problem: 'a quote stands inside a cell without quotes', remedy });
    }
    row.cells.push(cell.value);
    line += cell.value.split('\n').length - 1;
    const sign = text[cell.end];
    if (sign === separator) {
      at = cell.end + 1;
      continue;
    }
    const isBreak = sign === '\n' || (sign === '\r' && text[cell.end + 1] === '\n');
    if (sign !== undefined && !isBreak) {
      const remedy = 'End a quoted cell with a quote right before the separator or the line break.';
      return fail({ line, problem: 'text follows the closing quote of a cell', remedy });
    }
    rows.push(row);
    line += 1;
    row = { line, cells: [] };
    if (sign === undefined) break;
    at = cell.end + (sign === '\r' ? 2 : 1);
    if (at === text.length) break;
  }
  return ok(rows);
}

interface Cell {
  readonly value: string;
  readonly end: number;
}

function plainAt(text: string, start: number, separator: string): Cell {
  let end = start;
  while (end < text.length && text[end] !== separator && text[end] !== '\n') end += 1;
  if (text[end] === '\n' && text[end - 1] === '\r' && end > start) end -= 1;
  return { value: text.slice(start, end), end };
}

function quotedAt(text: string, start: number): Cell | undefined {
  for (let at = start + 1; ; at += 2) {
    at = text.indexOf('"', at);
    if (at === -1) return undefined;
    if (text[at + 1] === '"') continue;
    return { value: text.slice(start + 1, at).replaceAll('""', '"'), end: at + 1 };
  }
}
