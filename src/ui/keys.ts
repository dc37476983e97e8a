import { useEffect } from 'preact/hooks';
import type { Page } from './route.ts';

export interface Key {
  /** As `KeyboardEvent.key` has it. */
  readonly key: string;
  readonly text: string;
  readonly run: () => void;
}

/** Keys of the parts that are shown now, newest last. The newest part with a key gets it. */
const layers: (readonly Key[])[] = [];

/** Letter after `g`, and name, of each page. */
export const pageKeys: readonly (readonly [letter: string, page: Page, name: string])[] = [
  ['n', 'now', 'Now'],
  ['i', 'inbox', 'Inbox'],
  ['a', 'tasks', 'Tasks'],
  ['g', 'graph', 'Graph'],
  ['q', 'queue', 'Queue'],
  ['t', 'timeline', 'Timeline'],
  ['s', 'spend', 'Spend'],
  ['r', 'runs', 'Runs'],
  ['p', 'projects', 'Projects'],
];

/** Keys that work while the component is shown. */
export function useKeys(keys: readonly Key[]): void {
  useEffect(() => {
    layers.push(keys);
    return () => {
      layers.splice(layers.indexOf(keys), 1);
    };
  });
}

export function knownKeys(): readonly Key[] {
  return layers.flat();
}

/** Time in which the letter of a page must follow `g`. */
const chordMs = 1_500;

export function listenForKeys(goTo: (page: Page) => void): void {
  let chordSince = Number.NEGATIVE_INFINITY;
  addEventListener('keydown', (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event)) return;
    const isChord = event.timeStamp - chordSince < chordMs;
    chordSince = !isChord && event.key === 'g' ? event.timeStamp : Number.NEGATIVE_INFINITY;
    const page = isChord ? pageKeys.find(([letter]) => letter === event.key)?.[1] : undefined;
    const found = isChord ? undefined : keyFor(event.key);
    if (page !== undefined) goTo(page);
    else if (found !== undefined) found.run();
    else if (event.key === 'j' || event.key === 'k') moveFocus(event.key === 'j' ? 1 : -1);
    else return;
    event.preventDefault();
  });
}

function keyFor(key: string): Key | undefined {
  return layers.flat().findLast((one) => one.key === key);
}

/** Fields that take letters themselves; a slider or a check box does not. */
const typedInto = 'input:not([type=range], [type=checkbox]), textarea, select, [contenteditable]';

function isTyping({ target, key }: KeyboardEvent): boolean {
  if (key === 'Escape' || !(target instanceof HTMLElement)) return false;
  return target.closest(typedInto) !== null;
}

/** Moves the focus to the next or the previous row of the page. */
function moveFocus(by: 1 | -1): void {
  const rows = [...document.querySelectorAll<HTMLElement>('[data-row]')];
  const at = rows.findIndex((row) => row.contains(document.activeElement));
  const next = rows[at === -1 ? (by === 1 ? 0 : rows.length - 1) : at + by];
  next?.focus();
  next?.scrollIntoView({ block: 'nearest' });
}
