import type { TaskState } from '../../plan/record.ts';
import type { Paint, Style } from './style.ts';

/** One sign for each state; they differ without colours as well. */
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
  cancelled: '⊘',
  skipped: '↷',
};

/** The order in which states are counted. What a person must not miss comes early, for a short line is cut. */
export const stateOrder: readonly TaskState[] = [
  'landed',
  'delivered',
  'failed',
  'quarantined',
  'blocked',
  'cancelled',
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
    case 'cancelled':
      return style.magenta;
    case 'open':
    case 'skipped':
      return style.dim;
  }
}

/** Whether a task in this state goes on only after a person, or another run, did something. */
export function isTroubled(state: TaskState): boolean {
  return ['blocked', 'failed', 'quarantined', 'cancelled'].includes(state);
}

/** Whether nothing more happens to a task in this state unless a person wants it. */
export function isDone(state: TaskState): boolean {
  return ['landed', 'delivered', 'skipped', 'cancelled'].includes(state);
}
