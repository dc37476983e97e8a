import { limits } from '../plan/limits.ts';
import type { ProcessEnd, Processes, ProcessSpec } from './processes.ts';

/**
 * Runs a command whose outcome must be its own: where an earlier try of the same name was cut short (interrupted by a
 * stop, or gone with the machine), it runs again under the next name, a bounded number of times.
 */
export async function runAfresh(
  processes: Processes,
  spec: ProcessSpec,
): Promise<{ readonly end: ProcessEnd; readonly name: string }> {
  for (let again = 0; ; again += 1) {
    const name = again === 0 ? spec.name : `${spec.name}-again${again}`;
    const before = processes.hasEnded(spec.dir, name);
    const end = await processes.run({ ...spec, name });
    const cutShort = end.how.id === 'lost' || (end.how.id === 'interrupted' && before);
    if (!cutShort || again >= limits.commandRestarts) return { end, name };
  }
}
