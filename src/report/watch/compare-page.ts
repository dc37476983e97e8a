import { amount, counted, dollars } from '../format/amount.ts';
import { joined } from '../format/layout.ts';
import type { Style } from '../format/style.ts';
import { shortCommit, span } from '../format/time.ts';
import type { VariantView } from '../task/compare.ts';
import { haveDifferentBases } from '../task/different-bases.ts';
import { column, lineOf, type Pane, painted } from './line.ts';
import type { PageText } from './scene.ts';
import { pageWidth, type UiState } from './ui.ts';

/** A variant in a comparison: its facts, and the lines of its change. */
export interface VariantSide {
  readonly variant: VariantView;
  readonly patch: readonly string[];
}

/** A line of the left variant and one of the right variant. */
type SideRow = readonly [left: string, right: string];

type Sides = readonly [left: VariantSide, right: VariantSide];

/** Smallest width of a page with two diffs side by side. */
const sideColumns = 100;

export function isSideBySide(ui: UiState): boolean {
  return pageWidth(ui) >= sideColumns;
}

/** The two variants that are shown side by side; undefined if the screen is too narrow, or on another page. */
export function chosenSides(text: PageText | undefined, ui: UiState): Sides | undefined {
  if (ui.page !== 'compare' || !isSideBySide(ui)) return undefined;
  const [left, right] = (ui.pair ?? [0, 1]).map((at) => text?.sides?.[at]);
  return left === undefined || right === undefined ? undefined : [left, right];
}

/** Both diffs line by line. The same file starts at the same line on both sides. */
export function sideRows([left, right]: Sides): readonly SideRow[] {
  const [ofLeft, ofRight] = [filesOf(left), filesOf(right)];
  const names = [...new Set([...ofLeft.keys(), ...ofRight.keys()])].sort();
  return names.flatMap((name) => {
    const [one, other] = [ofLeft.get(name) ?? [], ofRight.get(name) ?? []];
    const length = Math.max(one.length, other.length);
    return Array.from({ length }, (_, at): SideRow => [one[at] ?? '', other[at] ?? '']);
  });
}

/** The lines of a patch by the first line of each file. */
function filesOf({ patch }: VariantSide): ReadonlyMap<string, readonly string[]> {
  const files = new Map<string, string[]>();
  let file: string[] = [];
  for (const line of patch) {
    if (line.startsWith('diff ')) {
      file = [];
      files.set(line, file);
    }
    file.push(line);
  }
  return files;
}

/** The facts of two variants, which stay in sight, and their diffs from the line `scroll` on. */
export function sidesPane(
  title: string,
  sides: Sides,
  {
    text,
    ui,
    style,
    width,
    height,
  }: {
    readonly text: PageText;
    readonly ui: UiState;
    readonly style: Style;
    readonly width: number;
    readonly height: number;
  },
): Pane {
  const half = Math.floor((width - 4) / 2);
  const bar = painted(' │ ', style.dim);
  const row = ([left, right]: SideRow, paint: typeof linePaint): string =>
    lineOf(
      [
        ' ',
        painted(column(left, half), paint(left, style)),
        bar,
        painted(column(right, half).trimEnd(), paint(right, style)),
      ],
      width,
    );
  const facts = (of: (one: VariantView) => string): SideRow => [
    of(sides[0].variant),
    of(sides[1].variant),
  ];
  const all = text.sides ?? [];
  const others = all.filter((one) => !sides.includes(one));
  const differ = haveDifferentBases(all.map(({ variant }) => variant));
  const factsOf = (one: VariantView): string =>
    joined([variantFacts(one), baseText(one, differ)], '  ');
  const head = [
    row(facts(nameOf), () => style.bold),
    row(facts(factsOf), () => (shown) => shown),
    ...others.map(({ variant }) =>
      lineOf([painted(` ${nameOf(variant)}  ${factsOf(variant)}`, style.dim)], width),
    ),
  ].slice(0, height);
  const rows = sideRows(sides);
  const room = height - head.length;
  const first = Math.min(ui.scroll, Math.max(0, rows.length - room));
  const last = Math.min(rows.length, first + room);
  const place = rows.length <= room ? '' : `  ${first + 1} to ${last} of ${rows.length}`;
  const shown = rows.slice(first, last).map((one) => row(one, linePaint));
  return { title: `${title}${place}`, lines: [...head, ...shown] };
}

/** `2 search.v2  finished  codex` */
function nameOf({ number, id, state, agent }: VariantView): string {
  return joined([`${number} ${id}`, state, agent], '  ');
}

/** `gate passed  +12 -3  2 files  $0.12  4 m` */
function variantFacts({ gate, added, removed, files, costUsd, ms }: VariantView): string {
  const size = `+${amount(added)} -${amount(removed)}`;
  const cost = costUsd === undefined ? '' : dollars(costUsd);
  const time = ms === 0 ? '' : span(ms);
  return joined([`gate ${gate}`, size, counted(files.length, 'file'), cost, time], '  ');
}

/** `from 3f2c1ab`, if the variants contain different commits of the target. */
function baseText({ base }: VariantView, differ: boolean): string {
  return differ && base !== undefined ? `from ${shortCommit(base)}` : '';
}

/** The color of a line of a diff or a comparison. */
export function linePaint(line: string, style: Style): (text: string) => string {
  if (line.startsWith('+')) return style.green;
  if (line.startsWith('-')) return style.red;
  if (line.startsWith('@@')) return style.cyan;
  return line.startsWith('diff ') || line.startsWith('# ') ? style.bold : (shown) => shown;
}
