import { resolve } from 'node:path';
import { acpAgent } from '../agent/acp.ts';
import { chatAgent } from '../agent/chat.ts';
import { cliAgent } from '../agent/cli-agent.ts';
import { commandAgent, scriptedAgent } from '../agent/command.ts';
import type { HarnessOptions } from '../agent/harness.ts';
import { harnesses } from '../agent/harnesses.ts';
import { redactorFor } from '../app/config.ts';
import type { Agents } from '../app/ports.ts';
import { profilesOf } from '../config/agent-pool.ts';
import type { Config } from '../config/config.ts';
import { isPreset, type Preset, presets } from '../config/preset.ts';
import type { Profile } from '../config/profile.ts';
import { childEnv } from '../git/env.ts';
import type { Agent } from '../port/agent.ts';
import type { Sandbox } from '../port/processes.ts';
import { builtProgram } from './built-program.ts';
import { presetIn, presetState } from './preset-state.ts';

interface AgentInputs {
  /** `auto`: agents use their own sandbox, if they have one. */
  readonly ownSandbox: HarnessOptions['sandbox'];
  readonly root: string;
  /** Environment of every child process. */
  readonly base: Readonly<Record<string, string>>;
  readonly redact: (text: string) => string;
  /** Environment of this process, for the keys of chat endpoints. */
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** Every agent that can be started, by the name of its profile; coding agents also by their own names. */
export function agentsOf(
  config: Config,
  root: string,
  env: Readonly<Record<string, string | undefined>> = process.env,
  sandbox: Sandbox = { id: 'off' },
): Agents {
  const redactor = redactorFor(config, env);
  const inputs: AgentInputs = {
    root,
    ownSandbox: sandbox.id === 'on' || config.sandbox === 'none' ? 'none' : 'auto',
    base: childEnv(env),
    redact: (text) => redactor.whole(text),
    env,
  };
  const agents = new Map<string, Agent>();
  for (const [name, profile] of profilesOf(config)) {
    agents.set(name, agentOf(name, profile, inputs));
  }
  return agents;
}

function agentOf(name: string, profile: Profile, inputs: AgentInputs): Agent {
  const { ownSandbox: sandbox, root, base, redact, env: own } = inputs;
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
      const state = presetIn(command, { ...base, ...env });
      const given = { name, command, program, args: [], sandbox, state };
      return acpAgent({ ...given, done, env, root, base, redact });
    }
    case 'http': {
      const { url, model, key_env } = profile;
      const program = builtProgram('chat-client.js');
      const key = key_env === undefined ? {} : { key: { variable: key_env, value: own[key_env] } };
      return chatAgent({ name, url, model, program, redact, ...key });
    }
    default: {
      const { use, args, done, env, binary } = profile;
      if (isPreset(use)) return presetAgent(name, presets[use], profile, inputs);
      const given = { name, args, sandbox, done, env, root, base, redact };
      return cliAgent(harnesses[use], binary === undefined ? given : { ...given, binary });
    }
  }
}

/** The agent of a preset: the generic agent of its interface, with what is known about its program. */
function presetAgent(
  name: string,
  preset: Preset,
  { args, done, env, binary }: Omit<Extract<Profile, { use: 'aider' }>, 'use'>,
  { ownSandbox: sandbox, root, base, redact }: AgentInputs,
): Agent {
  const program = binary ?? preset.binary;
  const command = [program, ...preset.args, ...args];
  const state = presetState(preset, { ...base, ...env });
  const common = { name, command, done, env, root, redact, state };
  if (preset.by === 'acp') {
    const { auth, reviewEnv } = preset;
    const client = builtProgram('acp-client.js');
    return acpAgent({ ...common, program: client, args: [], sandbox, base, auth, reviewEnv });
  }
  const reviewArgs = preset.reviewArgs && [...preset.reviewArgs, ...args];
  const more = { prompt: 'stdin', path: base.PATH, versionEnv: base, reviewArgs } as const;
  return commandAgent({ ...common, ...more });
}
