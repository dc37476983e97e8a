import { widthOf } from '../format/width.ts';
import { eventsPane } from './events.ts';
import { helpPane } from './help.ts';
import type { Pane } from './line.ts';
import { tasksPane } from './lists.ts';
import type { Scene } from './scene.ts';
import { textPane } from './text-page.ts';
import type { PageId } from './ui.ts';

/** A page in `height` lines. */
export function pagePane(page: PageId, scene: Scene, width: number, height: number): Pane {
  const { pages, ui } = scene;
  // A pane at the side is not the page that keys scroll.
  const scroll = ui.page === page ? ui.scroll : 0;
  const recordPane = (title: string, lines: readonly string[]): Pane =>
    scrolledPane(title, lines, { scroll, width, height });
  switch (page) {
    case 'tasks':
      return tasksPane(scene, width, height);
    case 'help':
      return helpPane(scene, width, height);
    case 'graph':
      return recordPane('GRAPH', pages.graph);
    case 'spend':
      return recordPane(`SPEND ${pages.spendTitle}`, pages.spend);
    case 'timeline':
      return recordPane('TIMELINE', pages.timeline);
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

/** Finished lines from `scroll` on. For a moment after a resize they are still those for another width. */
function scrolledPane(
  title: string,
  lines: readonly string[],
  { scroll, width, height }: Readonly<Record<'scroll' | 'width' | 'height', number>>,
): Pane {
  const first = Math.min(scroll, Math.max(0, lines.length - height));
  const more = lines.length - first - height;
  const shown = lines
    .slice(first, first + height)
    .map((line) => (widthOf(line) < width ? ` ${line}` : ''));
  return { title: more > 0 ? `${title.trimEnd()}  ${more} more` : title.trimEnd(), lines: shown };
}
