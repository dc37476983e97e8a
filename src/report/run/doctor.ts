import type { Failure } from '../../model/failure.ts';
import { explain, oneLine } from '../explain/explain.ts';
import { wrap } from '../format/layout.ts';
import type { Style } from '../format/style.ts';

/** One check of something that a run depends on, with the fields that are shown. */
interface Checked {
  readonly name: string;
  readonly text: string;
  readonly trouble?: Failure;
  readonly remedy?: string;
  readonly harmless?: boolean;
}

const labelWidth = 14;
/** Columns that a text needs next to its label. With less room it goes below the label. */
const minTextWidth = 40;

/** Longer problems are cut; their remedy follows in full. */
const troubleChars = 200;

/** Text of `ym doctor`. */
export function doctorText(
  findings: readonly Checked[],
  style: Style,
  width: number,
): readonly string[] {
  return findings.flatMap((finding) => linesOf(finding, style, width));
}

function linesOf(finding: Checked, style: Style, width: number): readonly string[] {
  const { name, text, trouble, remedy } = finding;
  const afterLabel = labelWidth + 3;
  const isNextToLabel = width - afterLabel >= minTextWidth;
  const indent = isNextToLabel ? afterLabel : 4;
  const room = width - indent;
  const texts =
    trouble === undefined
      ? [text]
      : [text, oneLine(trouble, troubleChars), withRemedy(trouble, remedy).do];
  const lines = texts.flatMap((one) => (one === '' ? [] : wrap(one, room)));
  const begin = `${signOf(finding, style)} ${name.padEnd(isNextToLabel ? labelWidth : 0)}`;
  const [first = '', ...rest] = isNextToLabel ? lines : ['', ...lines];
  return [`${begin} ${first}`.trimEnd(), ...rest.map((line) => ' '.repeat(indent) + line)];
}

function signOf({ trouble, harmless }: Checked, style: Style): string {
  if (trouble === undefined) return harmless === true ? style.dim('·') : style.green('✓');
  return harmless === true ? style.yellow('!') : style.red('✗');
}

/** The explanation of a failure, with a more specific remedy if there is one. */
export function withRemedy(
  trouble: Failure,
  remedy: string | undefined,
): ReturnType<typeof explain> {
  const explained = explain(trouble);
  return remedy === undefined ? explained : { ...explained, do: remedy };
}
