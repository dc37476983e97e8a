import { fileURLToPath } from 'node:url';
import { claude } from '../../src/agent/claude.ts';
import { cliAgent } from '../../src/agent/cli-agent.ts';
import { agentConformance } from '../conformance/agent.ts';
import { pretender, type Vocabulary } from './pretender.ts';
import { recordedStreams } from './recorded.ts';

recordedStreams(claude, fileURLToPath(new URL('streams/claude-2.1.325', import.meta.url)));

const words: Vocabulary = {
  version: '2.1.325 (Claude Code)',
  begins: [{ type: 'system', subtype: 'init', session_id: 'SESSION', model: 'claude-1' }],
  says: (text) => [
    {
      type: 'assistant',
      session_id: 'SESSION',
      message: {
        id: 'msg_1',
        model: 'claude-1',
        content: [{ type: 'text', text }],
        usage: { input_tokens: 3, output_tokens: 1 },
      },
    },
  ],
  ends: (text) => [
    {
      type: 'result',
      subtype: 'success',
      is_error: false,
      session_id: 'SESSION',
      result: text,
      permission_denials: [],
      total_cost_usd: 0.5,
      usage: { input_tokens: 3, cache_read_input_tokens: 4, output_tokens: 5 },
    },
  ],
};

const options = { name: 'claude', args: [], sandbox: 'auto' } as const;

agentConformance('claude', {
  agent: (deed, place) =>
    cliAgent(claude, {
      ...options,
      root: place,
      base: { PATH: pretender(place, 'claude', deed, words), HOME: place },
    }),
  missing: (place) => cliAgent(claude, { ...options, root: place, base: { PATH: place } }),
});
