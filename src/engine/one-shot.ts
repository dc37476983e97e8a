import { given } from '../model/given.ts';
import { limits } from '../model/limits.ts';
import type { TurnResult } from '../model/turn.ts';
import type { Agent, Turn } from '../port/agent.ts';
import type { Processes, ProcessSpec } from '../port/processes.ts';
import { confinedAgent } from './turn.ts';

/** The process of a one-shot call, but for what the agent itself decides. */
type CallProcess = Omit<ProcessSpec, 'argv' | 'listener' | 'endSignal'>;

/**
 * Asks an agent once, without a conversation, or follows the process that is already running under this name. A process
 * that was interrupted by a stop has no result: it is repeated under a new name with a new listener.
 */
export async function askOnce(
  processes: Processes,
  agent: Agent,
  turn: Turn,
  spec: CallProcess,
): Promise<TurnResult> {
  const launch = agent.launch(turn);
  const { argv, env, endSignal } = launch;
  for (let again = 0; ; again += 1) {
    const name = again === 0 ? spec.name : `${spec.name}-run${again + 1}`;
    const before = processes.hasEnded(spec.dir, name);
    const listener = agent.listen(turn);
    const end = await processes.run({
      ...spec,
      name,
      argv,
      env: { ...spec.env, ...env },
      ...(launch.unconfined === true ? {} : { confined: confinedAgent(launch) }),
      ...(listener.ignoresOutput ? {} : { listener }),
      ...given({ endSignal }),
    });
    if (end.how.id === 'interrupted' && before) continue;
    return listener.conclude(end, await processes.tail(spec.dir, name, limits.tailBytes));
  }
}
