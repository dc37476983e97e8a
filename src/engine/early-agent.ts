import type { TurnResult } from '../model/turn.ts';
import { awaitsPreflight } from '../plan/preflight.ts';
import type { Ports, RunContext } from './context.ts';

/**
 * Result of an agent that must not start yet; undefined if it may. Its start is stored, but the process that stored it
 * died before the agent ran, and the preflight of the resumed run has not passed. The agent counts as lost with that
 * process, and starts again later at no cost.
 */
export async function earlyAgent(
  { store }: Pick<Ports, 'store'>,
  { run }: Pick<RunContext, 'run'>,
  turn: number,
): Promise<TurnResult | undefined> {
  const found = await store.run(run);
  if (!found.ok) return { ok: false, failure: found.failure };
  if (found.value === undefined || !awaitsPreflight(found.value)) return undefined;
  return { ok: false, failure: { kind: 'agent-lost', turn } };
}
