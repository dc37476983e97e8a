// The suite of every agent, on the generic adapter with a scripted agent behind it.
import { join } from 'node:path';
import { beforeAll } from 'vitest';
import { agentConformance, type Deed } from '../conformance/agent.ts';
import type { Script, Step } from './player.ts';
import { type Programs, playing, programs } from './rig.ts';

let built: Programs;
beforeAll(async () => {
  built = await programs();
});

const complete: Step[] = [
  { say: 'All done.\n\nCOMPLETE_AND_READY_FOR_MERGE' },
  {
    result: { stopReason: 'end_turn', usage: { inputTokens: 5, outputTokens: 7, totalTokens: 12 } },
  },
];

const scripts: Readonly<Record<Deed, Script>> = {
  edits: { steps: [{ write: 'work.txt', text: 'done\n' }, ...complete] },
  fails: { steps: [{ complain: 'no luck' }, { exit: 3 }] },
  crashes: { steps: [{ kill: 'SIGKILL' }, { hang: true }] },
  hangs: { steps: [{ fork: 'away' }, { hang: true }] },
  'hangs-midway': { steps: [{ say: 'I begin.' }, { fork: 'away' }, { hang: true }] },
  lingers: { stays: true, steps: complete },
  prints: { steps: [{ say: 'all good' }, { result: { stopReason: 'end_turn' } }] },
  told: { steps: [{ tell: true }, ...complete] },
};

agentConformance('an ACP agent', {
  agent: (deed, place) => playing(built, place, scripts[deed]),
  missing: (place) =>
    playing({ ...built, client: join(place, 'no-client.js') }, place, { steps: [] }),
  // Two processes of node have to start first.
  patienceMs: 4_000,
});
