import { visibleLine } from '../../model/visible.ts';
import { graphemesOf, widthOf } from './width.ts';

/** A text as lines without its last empty ones. */
export function textLines(text: string): string[] {
  const lines = text.replace(/\r\n/g, '\n').replace(/\t/g, '  ').split('\n');
  while (lines.at(-1)?.trim() === '') lines.pop();
  return lines;
}

/** Uncolored text on one line, visible, cut to `width` columns, with an ellipsis if something is missing. */
export function cut(given: string, width: number): string {
  if (width <= 0) return '';
  const text = visibleLine(given);
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
  for (const word of visibleLine(text).split(' ')) {
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
