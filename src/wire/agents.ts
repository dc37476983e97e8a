import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Agent } from '../agent/agent.ts';
import { commandAgent } from '../agent/command.ts';
import { scriptedAgent } from '../agent/scripted.ts';
import type { Config, Profile } from '../config/config.ts';
import { type Failure, fail, ok, type Result } from '../model/failure.ts';

export type Agents = ReadonlyMap<string, Agent>;

/** Every agent the config names, by the name of its profile. */
export function agentsOf(config: Config, root: string): Agents {
  const agents = new Map<string, Agent>();
  for (const [name, profile] of Object.entries(config.agents)) {
    agents.set(name, agentOf(name, profile, root));
  }
  return agents;
}

function agentOf(name: string, profile: Profile, root: string): Agent {
  if (profile.use === 'scripted') {
    return scriptedAgent({
      name,
      program: scriptedProgram(),
      script: resolve(root, profile.script),
    });
  }
  const { command, done, prompt, env } = profile;
  return commandAgent({ name, command, done, prompt, env, root });
}

/** Beside the bundle; in a source tree it is run from there. */
function scriptedProgram(): string {
  const bundled = fileURLToPath(new URL('./scripted-agent.js', import.meta.url));
  return existsSync(bundled)
    ? bundled
    : fileURLToPath(new URL('../../dist/scripted-agent.js', import.meta.url));
}

/** The named agents can be started, or the first that cannot says why. */
export async function checkAgents(agents: Agents, names: Iterable<string>): Promise<Result<void>> {
  for (const name of new Set(names)) {
    const agent = agents.get(name);
    if (agent === undefined) return fail(unknownAgent(name, agents));
    const info = await agent.check();
    if (!info.ok) return info;
  }
  return ok(undefined);
}

function unknownAgent(agent: string, agents: Agents): Failure {
  return { kind: 'agent-unknown', agent, known: [...agents.keys()] };
}
