import { footerLines } from './footer.ts';
import { headerLines, noticesOf } from './header.ts';
import { type Pane, padded, titleLine } from './line.ts';
import { needsPane, slotsPane, tasksPane } from './lists.ts';
import { pagePane } from './page.ts';
import { pastLines } from './past.ts';
import { queuePane, queueWant } from './queue.ts';
import { shownTasks } from './rows.ts';
import type { Scene } from './scene.ts';
import { isWide, leftWidth } from './ui.ts';

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
