import type { Outcome } from '../../model/history.ts';
import { finishedStates, type TaskState } from '../../model/task-record.ts';
import type { Paint, Style } from './style.ts';

/** Glyph, distinct without color, and paint of each state. */
const marks = {
  landed: ['✓', 'green'],
  delivered: ['⇡', 'green'],
  failed: ['✗', 'red'],
  quarantined: ['‼', 'red'],
  blocked: ['■', 'yellow'],
  canceled: ['⊘', 'magenta'],
  landing: ['⇒', 'blue'],
  queued: ['»', 'blue'],
  reviewing: ['◈', 'cyan'],
  unreviewed: ['◎', 'cyan'],
  finished: ['◉', 'cyan'],
  comparing: ['≍', 'cyan'],
  gating: ['◇', 'cyan'],
  held: ['◆', 'yellow'],
  working: ['▶', 'cyan'],
  claimed: ['▷', 'cyan'],
  ready: ['○', 'bold'],
  open: ['·', 'dim'],
  skipped: ['↷', 'dim'],
  done: ['✔', 'dim'],
} as const satisfies Readonly<Record<TaskState, readonly [string, keyof Style]>>;

/** Order of the counts. Important states come first because a narrow line is cut. */
export const stateOrder = Object.keys(marks) as readonly TaskState[];

export function glyphOf(state: TaskState): string {
  return marks[state]?.[0] ?? '?';
}

export function paintOf(state: TaskState, style: Style): Paint {
  return style[paintName(state)];
}

export function paintName(state: TaskState): keyof Style {
  return marks[state][1];
}

/** True if an attempt is in progress in this state, or waits to continue. */
export function isMoving(state: string): boolean {
  return movingStates.some((one) => one === state);
}

const movingStates: readonly TaskState[] = [
  'working',
  'comparing',
  'finished',
  'claimed',
  'held',
  'gating',
  'unreviewed',
  'reviewing',
  'queued',
  'landing',
];

/** True if a task in this state needs a person or another run to proceed. */
export function isTroubled(state: TaskState): boolean {
  return ['blocked', 'failed', 'quarantined', 'canceled'].includes(state);
}

/** True if a task in this state is finished unless a person reopens it. */
export function isDone(state: TaskState): boolean {
  return finishedStates.has(state);
}

export const outcomeGlyphs: Readonly<Record<Outcome, string>> = {
  landed: '✓',
  delivered: '⇡',
  planned: '✎',
  tested: '◇',
  superseded: '≍',
  'no-changes': '◐',
  error: '✗',
  returned: '↺',
  interrupted: '⊘',
  incomplete: '⋯',
};
