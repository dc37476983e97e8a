import { graphemesOf, widthOf } from './width.ts';

const esc = String.fromCharCode(27);
const bell = String.fromCharCode(7);
/** Escape sequences for color, cursor and window title. */
const sequences = new RegExp(
  `${esc}(?:\\[[0-?]{0,64}[ -/]{0,8}[@-~]|\\][^${bell}${esc}]{0,512}(?:${bell}|${esc}\\\\))`,
  'g',
);
/** Control and format characters and lone surrogates. */
const unseen = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu;
const joiner = '\u200d';

/**
 * Text of others on one line, safe for a terminal: escape sequences are taken out, white space becomes a space, and
 * whatever else would not be seen is shown by its number.
 */
export function printable(text: string): string {
  return text
    .replace(sequences, '')
    .replace(/[\t\n\r\v\f]+/g, ' ')
    .replace(unseen, (char) => (char === joiner ? char : shown(char)));
}

function shown(char: string): string {
  const number = char.codePointAt(0) ?? 0;
  return `\\u{${number.toString(16)}}`;
}

/** Output of a child process as lines safe for a terminal. After a carriage return only the last text is kept. */
export function printableLines(text: string): string[] {
  const lines = text.replace(/\r+\n/g, '\n').split('\n');
  while (lines.at(-1)?.trim() === '') lines.pop();
  return lines.map((line) =>
    printable(line.slice(line.lastIndexOf('\r') + 1).replace(/\t/g, '  ')),
  );
}

/** Uncolored text cut to `width` columns, with an ellipsis if something is missing. */
export function cut(text: string, width: number): string {
  if (width <= 0) return '';
  if (widthOf(text) <= width) return text;
  let kept = '';
  let columns = 0;
  for (const sign of graphemesOf(text)) {
    columns += sign.columns;
    if (columns > width - 1) break;
    kept += sign.text;
  }
  return `${kept.trimEnd()}…`;
}

/**
 * A text broken at spaces into lines of at most `width` columns. Only a path, or a word of a command between backticks,
 * makes a line wider where it does not fit.
 */
export function wrap(text: string, width: number): string[] {
  const lines: string[] = [];
  let line = '';
  let ticks = 0;
  for (const word of text.split(' ')) {
    const isCommand = ticks % 2 === 1 || word.includes('`');
    ticks += word.split('`').length - 1;
    const joined = line === '' ? word : `${line} ${word}`;
    if (widthOf(joined) <= width) {
      line = joined;
      continue;
    }
    if (line !== '') lines.push(line);
    line = isCommand || word.includes('/') ? word : cut(word, Math.max(1, width));
  }
  return line === '' && lines.length > 0 ? lines : [...lines, line];
}

export function capitalized(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** Joins the parts that have text; absent parts are false, undefined or empty. */
export function joined(parts: readonly (string | false | undefined)[], separator = ', '): string {
  return parts
    .filter((part) => part !== undefined && part !== false && part !== '')
    .join(separator);
}
