import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { checkAgents } from '../../src/app/agents.ts';
import type { Agents } from '../../src/app/ports.ts';
import { loadConfig } from '../../src/config/config.ts';
import { presets } from '../../src/config/preset.ts';
import { agentNames, harnessNames } from '../../src/config/profile.ts';
import type { Agent, Turn } from '../../src/port/agent.ts';
import { agentsOf } from '../../src/wire/agents.ts';
import { need } from '../rig/need.ts';
import { tempFolder } from '../rig/temp-folder.ts';

let root: string;

beforeEach(() => {
  root = tempFolder();
  mkdirSync(join(root, 'bin'));
  for (const name of ['claude', 'codex', 'agent.sh']) {
    writeFileSync(join(root, 'bin', name), '#!/bin/sh\n');
    chmodSync(join(root, 'bin', name), 0o755);
  }
});

function agents(text: string, env: Readonly<Record<string, string>> = {}): Agents {
  const readFile = (path: string): string | undefined =>
    path.endsWith('yardmaster.yaml') ? text : undefined;
  const config = need(loadConfig({ root, env: {}, flags: {}, readFile }));
  return agentsOf(config, root, { PATH: join(root, 'bin'), ...env });
}

async function ready(all: Agents, name: string): Promise<Agent> {
  const agent = all.get(name) ?? expect.fail(`there is no ${name}`);
  need(await agent.check());
  return agent;
}

const turn = (more: Partial<Turn> = {}): Turn => ({
  subject: 'a',
  run: 'r',
  attempt: 1,
  turn: 1,
  prompt: 'Do it.',
  worktree: '/worktree',
  newSession: '00000000-0000-4000-8000-000000000000',
  ...more,
});

describe('the agents of a config', () => {
  it('are its profiles and every coding agent that needs none', () => {
    const all = agents('agents: { mine: { use: command, command: [agent.sh] } }');
    expect([...all.keys()]).toEqual(['mine', ...agentNames]);
  });

  it('are started as the profile says', async () => {
    const all = agents(
      'agents: { mine: { use: codex, binary: bin/agent.sh, args: [--one-more], env: { HERE: there } } }',
    );
    const { argv, env } = (await ready(all, 'mine')).launch(turn({ model: 'gpt-5' }));
    expect(argv[0]).toBe(join(root, 'bin', 'agent.sh'));
    expect(argv).toEqual(expect.arrayContaining(['exec', '--one-more', 'gpt-5']));
    expect(env).toMatchObject({ HERE: 'there', YARD_TASK: 'a' });
    const plain = (await ready(all, 'codex')).launch(turn());
    expect(plain.argv[0]).toBe(join(root, 'bin', 'codex'));
    expect(plain.argv).not.toContain('--one-more');
  });

  it('are held in as far as the config says', async () => {
    const argv = async (text: string): Promise<string> =>
      (await ready(agents(text), 'claude')).launch(turn()).argv.join(' ');
    expect(await argv('agent: claude')).toContain('acceptEdits');
    expect(await argv('agent: claude\nsandbox: none')).toContain('dangerously');
    expect(await argv('agent: claude')).not.toContain('dangerously');
  });

  it('ask for a word at their end, or not', () => {
    const all = agents(
      'agents: { a: { use: claude }, b: { use: claude, done: exit }, c: { use: command, command: [x], done: signal }, d: { use: scripted, script: x } }',
    );
    const asks = (name: string): boolean => all.get(name)?.signals !== undefined;
    expect(['a', 'b', 'c', 'd'].map(asks)).toEqual([true, false, true, false]);
  });

  it('tell nothing that is secret', async () => {
    const all = agents(
      'agents: { mine: { use: codex, binary: bin/agent.sh, env: { LOGIN: the-very-secret } } }',
      { OTHER_API_KEY: 'another-secret' },
    );
    const listener = (await ready(all, 'mine')).listen(turn());
    listener.line('{"type":"turn.failed","error":{"message":"the-very-secret another-secret"}}');
    const end = {
      how: { id: 'exited', code: 1 },
      startedAt: 0,
      endedAt: 1,
      stragglers: 0,
    } as const;
    const result = JSON.stringify(listener.conclude(end, ''));
    expect(result).toContain('[redacted]');
    expect(result).not.toContain('secret');
  });
});

describe('the agents of presets', () => {
  it('are all named in the config', () => {
    expect([...harnessNames, ...Object.keys(presets)].toSorted()).toEqual(agentNames.toSorted());
  });

  const started = (name: string, more: Partial<Turn> = {}, profile = `use: ${name}`) => {
    const all = agents(`agents: { mine: { ${profile} } }`, { HOME: '/h' });
    return (all.get('mine') ?? expect.fail('there is no agent')).launch(turn(more));
  };

  it('are started by their own program, with more arguments at the end', () => {
    const { argv, state } = started('qwen', {}, 'use: qwen, args: [--debug]');
    expect(argv.slice(argv.indexOf('--'))).toEqual(['--', 'qwen', '--acp', '--debug']);
    expect(state.folders).toEqual([{ use: 'shared', dir: '/h/.qwen' }]);
    expect(started('cursor').argv).toContain('--auth=cursor_login');
    const other = started('cursor', {}, 'use: cursor, binary: agent').argv;
    expect(other.slice(-2)).toEqual(['agent', 'acp']);
  });

  it('get the model where their program takes it', () => {
    expect(started('amp', { model: 'high' }).argv.slice(-2)).toEqual(['--mode', 'high']);
    expect(started('amp').argv).not.toContain('--mode');
    const { argv } = started('aider', { model: 'gpt-5', promptFile: '/p.md' });
    expect(argv.slice(0, 5)).toEqual(['aider', '--message-file', '/p.md', '--model', 'gpt-5']);
  });

  it('are limited as far as possible in a one-shot call', () => {
    const review = { purpose: 'review' } as const;
    expect(started('goose', review).env).toMatchObject({ GOOSE_MODE: 'approve' });
    expect(started('goose').env).not.toHaveProperty('GOOSE_MODE');
    expect(started('aider', review).argv.slice(-2)).toEqual(['--chat-mode', 'ask']);
    expect(started('aider').argv.at(-1)).toBe('--no-auto-commits');
  });

  it('keep their folders where the user moved them, also behind a profile of the protocol', () => {
    const env = { HOME: '/h', XDG_DATA_HOME: '/data' };
    const all = agents('agents: { mine: { use: acp, command: [/opt/goose, acp] } }', env);
    expect(
      all
        .get('mine')
        ?.launch(turn())
        .state.folders.map(({ dir }) => dir),
    ).toEqual(['/h/.config/goose', '/data/goose', '/h/.local/state/goose']);
  });
});

describe('checkAgents', () => {
  it('is content with those that are there, and names the first that is not', async () => {
    const all = agents('agent: claude');
    expect(await checkAgents(all, ['claude', 'codex', 'claude'])).toEqual({
      ok: true,
      value: undefined,
    });
    expect(await checkAgents(all, ['claude', 'gemini'])).toMatchObject({
      failure: { kind: 'agent-missing', agent: 'gemini', binary: 'gemini' },
    });
    expect(await checkAgents(all, ['nobody'])).toMatchObject({
      failure: { kind: 'agent-unknown', agent: 'nobody', known: [...all.keys()] },
    });
  });
});
