import { fileURLToPath } from 'node:url';
import { cliAgent } from '../../src/agent/cli-agent.ts';
import { codex } from '../../src/agent/codex.ts';
import { agentConformance } from '../conformance/agent.ts';
import { pretender, type Vocabulary } from './pretender.ts';
import { recordedStreams } from './recorded.ts';

recordedStreams(codex, fileURLToPath(new URL('streams/codex-0.166.0', import.meta.url)));

const words: Vocabulary = {
  version: 'codex-cli 0.166.0',
  begins: [{ type: 'thread.started', thread_id: 'SESSION' }, { type: 'turn.started' }],
  says: (text) => [{ type: 'item.completed', item: { id: 'i', type: 'agent_message', text } }],
  ends: () => [
    {
      type: 'turn.completed',
      usage: { input_tokens: 10, cached_input_tokens: 4, output_tokens: 5 },
    },
  ],
};

const options = { name: 'codex', args: [], sandbox: 'auto' } as const;

agentConformance('codex', {
  agent: (deed, place) =>
    cliAgent(codex, {
      ...options,
      root: place,
      base: { PATH: pretender(place, 'codex', deed, words), HOME: place },
    }),
  missing: (place) => cliAgent(codex, { ...options, root: place, base: { PATH: place } }),
});
