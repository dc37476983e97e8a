import { join } from 'node:path';
import type { Config } from '../config/config.ts';
import { childEnv } from '../git/env.ts';
import { fail, ok, type Result } from '../model/failure.ts';
import type { Budget, RunSettings, Scope } from '../model/run.ts';
import type { Task } from '../model/task.ts';
import type { Gate } from '../model/verdict.ts';
import { limits, poolSize } from '../plan/limits.ts';
import { agentsOf, checkAgents } from './agents.ts';
import { checkGate, findGate } from './gate.ts';
import { checkWritable, type Project } from './project.ts';
import { findTarget } from './target.ts';

/** Everything a run needs, checked; nothing has been changed yet. */
export interface Preflight {
  readonly project: Project;
  readonly config: Config;
  readonly gate: Gate;
  readonly gateFrom: string;
  readonly settings: RunSettings;
  readonly base: string;
}

/** Checks all that can be checked before an agent is paid for. The first thing that is not fit is the answer. */
export async function preflight(
  project: Project,
  config: Config,
  scope: Scope,
  tasks: readonly Task[],
): Promise<Result<Preflight>> {
  const { git } = project;
  const aim = await findTarget(project, config);
  if (!aim.ok) return aim;
  const { branch: target, commit: base } = aim.value;
  const identity = await git.identity();
  if (!identity.ok) return identity;
  const found = findGate(config, project.root);
  if (!found.ok) return found;
  const { gate, from: gateFrom } = found.value;
  const usable = await checkGate(gate, project.root, childEnv(process.env));
  if (!usable.ok) return usable;
  const agent = agentName(config);
  if (!agent.ok) return agent;
  const names = [agent.value, ...tasks.flatMap((task) => task.agent ?? [])];
  const checked = await checkAgents(agentsOf(config, project.root), names);
  if (!checked.ok) return checked;
  for (const dir of [project.dir, join(project.stateDir, project.id)]) {
    const writable = checkWritable(dir);
    if (!writable.ok) return writable;
  }
  const settings = settingsOf(config, { target, agent: agent.value, scope, gate: gate.id });
  return ok({ project, config, gate, gateFrom, settings, base });
}

/** The one profile there is may go without saying. */
function agentName(config: Config): Result<string> {
  if (config.agent !== undefined) return ok(config.agent);
  const names = Object.keys(config.agents);
  const [only] = names;
  if (only !== undefined && names.length === 1) return ok(only);
  return fail({ kind: 'agent-unknown', agent: '', known: names });
}

function settingsOf(
  config: Config,
  chosen: Pick<RunSettings, 'target' | 'agent' | 'scope' | 'gate'>,
): RunSettings {
  const { pool } = config.worktree;
  return {
    ...chosen,
    ...budgetOf(config),
    jobs: config.jobs,
    retries: config.retries,
    quarantineAfter: config.quarantine,
    slotErrors: limits.slotErrorsDefault,
    pool: pool === 'auto' ? poolSize(config.jobs) : Math.max(pool, config.jobs),
  };
}

export function budgetOf({ budget: { attempts, wallMs } }: Config): Budget {
  return {
    ...(attempts === undefined ? {} : { maxAttempts: attempts }),
    ...(wallMs === undefined ? {} : { wallMs }),
  };
}
