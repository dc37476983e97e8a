import { eventsPane } from './events.ts';
import { helpPane } from './help.ts';
import type { Pane } from './line.ts';
import { tasksPane } from './lists.ts';
import type { Scene } from './scene.ts';
import { textPane } from './text-page.ts';
import type { PageId } from './ui.ts';

/** A page in `height` lines. */
export function pagePane(page: PageId, scene: Scene, width: number, height: number): Pane {
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
