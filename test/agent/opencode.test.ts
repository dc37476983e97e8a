import { fileURLToPath } from 'node:url';
import { cliAgent } from '../../src/agent/cli-agent.ts';
import { opencode } from '../../src/agent/opencode.ts';
import { agentConformance } from '../conformance/agent.ts';
import { pretender, type Vocabulary } from './pretender.ts';
import { recordedStreams } from './recorded.ts';

recordedStreams(opencode, fileURLToPath(new URL('streams/opencode-1.18.33', import.meta.url)));

const line = (type: string, part: object) => ({ type, sessionID: 'ses_SESSION', part });

const words: Vocabulary = {
  version: '1.18.33',
  begins: [line('step_start', { type: 'step-start' })],
  says: (text) => [line('text', { type: 'text', text })],
  ends: () => [
    line('step_finish', {
      reason: 'stop',
      tokens: { input: 3, output: 4, reasoning: 1, cache: { read: 4, write: 0 } },
      cost: 0.5,
    }),
  ],
};

const options = { name: 'opencode', args: [], sandbox: 'auto' } as const;

agentConformance('opencode', {
  agent: (deed, place) =>
    cliAgent(opencode, {
      ...options,
      root: place,
      base: { PATH: pretender(place, 'opencode', deed, words), HOME: place },
    }),
  missing: (place) => cliAgent(opencode, { ...options, root: place, base: { PATH: place } }),
});
