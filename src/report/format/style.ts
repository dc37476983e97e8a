import { visibleLine } from '../../model/visible.ts';

export type Paint = (text: string) => string;

/** The numbers that switch each style on and off: the 16 basic colors. */
const codes = {
  bold: [1, 22],
  dim: [2, 22],
  red: [31, 39],
  green: [32, 39],
  yellow: [33, 39],
  blue: [34, 39],
  magenta: [35, 39],
  cyan: [36, 39],
} as const;

export type Style = Readonly<Record<keyof typeof codes, Paint>>;

/** Characters that no text may contain: what is between them is a mark of a paint. */
export const markStart = '\ufdd0';
export const markEnd = '\ufdd1';

const esc = String.fromCharCode(27);

function styleOf(paintFor: (on: number, off: number) => Paint): Style {
  const paints = Object.entries(codes).map(([name, [on, off]]) => [name, paintFor(on, off)]);
  return Object.fromEntries(paints) as Style;
}

export const plain = styleOf(() => (text) => text);

/** A style, and the border where its lines become text for a terminal. */
export interface Ink {
  readonly style: Style;
  /** A line as it is printed: the style's own marks become colors, everything else is made visible. */
  readonly shown: (line: string) => string;
}

export const noInk: Ink = { style: plain, shown: visibleLine };

/**
 * Styles with colors. A paint puts marks around its text. They carry the key, so text from outside cannot contain one
 * unless it knows the key. Paints do not nest.
 */
export function inkOf(key: string): Ink {
  const mark = (code: number): string => `${markStart}${key} ${code}${markEnd}`;
  const marks = new RegExp(`${markStart}${key} (\\d+)${markEnd}`);
  return {
    style: styleOf((on, off) => (text) => (text === '' ? '' : mark(on) + text + mark(off))),
    // Every second part is a code.
    shown: (line) =>
      line
        .split(marks)
        .map((part, at) => (at % 2 === 1 ? `${esc}[${part}m` : visibleLine(part)))
        .join(''),
  };
}
