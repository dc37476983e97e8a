import { column, lineOf, type Pane, painted } from './line.ts';
import type { Scene } from './scene.ts';

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

export function helpPane({ ui, style }: Scene, width: number, height: number): Pane {
  const first = Math.min(ui.scroll, Math.max(0, keys.length - height));
  const lines = keys
    .slice(first, first + height)
    .map(([key, effect]) =>
      lineOf([painted(` ${column(key, keyRoom)}`, style.bold), ` ${effect}`], width),
    );
  const more = keys.length - first - lines.length;
  return { title: more > 0 ? `KEYS  ${more} more, page ↓` : 'KEYS', lines };
}
