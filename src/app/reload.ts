import type { Config } from '../config/config.ts';
import { reloadedConfig } from '../config/reload.ts';
import type { RunContext } from '../engine/context.ts';
import { ok, type Result } from '../model/failure.ts';
import type { Agent } from '../port/agent.ts';
import type { Failures } from './ports.ts';
import type { Preflight } from './preflight.ts';
import { runConfig } from './target.ts';

/** Agents and limits of a run under way. Agents that run keep those with which they started. */
interface Reloadable {
  /** Read each time an agent starts. */
  readonly agents: Map<string, Agent>;
  readonly limits: RunContext['limits'];
}

/** Reads the config again and applies the keys that a run may change. An invalid config changes nothing. */
export async function reload(
  { project, config, settings, sandbox }: Preflight,
  { agents, limits }: Reloadable,
  limitsOf: (config: Config) => RunContext['limits'],
): Promise<Result<void, Failures>> {
  const fresh = await runConfig(project, { target: settings.target });
  if (!fresh.ok) return fresh;
  const reloaded = reloadedConfig(config, fresh.value.config);
  for (const [name, agent] of await project.agents(reloaded, sandbox)) agents.set(name, agent);
  Object.assign(limits, limitsOf(reloaded));
  return ok(undefined);
}
