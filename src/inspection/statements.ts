import { limits } from '../model/limits.ts';
import type { Code } from './code.ts';

const opening = '([{';
const closing = ')]}';
/** Line starts that continue the expression of the line before. */
const goesOn = /^\s*(?:\??\.(?!\.)|&&|\|\||->|::)/;

/** End of the statement at `start`: its semicolon, closing bracket or last line end; at most `chars` further. */
export function statementEnd({ code }: Code, start: number, chars: number): number {
  const most = Math.min(code.length, start + chars);
  let depth = 0;
  for (let at = start; at < most; at += 1) {
    const char = code[at] ?? '';
    if (opening.includes(char)) {
      if (char === '{' && depth === 0) return at;
      depth += 1;
    } else if (closing.includes(char)) {
      if (depth === 0) return at;
      depth -= 1;
    } else if (depth === 0 && char === ';') return at;
    else if (depth === 0 && char === '\n' && code[at - 1] !== '\\') {
      if (!goesOn.test(code.slice(at, at + 80))) return at;
    }
  }
  return most;
}

/** Start of the expression around a word, on the same line. */
export function expressionStart({ code }: Code, word: number): number {
  const least = Math.max(0, word - limits.statementChars);
  let at = word;
  while (at > least && !'\n;{}'.includes(code[at - 1] ?? '')) at -= 1;
  while (/\s/.test(code[at] ?? '') && at < word) at += 1;
  return at;
}

const piecePattern =
  /"(?:\\[\s\S]|[^"\\])*"|'(?:\\[\s\S]|[^'\\])*'|`[^`]*`|[\w$]+|\s+|[^\w\s$"'`]|["'`]/g;

/**
 * Normalizes layout: spaces, line breaks, kind of quotes, trailing commas and semicolons, and parentheses around a
 * single arrow parameter.
 */
export function plain(statement: string): string {
  const pieces: string[] = [];
  let spaced = false;
  let afterWord = false;
  for (const [piece] of statement.matchAll(piecePattern)) {
    if (/^\s/.test(piece)) {
      spaced = true;
      continue;
    }
    const isWord = /^[\w$]/.test(piece);
    if (isWord && afterWord && spaced) pieces.push(' ');
    else if (closing.includes(piece) && pieces.at(-1) === ',') pieces.pop();
    pieces.push(isWord ? piece : requoted(piece));
    spaced = false;
    afterWord = isWord;
  }
  return pieces
    .join('')
    .replace(/\((\w+)\)=>/g, '$1=>')
    .replace(/[;,\\]{1,8}$/, '');
}

function requoted(piece: string): string {
  if (piece.length < 2 || !/^['"]/.test(piece)) return piece;
  const inside = piece.slice(1, -1).replace(/\\(['"])/g, '$1');
  return `"${inside}"`;
}

/** Replaces some names by a placeholder, except in quotes. */
export function withoutNames(statement: string, names: ReadonlySet<string>): string {
  return statement.replace(/"(?:\\[\s\S]|[^"\\])*"|`[^`]*`|[A-Za-z_$][\w$]*/g, (piece) =>
    names.has(piece) ? '§' : piece,
  );
}
