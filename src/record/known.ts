import type { Event, EventType } from '../model/event.ts';

/** Every type the fold knows. The compiler asks for a line here when one is added. */
const known: Readonly<Record<EventType, true>> = {
  'task-added': true,
  'task-changed': true,
  'task-decided': true,
  'run-started': true,
  'run-resumed': true,
  'stop-asked': true,
  'run-troubled': true,
  'run-ended': true,
  'attempt-started': true,
  'worktree-ready': true,
  'turn-started': true,
  'turn-ended': true,
  'work-captured': true,
  'branch-judged': true,
  'attempt-given-up': true,
  'attempt-failed': true,
  'candidate-built': true,
  'coupling-refused': true,
  'candidate-judged': true,
  'target-judged': true,
  'candidate-dropped': true,
  'landing-waits': true,
  landed: true,
};

export const eventTypes = Object.keys(known) as readonly EventType[];

/**
 * Whether an event may be folded. A newer version of the program may have stored types that this one does not know:
 * `events` still returns them, so that nothing that happened is hidden, and every fold passes over them.
 */
export function isKnown(event: Event): boolean {
  return Object.hasOwn(known, event.type);
}
