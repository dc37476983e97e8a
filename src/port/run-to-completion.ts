import { limits } from '../model/limits.ts';
import type { ProcessEnd, Processes, ProcessSpec } from './processes.ts';

/**
 * Runs a command to a result of its own. If an earlier run of the same name was interrupted or vanished, it runs again
 * under the next name. A vanishing command gets a bounded number of tries.
 */
export async function runToCompletion(
  processes: Processes,
  spec: ProcessSpec,
): Promise<{ readonly end: ProcessEnd; readonly name: string }> {
  let vanished = 0;
  for (let again = 0; ; again += 1) {
    const name = again === 0 ? spec.name : `${spec.name}-again${again}`;
    const before = processes.hasEnded(spec.dir, name);
    const end = await processes.run({ ...spec, name });
    // An earlier try was interrupted; however often that happened, it does not count.
    if (end.how.id === 'interrupted' && before) continue;
    if (end.how.id !== 'lost') return { end, name };
    vanished += 1;
    if (vanished > limits.commandRestarts) return { end, name };
  }
}
