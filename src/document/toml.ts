import { parse, TomlError } from 'smol-toml';
import { fail, ok } from '../model/failure.ts';
import type { Parsed, Path } from './document.ts';

export function readToml(text: string): Parsed {
  try {
    const value: unknown = parse(text);
    const lines = placesOf(text);
    return ok({ value, lineOf: (path) => lineOf(lines, path) });
  } catch (error) {
    if (!(error instanceof TomlError)) throw error;
    const cause = error.message.split('\n')[0]?.replace(/^Invalid TOML document: /, '') ?? '';
    const problem = `the TOML cannot be read (${cause})`;
    return fail([{ line: error.line, problem, remedy: 'Check quotes, brackets and names here.' }]);
  }
}

const header = /^\s*(\[\[?)\s*([^\]]+?)\s*\]\]?/;
const assignment = /^\s*(?:([\w-]+)|"([^"]+)"|'([^']+)')\s*=/;

/**
 * Finds the lines of headers and keys, which the parser does not report, by a pattern at the start of each line. Values
 * inside inline tables and arrays get the line of their key.
 */
function placesOf(text: string): Map<string, number> {
  const lines = new Map<string, number>();
  const counts = new Map<string, number>();
  let table = '';
  let quote: string | undefined;
  for (const [at, line] of text.split('\n').entries()) {
    const inside = quote !== undefined;
    quote = quoteAfter(line, quote);
    if (inside) continue;
    const head = header.exec(line);
    const key = assignment.exec(line);
    if (head !== null) {
      table = tableOf(head[2] ?? '', head[1] === '[[', counts);
      lines.set(table, at + 1);
    } else if (key !== null) lines.set(`${table}/${key[1] ?? key[2] ?? key[3]}`, at + 1);
  }
  return lines;
}

/** The path of a table, with the index of an item in an array of tables. */
function tableOf(name: string, isItem: boolean, counts: Map<string, number>): string {
  const parts = name.split('.').map((part) => part.trim().replace(/^["']|["']$/g, ''));
  let path = '';
  for (const [at, part] of parts.entries()) {
    path += `/${part}`;
    const isLast = at === parts.length - 1;
    if (isLast && isItem) counts.set(path, (counts.get(path) ?? -1) + 1);
    const count = counts.get(path);
    if (count !== undefined) path += `/${count}`;
  }
  return path;
}

/** The multi-line quote that is open after the line. */
function quoteAfter(line: string, before: string | undefined): string | undefined {
  let quote = before;
  for (const [mark] of line.matchAll(/"""|'''/g)) {
    if (quote === undefined) quote = mark;
    else if (quote === mark) quote = undefined;
  }
  return quote;
}

function lineOf(lines: ReadonlyMap<string, number>, path: Path): number | undefined {
  for (let length = path.length; length > 0; length -= 1) {
    const line = lines.get(
      path
        .slice(0, length)
        .map((part) => `/${String(part)}`)
        .join(''),
    );
    if (line !== undefined) return line;
  }
  return lines.size === 0 ? undefined : 1;
}
