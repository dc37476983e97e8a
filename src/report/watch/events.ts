import type { Style } from '../format/style.ts';
import { clockTime, shortCommit, span } from '../format/time.ts';
import { progressLines } from '../progress/progress.ts';
import { lineOf, type Pane, painted } from './line.ts';
import type { Scene, SeenStep } from './scene.ts';

/** The last events and the landings before, newest first. */
export function eventsPane(scene: Scene, width: number, height: number, scroll: number): Pane {
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

const drawn = new WeakMap<SeenStep, Layout & { readonly lines: readonly string[] }>();

/** The lines of a step, which are made once: the screen is drawn every second. */
function stepLines(step: SeenStep, layout: Layout): readonly string[] {
  const { style, width, offsetMin } = layout;
  const known = drawn.get(step);
  if (known?.style === style && known.width === width && known.offsetMin === offsetMin) {
    return known.lines;
  }
  const lines = progressLines(step.event, { ...step.context, ...layout });
  drawn.set(step, { ...layout, lines });
  return lines;
}
