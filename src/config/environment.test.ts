import { describe, expect, it } from 'vitest';
import { need } from '../../test/rig/need.ts';
import { limits } from '../model/limits.ts';
import { type Config, loadConfig } from './config.ts';
import { settableKeys } from './keys.ts';
import { variableOf } from './layers.ts';

type World = { readonly env: Readonly<Record<string, string>> };

const load = ({ env }: World) =>
  loadConfig({ root: '/repo', env, flags: {}, readFile: () => undefined });

function config(world: World): Config {
  const loaded = need(load(world));
  return loaded;
}

function messages(world: World): string[] {
  const loaded = load(world);
  return loaded.ok
    ? []
    : loaded.failure.map((failure) =>
        failure.kind === 'config-invalid'
          ? `${failure.file}: ${failure.problem} → ${failure.remedy}`
          : failure.kind,
      );
}

describe('environment variables', () => {
  it('set keys of every type', () => {
    const loaded = config({
      env: {
        YARDMASTER_TARGET: '2024',
        YARDMASTER_JOBS: '2',
        YARDMASTER_AGENT: 'mine',
        YARDMASTER_AGENTS: '{"mine": {"use": "command", "command": ["x", "y z"]}}',
        YARDMASTER_GATE__COMMANDS: '["a, b", "c"]',
        YARDMASTER_GATE__TIMEOUT: '1m',
        YARDMASTER_WORKTREE__POOL: '9',
        YARDMASTER_LIMITS__AGENT_WALL: '3m',
        YARDMASTER_LIMITS__OUTPUT: '8MB',
      },
    });
    expect(loaded).toMatchObject({
      target: '2024',
      jobs: 2,
      agent: 'mine',
      agents: { mine: { command: ['x', 'y z'] } },
      gate: { commands: ['a, b', 'c'], timeoutMs: 60_000 },
      worktree: { pool: 9 },
      limits: { agentWallMs: 180_000, outputBytes: 8 * 1024 * 1024 },
    });
    expect(loaded.origins.get('jobs')).toEqual({
      value: 2,
      origin: 'environment',
      file: 'YARDMASTER_JOBS',
    });
  });

  it('say gate: none as well', () => {
    expect(config({ env: { YARDMASTER_GATE: 'none' } }).gate).toMatchObject({ kind: 'none' });
  });

  it('do not count while they are empty', () => {
    expect(config({ env: { YARDMASTER_JOBS: '' } }).jobs).toBe(limits.jobsDefault);
  });

  it('are refused where a name is almost a key, and left alone where it is nothing like one', () => {
    expect(messages({ env: { YARDMASTER_JBOS: '4' } })).toEqual([
      'YARDMASTER_JBOS: there is no key of this name → Did you mean YARDMASTER_JOBS? Else unset the variable.',
    ]);
    expect(messages({ env: { YARDMASTER_SOMETHING_ELSE: 'x', YARDMASTERS: 'y' } })).toEqual([]);
  });

  it('of hooks do not disturb a `ym` that the command of a hook calls', () => {
    const env = { YARDMASTER_HOOK: 'team', YARDMASTER_POINT: 'run-ended' };
    expect(messages({ env })).toEqual([]);
  });

  it('are refused where a list or a map is not JSON', () => {
    expect(messages({ env: { YARDMASTER_AGENTS: 'x', YARDMASTER_GATE__COMMANDS: '[x' } })).toEqual([
      expect.stringContaining('YARDMASTER_AGENTS: "agents" is not valid JSON'),
      expect.stringContaining('YARDMASTER_GATE__COMMANDS: "gate.commands" is not valid JSON'),
    ]);
  });

  it('exist for every key, each with a name of its own', () => {
    expect(new Set(settableKeys.map(({ key }) => variableOf(key))).size).toBe(settableKeys.length);
  });
});
