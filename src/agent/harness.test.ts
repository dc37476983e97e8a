import { describe, expect, it } from 'vitest';
import { claude } from './claude.ts';
import { cliAgent } from './cli-agent.ts';
import { codex } from './codex.ts';
import { gemini } from './gemini.ts';
import { opencode } from './opencode.ts';

describe('the session of a coding agent for a person', () => {
  it.each([
    [claude, 'claude --resume id-1'],
    [codex, 'codex resume --no-daemon id-1'],
    [opencode, 'opencode --session id-1'],
    [gemini, 'gemini --skip-trust --resume id-1'],
  ])('is opened by its own words, with the environment of its profile', (harness, words) => {
    const given = { name: 'mine', args: ['--own'], sandbox: 'auto', root: '/r', base: {} } as const;
    const launch = cliAgent(harness, { ...given, env: { HOME: '/h' } }).attach?.('id-1');
    expect(launch?.argv.join(' ')).toBe(words);
    expect(launch?.env).toEqual({ HOME: '/h' });
  });
});
