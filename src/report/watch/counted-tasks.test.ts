import { expect, it } from 'vitest';
import { busyNow, busyView } from '../../../test/report/busy-yard.ts';
import { viewed } from '../../../test/report/viewed.ts';
import { Story, task } from '../../../test/story.ts';
import { plain } from '../format/style.ts';
import { noQueueFacts } from '../run/queue-facts.ts';
import type { View } from '../view/view.ts';
import { frameOf } from './frame.ts';
import { firstUi, type UiState } from './ui.ts';

const frameWith = (view: View, more: Partial<UiState>): readonly string[] =>
  frameOf({
    view,
    ui: { ...firstUi({ drives: false }), ...more },
    project: 'shop',
    now: busyNow,
    style: plain,
    offsetMin: 0,
    steps: [],
    queue: noQueueFacts,
  });
const barOf = (view: View): string => frameWith(view, { width: 120 })[1] ?? '';

it('counts tasks that are done without their variants', () => {
  const landed = { ...busyView.tasks[0], state: 'landed' };
  const variants = ['a.v1', 'a.v2'].map((id) => ({ ...landed, id, variantOf: 'a' }));
  const view = { ...busyView, tasks: [{ ...landed, id: 'a' }, ...variants] } as unknown as View;
  expect(frameWith(view, { width: 80, page: 'tasks' }).join('\n')).toContain('TASKS 0  1 done (h)');
});

it('counts the tasks of an epic, and not the epic', () => {
  const story = new Story().tasks(task('ep', { type: 'epic' }));
  for (const id of ['a', 'b', 'c', 'd']) story.tasks(task(id, { parent: 'ep' }));
  story.start();
  const bar = (): string => {
    return barOf(viewed([...story.state.tasks.values()], story.record(), busyNow));
  };
  expect(bar()).toMatch(/^ ○ 4 ready .* 0\/4$/);
  for (const id of ['a', 'b', 'c', 'd']) story.landed(id);
  expect(bar()).toMatch(/^ ✓ 4 landed +█+ 4\/4$/);
});

it('does not count canceled tasks in its bar', () => {
  const counts = { landed: 3, canceled: 4 };
  expect(barOf({ ...busyView, counts })).toMatch(/█ 3\/3$/);
});
