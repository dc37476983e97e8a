/** Text styles: escape codes for a terminal, unchanged text elsewhere. */
export interface Style {
  readonly bold: Paint;
  readonly dim: Paint;
  readonly red: Paint;
  readonly green: Paint;
  readonly yellow: Paint;
  readonly blue: Paint;
  readonly magenta: Paint;
  readonly cyan: Paint;
}

export type Paint = (text: string) => string;

const asItIs: Paint = (text) => text;

export const plain: Style = {
  bold: asItIs,
  dim: asItIs,
  red: asItIs,
  green: asItIs,
  yellow: asItIs,
  blue: asItIs,
  magenta: asItIs,
  cyan: asItIs,
};

const esc = String.fromCharCode(27);

const code =
  (on: number, off: number): Paint =>
  (text) =>
    text === '' ? '' : `${esc}[${on}m${text}${esc}[${off}m`;

/** The 16 basic colors. Paints do not nest. */
export const colors: Style = {
  bold: code(1, 22),
  dim: code(2, 22),
  red: code(31, 39),
  green: code(32, 39),
  yellow: code(33, 39),
  blue: code(34, 39),
  magenta: code(35, 39),
  cyan: code(36, 39),
};
