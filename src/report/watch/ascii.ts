import { markEnd, markStart } from '../format/style.ts';
import { graphemesOf } from '../format/width.ts';

/** Signs of our own screens and what stands for them in ASCII, each in one column. */
const signs: Readonly<Record<string, string>> = {
  '─': '-',
  '│': '|',
  '┬': '+',
  '┴': '+',
  '├': '+',
  '┤': '+',
  '┼': '+',
  '┐': '+',
  '┘': '+',
  '└': '+',
  '┌': '+',
  '╭': '+',
  '╮': '+',
  '╰': '+',
  '╯': '+',
  '▸': '>',
  '▶': '>',
  '▷': '}',
  '›': '>',
  '→': '>',
  '⇒': '>',
  '»': '>',
  '✓': '+',
  '⇡': '^',
  '✗': 'x',
  '✔': '+',
  '×': 'x',
  '‼': '!',
  '■': '#',
  '⊘': '/',
  '◈': '&',
  '◎': '@',
  '◇': '%',
  '◆': '=',
  '≍': '=',
  '◉': '0',
  '○': 'o',
  '●': '*',
  '·': '.',
  '•': '.',
  '↷': '~',
  '↩': '<',
  '←': '<',
  '↑': '^',
  '↓': 'v',
  '⏎': '\\',
  '█': '#',
  '▓': '=',
  '▒': '~',
  '░': '.',
  '▁': '.',
  '▂': '.',
  '▃': ':',
  '▄': ':',
  '▅': '+',
  '▆': '+',
  '▇': '#',
  '−': '-',
  '–': '-',
  '…': '~',
  '’': "'",
  '“': '"',
  '”': '"',
};

const foreign = new RegExp(`[^\\x20-\\x7e${markStart}${markEnd}]+`, 'gu');
/** Combining characters of the ASCII letter before them. */
const attached = /^[\p{M}\p{Cf}]+/u;

/** A line for a terminal without Unicode, never wider than before; an unknown sign becomes a question mark. */
export function inAscii(line: string): string {
  return line.replace(foreign, (found) =>
    graphemesOf(found.replace(attached, ''))
      .map(({ text, columns }) => signs[text] ?? '?'.repeat(columns))
      .join(''),
  );
}
