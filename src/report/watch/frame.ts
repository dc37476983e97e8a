import type { Style } from '../format/style.ts';
import { clockTime, shortCommit, span } from '../format/time.ts';
import { progressLines } from '../progress/progress.ts';
import { footerLines } from './footer.ts';
import { headerLines, noticesOf } from './header.ts';
import { column, lineOf, type Pane, padded, painted, titleLine } from './line.ts';
import { needsPane, slotsPane, tasksPane } from './lists.ts';
import { pastLines } from './past.ts';
import { queuePane, queueWant } from './queue.ts';
import { shownTasks } from './rows.ts';
import type { Scene, SeenStep } from './scene.ts';
import { textPane } from './text-page.ts';
import { isWide, leftWidth, type PageId } from './ui.ts';

/** The last events and the landings before, newest first. */
function eventsPane(scene: Scene, width: number, height: number, scroll: number): Pane {
  const { steps, view, style, offsetMin } = scene;
  const wanted = height + scroll;
  const lines: string[] = [];
  for (let at = steps.length - 1; at >= 0 && lines.length < wanted; at -= 1) {
    const step = steps[at];
    if (step !== undefined) lines.push(...stepLines(step, { style, width: width - 1, offsetMin }));
  }
  const oldest = steps[0]?.event.at ?? Number.POSITIVE_INFINITY;
  for (const { task, commit, at, attempt, ms } of view.landings) {
    if (at >= oldest || lines.length >= wanted) continue;
    const rest = `${task}  ${shortCommit(commit)}  (attempt ${attempt}, ${span(ms)})`;
    const time = painted(clockTime(at, offsetMin), style.dim);
    lines.push(lineOf([time, painted(' landed    ', style.green), rest], width - 1));
  }
  const first = Math.min(scroll, Math.max(0, lines.length - height));
  return { title: 'EVENTS', lines: lines.slice(first, first + height).map((line) => ` ${line}`) };
}

interface Layout {
  readonly style: Style;
  readonly width: number;
  readonly offsetMin: number;
}

const linesOf = new WeakMap<SeenStep, Layout & { readonly lines: readonly string[] }>();

/** The lines of a step, which are made once: the screen is drawn every second. */
function stepLines(step: SeenStep, layout: Layout): readonly string[] {
  const { style, width, offsetMin } = layout;
  const known = linesOf.get(step);
  if (known?.style === style && known.width === width && known.offsetMin === offsetMin) {
    return known.lines;
  }
  const lines = progressLines(step.event, { ...step.context, ...layout });
  linesOf.set(step, { ...layout, lines });
  return lines;
}

const keys: readonly (readonly [key: string, effect: string])[] = [
  ['↑ ↓ j k', 'choose a row; on a page that fills the screen, scroll'],
  ['tab', 'next list: needs you, slots, merge queue, tasks'],
  ['⏎ z', 'fill the screen with the page, or go back'],
  ['← →', 'previous or next page'],
  ['1 2 3', 'output, tasks, events'],
  ['w d G', 'why the task is in its state, its diff, the output of its gate'],
  ['C', 'compare the variants of the task; y chooses one'],
  ['{ }', 'compare another variant on the left, on the right'],
  ['[ ]', 'previous or next file of a diff or a comparison'],
  ['page ↑ ↓, wheel', 'scroll the page; scrolling up stops following'],
  ['f, space, end', 'follow the newest output again'],
  ['T', 'the past: ← → an event, < > further, home end; T again: now'],
  ['/', 'filter tasks: words, !word for those without it; esc clears it'],
  ['S h', 'sort tasks; show those that are done'],
  ['a', 'answer the question of an agent'],
  ['y n', 'approve, or reject with a reason that its agent reads'],
  ['m', 'message to the agent'],
  ['r x b', 'retry or unblock, cancel, block the task'],
  ['p + -', 'pause or resume the chosen slot; add a slot, remove one'],
  ['s', 'start nothing new and end the run; again: end the agents now'],
  ['o !', 'editor in the worktree; attach: work there, agent paused'],
  ['v c', 'the page in your pager; copy it to the clipboard'],
  ['M', 'wheel scrolls the page; the terminal then selects no text'],
  [':', 'any other ym command'],
  ['ctrl-l ctrl-z', 'draw again, suspend'],
  ['q', 'leave'],
];

const keyRoom = 17;

function helpPane({ ui, style }: Scene, width: number, height: number): Pane {
  const first = Math.min(ui.scroll, Math.max(0, keys.length - height));
  const lines = keys
    .slice(first, first + height)
    .map(([key, effect]) =>
      lineOf([painted(` ${column(key, keyRoom)}`, style.bold), ` ${effect}`], width),
    );
  const more = keys.length - first - lines.length;
  return { title: more > 0 ? `KEYS  ${more} more, page ↓` : 'KEYS', lines };
}

/** A page in `height` lines. */
function pagePane(page: PageId, scene: Scene, width: number, height: number): Pane {
  const { ui } = scene;
  // A pane at the side is not the page that keys scroll.
  const scroll = ui.page === page ? ui.scroll : 0;
  switch (page) {
    case 'tasks':
      return tasksPane(scene, width, height);
    case 'help':
      return helpPane(scene, width, height);
    case 'events':
      return eventsPane(scene, width, height, scroll);
    case 'tail':
    case 'why':
    case 'diff':
    case 'gate':
    case 'compare':
      return textPane(page, scene, width, height);
  }
}

