import { describe, expect, it } from 'vitest';
import { need } from '../../test/rig/need.ts';
import { type Config, loadConfig } from './config.ts';
import { reloadedConfig } from './reload.ts';

function config(project: string): Config {
  const readFile = (path: string): string | undefined =>
    path === '/repo/yardmaster.yaml' ? project : undefined;
  const loaded = need(loadConfig({ root: '/repo', env: {}, flags: {}, readFile }));
  return loaded;
}

const started = config(`
jobs: 2
retries: 1
limits: { agent_wall: 10m }
agents:
  mine: { use: claude, binary: ./old, model: sonnet, args: [--fast], env: { A: old } }
  plain: { use: codex }
  shell: { use: command, command: [./old.sh], env: { A: old } }
  wire: { use: acp, command: [./old-acp] }
  play: { use: scripted, script: old.json }
  chat: { use: http, url: "https://old.invalid/v1", model: small }
`);

const changed = config(`
jobs: 9
retries: 7
limits: { agent_wall: 20m, output: 1MB }
agents:
  mine: { use: claude, binary: ./new, model: opus, args: [--slow], env: { A: new } }
  plain: { use: codex, binary: ./codex }
  shell: { use: command, command: [./new.sh, -v], env: { A: new } }
  wire: { use: acp, command: [./new-acp] }
  play: { use: scripted, script: new.json }
  chat: { use: http, url: "https://new.invalid/v1", model: large }
  further: { use: claude }
`);

describe('a reloaded config', () => {
  const reloaded = reloadedConfig(started, changed);

  it('has the new limits', () => {
    expect(reloaded.limits).toEqual(changed.limits);
    expect(reloaded.limits.agentWallMs).toBe(20 * 60_000);
  });

  it('has the new programs of agents, and nothing else of them', () => {
    expect(reloaded.agents.mine).toMatchObject({
      binary: './new',
      model: 'sonnet',
      args: ['--fast'],
      env: { A: 'old' },
    });
    expect(reloaded.agents.plain).toMatchObject({ binary: './codex' });
    expect(reloaded.agents.shell).toMatchObject({ command: ['./new.sh', '-v'], env: { A: 'old' } });
    expect(reloaded.agents.wire).toMatchObject({ command: ['./new-acp'] });
    expect(reloaded.agents.play).toMatchObject({ script: 'new.json' });
    expect(reloaded.agents.chat).toEqual(started.agents.chat);
  });

  it('has new agents, which no task of the run uses unless it names them', () => {
    expect(reloaded.agents.further).toEqual(changed.agents.further);
  });

  it('keeps agents that were removed or became another kind', () => {
    const other = config('agents: { mine: { use: codex, binary: ./codex } }\n');
    const kept = reloadedConfig(started, other);
    expect(kept.agents.mine).toEqual(started.agents.mine);
    expect(kept.agents.shell).toEqual(started.agents.shell);
  });

  it('goes back to the program on the PATH', () => {
    const plain = reloadedConfig(started, config('agents: { mine: { use: claude } }\n'));
    expect(plain.agents.mine).not.toHaveProperty('binary');
  });

  it('keeps everything else', () => {
    const { limits: _limits, agents: _agents, ...rest } = reloaded;
    const { limits: _oldLimits, agents: _oldAgents, ...before } = started;
    expect(rest).toEqual(before);
  });

  it('is the same if nothing changed', () => {
    expect(reloadedConfig(started, started)).toEqual(started);
  });
});
