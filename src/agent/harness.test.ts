import { describe, expect, it } from 'vitest';
import { claude } from './claude.ts';
import { cliAgent } from './cli-agent.ts';
import { codex } from './codex.ts';
import { gemini } from './gemini.ts';
import { opencode } from './opencode.ts';

describe('the session of a coding agent for a person', () => {
  it.each([
    [claude, 'auto', 'claude --resume id-1'],
    [codex, 'auto', 'codex resume --no-daemon id-1'],
    [
      codex,
      'none',
      'codex resume --no-daemon -c sandbox_mode="danger-full-access" -c projects={"/w"={trust_level="trusted"}} id-1',
    ],
    [opencode, 'auto', 'opencode --session id-1'],
    [gemini, 'auto', 'gemini --skip-trust --resume id-1'],
  ] as const)(
    'is opened by its own words, with the environment of its profile',
    (harness, sandbox, words) => {
      const given = { name: 'mine', args: ['--own'], sandbox, root: '/r', base: {} } as const;
      const launch = cliAgent(harness, { ...given, env: { HOME: '/h' } }).attach?.('id-1', '/w');
      expect(launch?.argv.join(' ')).toBe(words);
      expect(launch?.env).toEqual({ HOME: '/h' });
    },
  );
});