/** A part of the screen before its height is known. */
interface Place {
  /** Lines that it would fill, without its title. */
  readonly want: number;
  /** It gets its lines before the others, up to half of what is left. */
  readonly isFirst?: boolean;
  /** Draws exactly what fits into `height` lines, without the title. */
  readonly draw: (scene: Scene, width: number, height: number) => Pane;
}

/** One screen: exactly as many lines as the screen has, none wider than it. */
export function frameOf(scene: Scene): string[] {
  const { width, height } = scene.ui;
  if (width <= 0 || height <= 0) return [];
  const keyLines = height >= 20 ? 2 : height >= 8 ? 1 : 0;
  const header = [
    ...headerLines(scene, width).slice(0, height >= 10 ? 2 : 1),
    ...pastLines(scene, width),
    ...noticesOf(scene, width, height),
  ];
  const footer = height < 4 ? [] : footerLines(scene, width, keyLines);
  const room = Math.max(0, height - header.length - footer.length);
  const body = isWide(scene.ui) ? wideBody(scene, width, room) : narrowBody(scene, width, room);
  return [...header, ...exactly(body, room), ...footer].slice(0, height);
}

function exactly(lines: readonly string[], height: number): string[] {
  return Array.from({ length: height }, (_, at) => lines[at] ?? '');
}

const page: Place = {
  want: Number.POSITIVE_INFINITY,
  draw: (scene, width, height) => pagePane(scene.ui.page, scene, width, height),
};

function narrowBody(scene: Scene, width: number, height: number): string[] {
  const above = scene.ui.zoomed ? [] : listPlaces(scene);
  return drawn([...above, page], scene, width, height);
}

/**
 * Returns the last result again while nothing but the text of the page has changed: agents print ten times a second,
 * and clocks count seconds.
 */
function whileSame<T>(draw: (scene: Scene, width: number, height: number) => T): typeof draw {
  let last: { readonly inputs: readonly unknown[]; readonly result: T } | undefined;
  return (scene, width, height) => {
    const { text: _, now, ...others } = scene;
    const inputs = [...Object.values(others), Math.floor(now / 1_000), width, height];
    const isSame =
      last?.inputs.length === inputs.length &&
      inputs.every((input, at) => input === last?.inputs[at]);
    if (!isSame || last === undefined) last = { inputs, result: draw(scene, width, height) };
    return last.result;
  };
}

/** Lists with rows, most important first. */
function listPlaces({ view }: Scene): Place[] {
  const places: Place[] = [
    { want: view.needsYou.length, isFirst: true, draw: needsPane },
    { want: view.slots.length, draw: slotsPane },
    { want: queueWant(view), draw: queuePane },
  ];
  return places.filter(({ want }) => want > 0);
}

/** Lists with the tasks, and events, up to the bar that ends them. */
const leftHalf = whileSame((scene, width, height) => {
  const tasks = { want: shownTasks(scene.view, scene.ui).length, draw: tasksPane };
  const events: Place = {
    want: Number.POSITIVE_INFINITY,
    draw: (of, room, lines) => pagePane('events', of, room, lines),
  };
  const lists = drawn([...listPlaces(scene), tasks, events], scene, width, height);
  const bar = scene.style.dim('│');
  return Array.from({ length: height }, (_, at) => `${padded(lists[at] ?? '', width)}${bar}`);
});

/** Lists with the tasks on the left; the page on the right. */
function wideBody(scene: Scene, width: number, height: number): string[] {
  const left = leftWidth(width);
  const right = drawn([page], scene, width - 1 - left, height);
  return leftHalf(scene, left, height).map((line, at) => `${line}${right[at] ?? ''}`);
}

/** Draws places one below the other, each with its title, in exactly `height` lines or fewer. */
function drawn(places: readonly Place[], scene: Scene, width: number, height: number): string[] {
  const heights = heightsOf(places, height);
  return places.flatMap(({ draw }, at) => {
    const room = heights[at] ?? 0;
    if (room === 0) return [];
    const pane = draw(scene, width, room - 1);
    const title = titleLine(pane.title, width, scene.style, pane.isFocused);
    return [title, ...exactly(pane.lines, room - 1)];
  });
}

/** The last place gets what is left, and this much at least if there is room for anything else. */
const lastMin = 5;

/**
 * Lines of each place with its title. Places get what they want, in rounds of one line each, so that a long list takes
 * nothing from a short one.
 */
function heightsOf(places: readonly Place[], height: number): number[] {
  const heights = places.map(() => 0);
  let room = height;
  const last = places.length - 1;
  const kept = Math.min(room, lastMin);
  heights[last] = kept;
  room -= kept;
  for (const [at, { want, isFirst = false }] of places.entries()) {
    if (at === last || room < 2) continue;
    const least = isFirst ? Math.max(2, Math.min(want + 1, Math.floor(room / 2))) : 2;
    heights[at] = least;
    room -= least;
  }
  for (let grew = true; grew && room > 0; ) {
    grew = false;
    for (const [at, { want }] of places.entries()) {
      const now = heights[at] ?? 0;
      if (room === 0 || now === 0 || now - 1 >= want) continue;
      heights[at] = now + 1;
      room -= 1;
      grew = true;
    }
  }
  return heights;
}
