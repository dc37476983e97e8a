import { type Of, object, optional, text, words } from './shape.ts';

const through = words('cli', 'watch', 'ui', 'library', 'mcp', 'daemon');

/**
 * A person who caused an event, and the program they used: the command line, `ym watch`, `ym ui`, the daemon, or a
 * program that imports this one. Through `ym mcp` it is the client, such as a coding agent that the person uses.
 */
export const Actor = object({ name: text, through });
export type Actor = Of<typeof Actor>;

/** Actor of a process that another program of ours started; without a name, the user of git. */
export const StartedBy = object({ name: optional(text), through });
export type StartedBy = Of<typeof StartedBy>;

/** Fields that tell who caused an event. */
interface Cause {
  readonly type: string;
  readonly decision?: object;
}

/** Events that only a person causes, whichever process stores them. */
const ofPersons: ReadonlySet<string> = new Set([
  'run-started',
  'run-resumed',
  'stop-asked',
  'slots-changed',
  'run-reloaded',
  'message-sent',
]);

/** Events that a person causes unless a run stores them. */
const ofPersonsOrRuns: ReadonlySet<string> = new Set([
  'task-added',
  'task-changed',
  'task-decided',
  'note-added',
  'note-removed',
]);

/** True if a person caused the event. `writer` is the run that stores it, if one does. */
export function isByPerson({ type, decision }: Cause, writer: string | undefined): boolean {
  if (ofPersons.has(type)) return true;
  if (writer !== undefined || !ofPersonsOrRuns.has(type)) return false;
  // A new run retries tasks that an earlier one gave up.
  return decision === undefined || !('by' in decision) || decision.by !== 'run';
}
