import { cut, wrap } from '../format/layout.ts';
import type { Style } from '../format/style.ts';
import type { View } from '../view/view.ts';
import type { Pane } from './line.ts';
import { chosenTask, comparedTask } from './rows.ts';
import type { PageText, Scene } from './scene.ts';
import { follows, type PageId } from './ui.ts';

/** The output of the chosen agent from its end, or a document from its start. */
export function textPane(
  page: PageId,
  { text, view, ui, style, moment }: Scene,
  width: number,
  height: number,
): Pane {
  const name = nameOf(page, view, chosenTask(view, ui));
  if (text === undefined || text.lines.length === 0) {
    const note = text?.note ?? 'nothing to show yet';
    return { title: name, lines: height === 0 ? [] : [style.dim(cut(` ${note}`, width))] };
  }
  const shown = follows(page)
    ? tailLines(text, ui.scroll, width - 1, height)
    : documentLines(text, ui.scroll, width - 1, height);
  return {
    title:
      `${name}  ${moment === undefined ? shown.place : shown.place.replace('follows', '')}`.trimEnd(),
    lines: shown.lines.map((line) => ` ${painted(line, page, style)}`),
  };
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
  const place = above === 0 ? 'follows' : `${above} lines below, f follows`;
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

/** Starts of the parts of a page: files of a diff, variants of a comparison. */
const partStarts: Readonly<Partial<Record<PageId, string>>> = { diff: 'diff ', compare: '# ' };

/** The line where the next or previous part of a page starts, seen from the line `from`; undefined if there is none. */
export function partFrom(
  page: PageId,
  lines: readonly string[],
  from: number,
  by: 1 | -1,
): number | undefined {
  const start = partStarts[page];
  if (start === undefined) return undefined;
  const isPart = (line: string): boolean => line.startsWith(start);
  if (by === 1) {
    const next = lines.slice(from + 1).findIndex(isPart);
    return next < 0 ? undefined : from + 1 + next;
  }
  const last = lines.slice(0, from).findLastIndex(isPart);
  return last < 0 ? 0 : last;
}

function painted(line: string, page: PageId, style: Style): string {
  if (page !== 'diff' && page !== 'compare') return line.startsWith('▸') ? style.cyan(line) : line;
  if (line.startsWith('+')) return style.green(line);
  if (line.startsWith('-')) return style.red(line);
  return line.startsWith('@@')
    ? style.cyan(line)
    : line.startsWith('diff ') || line.startsWith('# ')
      ? style.bold(line)
      : line;
}
