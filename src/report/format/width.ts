import { visibleLine } from '../../model/visible.ts';
import { markEnd, markStart } from './style.ts';

/**
 * Number of columns that text takes on a terminal. Written here because the packages for it all take longer to load
 * than the rest of a quick command takes to run. Where it is not exact it says too much, never too little, so that
 * lines are cut early rather than wrapped.
 */

/** Blocks that are mostly two columns wide: first and last code points, alternating. */
const wideBlocks = [
  0x1100, 0x115f, 0x2329, 0x232a, 0x2630, 0x2637, 0x268a, 0x268f, 0x2e80, 0x303e, 0x3041, 0xa4cf,
  0xa960, 0xa97c, 0xac00, 0xd7a3, 0xf900, 0xfaff, 0xfe10, 0xfe19, 0xfe30, 0xfe6f, 0xff01, 0xff60,
  0xffe0, 0xffe6, 0x16fe0, 0x18dff, 0x1aff0, 0x1b2ff, 0x1d300, 0x1d37f, 0x1f200, 0x1f265, 0x1f300,
  0x1f64f, 0x1f900, 0x1faff, 0x20000, 0x3fffd,
];

const joiner = 0x200d;
const emojiSign = 0xfe0f;
/** Latin letters, punctuation and the signs of our own reports: each takes one column, and none joins another one. */
const plainText =
  /^[ -~\u00a1-\u00ac\u00ae-\u02ff\u2010-\u2027\u2030-\u203a\u2190-\u22ff\u2500-\u25fc\u2713-\u2718]*$/;
const mark = new RegExp(`${markStart}[^${markEnd}]*${markEnd}`, 'g');
const attached = /^[\p{Mn}\p{Me}\p{Cf}]$/u;
const emoji = /^\p{Emoji_Presentation}$/u;

/** A character with its combining characters: the smallest unit that may be cut. */
interface Grapheme {
  readonly text: string;
  readonly columns: number;
}

/** Columns of a text as it is printed: the marks of a paint take none, an invisible character as many as its number. */
export function widthOf(text: string): number {
  // Nearly all text is plain.
  if (plainText.test(text)) return text.length;
  const unmarked = text.replace(mark, '');
  if (plainText.test(unmarked)) return unmarked.length;
  return graphemesOf(visibleLine(unmarked)).reduce((sum, { columns }) => sum + columns, 0);
}

export function graphemesOf(text: string): Grapheme[] {
  const signs: { text: string; columns: number }[] = [];
  let joined = false;
  for (const char of text) {
    const code = char.codePointAt(0) ?? 0;
    const last = signs.at(-1);
    if (last !== undefined && (joined || isAttached(code, char) || isFlag(last.text, code))) {
      last.text += char;
      // Asked for as a picture, or joined with one, a sign becomes two columns wide.
      if (code === emojiSign || joined) last.columns = 2;
    } else {
      signs.push({ text: char, columns: columnsOf(code, char) });
    }
    joined = code === joiner && last !== undefined;
  }
  return signs;
}

function isAttached(code: number, char: string): boolean {
  if (code < 0x300) return false;
  const inner = (code >= 0x1160 && code <= 0x11ff) || (code >= 0xd7b0 && code <= 0xd7ff);
  const tone = code >= 0x1f3fb && code <= 0x1f3ff;
  return inner || tone || attached.test(char);
}

/** Two regional indicators form one flag. */
function isFlag(before: string, code: number): boolean {
  return isFlagLetter(code) && before.length === 2 && isFlagLetter(before.codePointAt(0) ?? 0);
}

function isFlagLetter(code: number): boolean {
  return code >= 0x1f1e6 && code <= 0x1f1ff;
}

function columnsOf(code: number, char: string): number {
  if (code < 0x1100) return 1;
  for (let at = 0; at < wideBlocks.length; at += 2) {
    if (code < (wideBlocks[at] ?? 0)) break;
    if (code <= (wideBlocks[at + 1] ?? 0)) return 2;
  }
  const maybe = (code >= 0x231a && code <= 0x2b55) || (code >= 0x1f000 && code <= 0x1faff);
  return maybe && emoji.test(char) ? 2 : 1;
}
