import { counted } from '../format/amount.ts';
import { cut, wrap } from '../format/layout.ts';
import { plain, type Style } from '../format/style.ts';
import { graphemesOf, widthOf } from '../format/width.ts';
import { failureLines } from '../task/task.ts';
import type { RunNeed } from '../view/task.ts';
import type { View } from '../view/view.ts';
import { chosenSides, linePaint, sideRows, sidesPane } from './compare-page.ts';
import type { Pane } from './line.ts';
import { chosenRun, chosenTask, comparedTask, taskOf } from './rows.ts';
import type { PageText, Scene } from './scene.ts';
import { follows, type PageId, type UiState } from './ui.ts';

/** The output of the chosen agent from its end, or a document from its start. */
export function textPane(
  page: PageId,
  { text, view, ui, style, moment }: Scene,
  width: number,
  height: number,
): Pane {
  const run = chosenRun(view, ui);
  if (run !== undefined) return runPane(run, width, height);
  const task = chosenTask(view, ui);
  const name = nameOf(page, view, task);
  if (text === undefined || text.lines.length === 0) {
    const note = variantsNote(page, view, task) ?? text?.note ?? 'nothing to show yet';
    const lines = wrap(note, width - 1).slice(0, height);
    return { title: name, lines: lines.map((line) => style.dim(cut(` ${line}`, width))) };
  }
  const sides = chosenSides(text, ui);
  if (sides !== undefined) return sidesPane(name, sides, { text, ui, style, width, height });
  const shown = follows(page)
    ? tailLines(text, ui.scroll, width - 1, height)
    : documentLines(text, ui.scroll, width - 1, height);
  return {
    title:
      `${name}  ${moment === undefined ? shown.place : shown.place.replace('follows', '')}`.trimEnd(),
    lines: shown.lines.map((line) => ` ${painted(line, page, style)}`),
  };
}

/** Why a run ended early and what to do. A run has no other text. */
function runPane({ run, failure }: RunNeed, width: number, height: number): Pane {
  const lines = failureLines(failure, plain, width - 1).flatMap((line) => split(line, width - 1));
  return {
    title: `${titles.why} ${run}`,
    lines: lines.slice(0, height).map((line) => ` ${line}`),
  };
}

/** The whole line in pieces of at most `width` columns: the path of an output must not be cut. */
function split(line: string, width: number): readonly string[] {
  const pieces = [''];
  for (const { text } of graphemesOf(line)) {
    const longer = `${pieces.at(-1)}${text}`;
    if (widthOf(longer) <= width) pieces.splice(-1, 1, longer);
    else pieces.push(text);
  }
  return pieces;
}

const titles: Readonly<Partial<Record<PageId, string>>> = {
  tail: 'OUTPUT',
  why: 'WHY',
  diff: 'DIFF',
  gate: 'GATE',
  compare: 'COMPARE',
};

/** A comparison names the command that prints the same. */
function nameOf(page: PageId, view: View, task = ''): string {
  const compared = page === 'compare' ? comparedTask(view, task)?.id : undefined;
  if (compared !== undefined) return `COMPARE ${compared}  ym compare ${compared} --diff`;
  return `${titles[page] ?? page} ${task}`.trimEnd();
}

/** A task with variants has no output of its own while they are compared. */
function variantsNote(page: PageId, view: View, id: string | undefined): string | undefined {
  const { variants, choice } = taskOf(view, id) ?? {};
  if (page !== 'tail' || variants === undefined || choice !== undefined) return undefined;
  const [first = ''] = variants;
  return `Its variants do the work: ${variants.join(', ')}. C compares them, and \`ym log ${first}\` prints the output of one.`;
}

interface Shown {
  readonly lines: readonly string[];
  readonly place: string;
}

/** Wraps from the end on, and no more than is shown: there may be many lines. */
function tailLines({ lines }: PageText, scroll: number, width: number, height: number): Shown {
  const wanted = height + scroll;
  const found: string[] = [];
  for (let at = lines.length - 1; at >= 0 && found.length < wanted; at -= 1) {
    found.unshift(...wrapped(lines[at] ?? '', width));
  }
  const above = Math.min(scroll, Math.max(0, found.length - height));
  const end = found.length - above;
  const place = above === 0 ? 'follows' : `${counted(above, 'line')} below, f follows`;
  return { lines: found.slice(Math.max(0, end - height), end), place };
}

function documentLines({ lines }: PageText, scroll: number, width: number, height: number): Shown {
  const first = Math.min(scroll, Math.max(0, lines.length - height));
  const last = Math.min(lines.length, first + height);
  const shown = lines.slice(first, last).map((line) => cut(line, width));
  const place = lines.length <= height ? '' : `${first + 1} to ${last} of ${lines.length}`;
  return { lines: shown, place };
}

function wrapped(line: string, width: number): string[] {
  return wrap(line, width).map((part) => cut(part, width));
}

/** Lines of the page that can be scrolled through. Two diffs side by side count once, and a file starts with either. */
export function scrolledLines(text: PageText | undefined, ui: UiState): readonly string[] {
  const sides = chosenSides(text, ui);
  if (sides === undefined) return text?.lines ?? [];
  return sideRows(sides).map(([left, right]) => left || right);
}

/** True if a file starts at a line of a diff or a comparison. The name of a variant belongs to its first file. */
function isPart(page: PageId, lines: readonly string[], at: number): boolean {
  const isFile = lines[at]?.startsWith('diff ') === true;
  if (page === 'diff') return isFile;
  if (page !== 'compare') return false;
  const isVariant = (line = ''): boolean => /^# \S/.test(line);
  return isVariant(lines[at]) || (isFile && !isVariant(lines[at - 1]));
}

/** The line where the next or previous file of a page starts, seen from the line `from`; undefined if there is none. */
export function partFrom(
  page: PageId,
  lines: readonly string[],
  from: number,
  by: 1 | -1,
): number | undefined {
  const starts = [...lines.keys()].filter((at) => isPart(page, lines, at));
  if (by === 1) return starts.find((at) => at > from);
  return starts.length === 0 ? undefined : (starts.findLast((at) => at < from) ?? 0);
}

function painted(line: string, page: PageId, style: Style): string {
  if (page === 'diff' || page === 'compare') return linePaint(line, style)(line);
  return line.startsWith('▸') ? style.cyan(line) : line;
}
