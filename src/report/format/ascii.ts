import { markEnd, markStart } from './style.ts';
import { graphemesOf } from './width.ts';

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
  '┄': '.',
  '═': '=',
  '↶': '<',
  '↺': '<',
  '⟳': '@',
  '⋯': '~',
  '≠': '!',
  '◌': ':',
  '◐': '(',
  '✎': ',',
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

/** True if the terminal shows Unicode, as far as the environment tells. */
export function hasUnicode(env: Readonly<Record<string, string | undefined>>): boolean {
  if (env.TERM === 'linux' || env.TERM === 'dumb') return false;
  const locale = env.LC_ALL || env.LC_CTYPE || env.LANG || '';
  // Without any locale a terminal of today shows Unicode all the same.
  return locale === '' || /utf-?8/i.test(locale);
}
