import type { TaskState } from '../../model/task-record.ts';
import type { Paint, Style } from './style.ts';

/** One glyph per state, distinct without color. */
export const stateGlyphs: Readonly<Record<TaskState, string>> = {
  open: '·',
  ready: '○',
  blocked: '■',
  working: '▶',
  held: '◆',
  gating: '◇',
  reviewing: '◈',
  queued: '»',
  landing: '⇒',
  landed: '✓',
  delivered: '⇡',
  failed: '✗',
  quarantined: '‼',
  canceled: '⊘',
  skipped: '↷',
};

/** Order of the counts. Important states come first because a narrow line is cut. */
export const stateOrder: readonly TaskState[] = [
  'landed',
  'delivered',
  'failed',
  'quarantined',
  'blocked',
  'canceled',
  'landing',
  'queued',
  'reviewing',
  'gating',
  'held',
  'working',
  'ready',
  'open',
  'skipped',
];

export function paintOf(state: TaskState, style: Style): Paint {
  switch (state) {
    case 'landed':
    case 'delivered':
      return style.green;
    case 'working':
    case 'gating':
    case 'reviewing':
      return style.cyan;
    case 'queued':
    case 'landing':
      return style.blue;
    case 'ready':
      return style.bold;
    case 'blocked':
    case 'held':
      return style.yellow;
    case 'failed':
    case 'quarantined':
      return style.red;
    case 'canceled':
      return style.magenta;
    case 'open':
    case 'skipped':
      return style.dim;
  }
}

/** True if a task in this state needs a person or another run to proceed. */
export function isTroubled(state: TaskState): boolean {
  return ['blocked', 'failed', 'quarantined', 'canceled'].includes(state);
}

/** True if a task in this state is finished unless a person reopens it. */
export function isDone(state: TaskState): boolean {
  return ['landed', 'delivered', 'skipped', 'canceled'].includes(state);
}
