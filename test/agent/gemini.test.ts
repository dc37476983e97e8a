import { fileURLToPath } from 'node:url';
import { cliAgent } from '../../src/agent/cli-agent.ts';
import { gemini } from '../../src/agent/gemini.ts';
import { agentConformance } from '../conformance/agent.ts';
import { pretender, type Vocabulary } from './pretender.ts';
import { recordedStreams } from './recorded.ts';

recordedStreams(gemini, fileURLToPath(new URL('streams/gemini-0.61.0', import.meta.url)));

const words: Vocabulary = {
  version: '0.61.0',
  begins: [
    { type: 'init', session_id: 'SESSION', model: 'gemini-1' },
    { type: 'message', role: 'user', content: 'Do it.' },
  ],
  says: (text) => [{ type: 'message', role: 'assistant', content: text, delta: true }],
  ends: () => [
    {
      type: 'result',
      status: 'success',
      stats: { total_tokens: 12, input_tokens: 7, output_tokens: 4, cached: 4, input: 3 },
    },
  ],
};

const options = { name: 'gemini', args: [], sandbox: 'auto' } as const;

agentConformance('gemini', {
  agent: (deed, place) =>
    cliAgent(gemini, {
      ...options,
      root: place,
      base: { PATH: pretender(place, 'gemini', deed, words), HOME: place },
    }),
  missing: (place) => cliAgent(gemini, { ...options, root: place, base: { PATH: place } }),
});
