import { limits } from '../plan/limits.ts';
import type { ProcessEnd, Processes, ProcessSpec } from './processes.ts';

/**
 * Runs a command whose outcome must be its own: where an earlier try of the same name was cut short (interrupted by a
 * stop, or gone with the machine), it runs again under the next name. One that vanishes is given a bounded number of tries.
 */
export async function runAfresh(
  processes: Processes,
  spec: ProcessSpec,
): Promise<{ readonly end: ProcessEnd; readonly name: string }> {
  let vanished = 0;
  for (let again = 0; ; again += 1) {
    const name = again === 0 ? spec.name : `${spec.name}-again${again}`;
    const before = processes.hasEnded(spec.dir, name);
    const end = await processes.run({ ...spec, name });
    // Somebody stopped an earlier try: that says nothing about this one, however often it happened.
    if (end.how.id === 'interrupted' && before) continue;
    if (end.how.id !== 'lost') return { end, name };
    vanished += 1;
    if (vanished > limits.commandRestarts) return { end, name };
  }
}
