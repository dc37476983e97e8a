import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { acpAgent } from '../agent/acp.ts';
import { cliAgent } from '../agent/cli-agent.ts';
import { commandAgent, scriptedAgent } from '../agent/command.ts';
import { harnesses } from '../agent/harnesses.ts';
import { redactorFor } from '../app/config.ts';
import type { Agents } from '../app/ports.ts';
import { profilesOf } from '../config/agent-pool.ts';
import type { Config } from '../config/config.ts';
import type { Profile } from '../config/profile.ts';
import { childEnv } from '../git/env.ts';
import type { Agent } from '../port/agent.ts';

/** Common inputs of all agents. */
interface AgentInputs {
  readonly config: Config;
  readonly root: string;
  /** Environment of every child process. */
  readonly base: Readonly<Record<string, string>>;
  readonly redact: (text: string) => string;
}

/** Every agent that can be started, by the name of its profile; coding agents also by their own names. */
export function agentsOf(
  config: Config,
  root: string,
  env: Readonly<Record<string, string | undefined>> = process.env,
): Agents {
  const redactor = redactorFor(config, env);
  const inputs: AgentInputs = {
    config,
    root,
    base: childEnv(env),
    redact: (text) => redactor.whole(text),
  };
  const agents = new Map<string, Agent>();
  for (const [name, profile] of profilesOf(config)) {
    agents.set(name, agentOf(name, profile, inputs));
  }
  return agents;
}

function agentOf(
  name: string,
  profile: Profile,
  { config, root, base, redact }: AgentInputs,
): Agent {
  switch (profile.use) {
    case 'scripted': {
      const { done, env } = profile;
      const script = resolve(root, profile.script);
      return scriptedAgent({ name, program: builtProgram('scripted-agent.js'), script, done, env });
    }
    case 'command': {
      const { command, done, prompt, env } = profile;
      return commandAgent({ name, command, done, prompt, env, root, path: base.PATH, redact });
    }
    case 'acp': {
      const { command, done, env } = profile;
      const program = builtProgram('acp-client.js');
      const { sandbox } = config;
      const given = { name, command, program, args: [], sandbox };
      return acpAgent({ ...given, done, env, root, base, redact });
    }
    default: {
      const { args, done, env, binary } = profile;
      const { sandbox } = config;
      const given = { name, args, sandbox, done, env, root, base, redact };
      return cliAgent(harnesses[profile.use], binary === undefined ? given : { ...given, binary });
    }
  }
}

/** Path of one of our own child programs: next to the bundle, or in `dist` if run from the source tree. */
function builtProgram(file: string): string {
  const bundled = fileURLToPath(new URL(`./${file}`, import.meta.url));
  return existsSync(bundled)
    ? bundled
    : fileURLToPath(new URL(`../../dist/${file}`, import.meta.url));
}
