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

/** Text styles: escape codes for a terminal, unchanged text elsewhere. */
export type Style = Readonly<Record<keyof typeof codes, Paint>>;

const esc = String.fromCharCode(27);

function styleOf(paintFor: (on: number, off: number) => Paint): Style {
  const paints = Object.entries(codes).map(([name, [on, off]]) => [name, paintFor(on, off)]);
  return Object.fromEntries(paints) as Style;
}

export const plain = styleOf(() => (text) => text);

/** Paints do not nest. */
export const colors = styleOf((on, off) => (text) => {
  return text === '' ? '' : `${esc}[${on}m${text}${esc}[${off}m`;
});
