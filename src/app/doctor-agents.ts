import { advisers, agentPoolOf, defaultAgent } from '../config/agent-pool.ts';
import type { Config } from '../config/config.ts';
import type { Failure } from '../model/failure.ts';
import { parseModel } from '../plan/model.ts';
import type { Agent, AgentHealth } from '../port/agent.ts';
import { agentsOnPath } from './agents.ts';
import type { Finding } from './doctor.ts';
import type { Project } from './ports.ts';

/** One finding per agent: its path, its version, and whether it is signed in. Checks all in parallel. */
export async function examineAgents(
  project: Pick<Project, 'agents' | 'which'>,
  config: Config,
): Promise<readonly Finding[]> {
  const used = agentsUsed(config);
  const agents = [...(await project.agents(config)).values()];
  const examined = await Promise.all(
    agents.map((agent) => {
      const isUsed = used.has(agent.name);
      return examineAgent(agent, isUsed, isUsed || agent.name in config.agents);
    }),
  );
  const findings = examined.flatMap((finding) => (typeof finding === 'string' ? [] : [finding]));
  const absent = examined.filter((finding) => typeof finding === 'string');
  if (absent.length > 0) {
    findings.push({ name: 'agent', text: `not installed: ${absent.join(', ')}`, harmless: true });
  }
  findings.push(...ignoredReasoning(config, used));
  return used.size > 0 ? findings : [noAgentNamed(config, project), ...findings];
}

/** Agents that a run may start without a task naming them. */
function agentsUsed(config: Config): ReadonlySet<string> {
  const agentPool = agentPoolOf(config);
  const volunteers = agentPool.filter((member) => member.volunteers).map(({ name }) => name);
  const { default: standard, byPriority = {}, byType = {} } = config.models;
  const rules = [standard, ...Object.values(byPriority), ...Object.values(byType)];
  const isAgent = (name: string): boolean => agentPool.some((member) => member.name === name);
  const named = rules.flatMap((rule) => parseModel(rule ?? '', isAgent).agent ?? []);
  const own = defaultAgent(config);
  const fallback = config.fallback?.agent;
  return new Set([own ?? [], volunteers, fallback ?? [], named, advisers(config)].flat());
}

/** Notes on used agents without a setting for the configured reasoning effort. */
function ignoredReasoning(config: Config, used: ReadonlySet<string>): readonly Finding[] {
  const agentPool = agentPoolOf(config);
  const isAgent = (name: string): boolean => agentPool.some((member) => member.name === name);
  const { default: standard, byPriority = {}, byType = {} } = config.models;
  return agentPool.flatMap(({ name, ignoresReasoning, model: own }) => {
    if (ignoresReasoning !== true || !used.has(name)) return [];
    const rules = [own ?? standard, ...Object.values(byPriority), ...Object.values(byType)];
    const asked = rules
      .map((rule) => parseModel(rule ?? '', isAgent))
      .find(({ agent = name, reasoning }) => agent === name && reasoning !== undefined);
    if (asked?.reasoning === undefined) return [];
    const text = `${name} has no setting for the reasoning effort; "${asked.reasoning}" is not passed to it`;
    return [{ name: 'agent', text, harmless: true }];
  });
}

function noAgentNamed(config: Config, project: Pick<Project, 'which'>): Finding {
  const described = Object.keys(config.agents);
  const known = described.length > 0 ? described : agentsOnPath(project);
  return { name: 'agent', text: '', trouble: { kind: 'agent-unknown', agent: '', known } };
}

/** The finding of one agent. Only the name if it is neither installed nor `named` in the config. */
async function examineAgent(
  agent: Agent,
  used: boolean,
  named: boolean,
): Promise<Finding | string> {
  const info = await agent.check();
  if (!info.ok) {
    if (!named) return agent.name;
    const missing = { name: 'agent', text: '', trouble: info.failure };
    return used ? missing : { ...missing, harmless: true };
  }
  const health = await agent.probe();
  const { name, binary } = info.value;
  const text = textOf(name, binary, health);
  const found = { name: 'agent', text, agent: { name, binary, ...health } };
  const trouble = named ? troubleOf(name, health) : undefined;
  if (trouble === undefined) return found;
  const harmless = !used || trouble.kind === 'agent-version';
  const { remedy } = trouble.kind === 'provider-auth' ? health : {};
  return {
    ...found,
    trouble,
    ...(remedy === undefined ? {} : { remedy }),
    ...(harmless ? { harmless } : {}),
  };
}

function textOf(name: string, binary: string, health: AgentHealth): string {
  const { version, supported, signedIn, signIn } = health;
  const range = supported === undefined ? '' : ` (supported: ${supported})`;
  const looked = signedIn === 'yes' ? '' : 'looked for ';
  const place = signIn === undefined ? '' : ` (${looked}${signIn})`;
  const parts = [
    `${name}: ${binary}`,
    ...(version === undefined && range === '' ? [] : [`version ${version ?? 'unknown'}${range}`]),
    ...(signIn === undefined && signedIn !== 'no' ? [] : [`${signedWords[signedIn]}${place}`]),
  ];
  return parts.join(', ');
}

const signedWords = {
  yes: 'signed in',
  no: 'not signed in',
  unknown: 'sign-in unknown',
} as const;

function troubleOf(agent: string, health: AgentHealth): Failure | undefined {
  const { version, supported = '', fits, signedIn, signIn } = health;
  if (signedIn === 'no') {
    const looked = signIn === undefined ? '' : `, looked for ${signIn}`;
    return { kind: 'provider-auth', agent, message: `not signed in${looked}` };
  }
  if (version === undefined || fits !== false) return undefined;
  return { kind: 'agent-version', agent, found: version, supported };
}
