import { type AgentName, agentNames, programOf } from '../config/profile.ts';
import { type Failure, fail, ok, type Result } from '../model/failure.ts';
import type { Prices, RunSettings } from '../model/run.ts';
import type { Task } from '../model/task.ts';
import { AgentPool, modelsNeeded, workersNeeded } from '../plan/agent-pool.ts';
import { newRun } from '../plan/fold-run.ts';
import { priceOf } from '../plan/spend.ts';
import type { Agents, Project } from './ports.ts';

/** Installed coding agents, in order of preference. */
export function agentsOnPath({ which }: Pick<Project, 'which'>): readonly AgentName[] {
  return agentNames.filter((name) => which(programOf(name)).ok);
}

/** Checks that the named agents can be started; fails with the first that cannot. */
export async function checkAgents(agents: Agents, names: Iterable<string>): Promise<Result<void>> {
  for (const name of new Set(names)) {
    const agent = agents.get(name);
    if (agent === undefined) {
      return fail({ kind: 'agent-unknown', agent: name, known: [...agents.keys()] });
    }
    const info = await agent.check();
    if (!info.ok) return info;
  }
  return ok(undefined);
}

/** Every agent that the run may start, for turns or for one-shot calls. */
export function agentsNeeded(settings: RunSettings, tasks: readonly Task[]): readonly string[] {
  return [...new Set(modelsNeeded(settings, tasks).map(({ agent }) => agent))];
}

/** Refuses an agent that cannot take turns but would have to. */
export function oneShotProblem(
  settings: RunSettings,
  agents: Agents,
  tasks: readonly Task[],
): Failure | undefined {
  const found = workersNeeded(settings, tasks).find(
    ({ agent }) => agents.get(agent)?.oneShotOnly === true,
  );
  if (found === undefined) return undefined;
  return {
    kind: 'usage',
    problem: `the agent "${found.agent}" uses http: it answers single questions and cannot work on tasks`,
    remedy:
      'Choose a coding agent for tasks, and use this one as `plan.critic`, `critique.agent` or `review.agent`.',
  };
}

/** Stands for the run's own agent if there is none. */
const noAgent = '';

/** The first task that no agent takes. `hasDefault`: the run has an agent for all remaining tasks. */
export function taskWithoutAgent(
  settings: RunSettings,
  hasDefault: boolean,
  tasks: readonly Task[],
): Failure | undefined {
  const idle = idlePool(hasDefault ? settings : { ...settings, agent: noAgent });
  const lost = tasks.find((task) => {
    const wanted = idle.eligibleFor(task);
    return wanted.length === 0 || wanted.includes(noAgent);
  });
  if (lost === undefined) return undefined;
  const labels = lost.labels.length === 0 ? '' : `, labels ${lost.labels.join(', ')}`;
  return {
    kind: 'usage',
    problem: `no agent takes the task ${lost.id} (type ${lost.type}${labels})`,
    remedy:
      'Set a default `agent`, name an agent in the task, or let a profile take its type or one of its labels.',
  };
}

export function fallbackProblem({ agent, fallback }: RunSettings): Failure | undefined {
  if (fallback?.agent !== agent) return undefined;
  return {
    kind: 'usage',
    problem: `the fallback agent "${agent}" is the agent of the run itself`,
    remedy: 'Set `fallback.agent` to another agent, or remove it.',
  };
}

/** A cost budget needs a known price for every model that reports no cost. */
export function priceProblem(
  settings: RunSettings,
  prices: Prices,
  agents: Agents,
  tasks: readonly Task[],
): Failure | undefined {
  if (settings.costUsd === undefined) return undefined;
  const unpriced = modelsNeeded(settings, tasks).find(
    ({ agent, model }) =>
      agents.get(agent)?.capabilities.cost === false && priceOf(model, prices) === undefined,
  );
  return unpriced && { kind: 'price-unknown', ...unpriced };
}

function idlePool(settings: RunSettings): AgentPool {
  const owner = { pid: 0, startedAt: '', host: '' };
  const run = newRun({ run: '', settings, owner, base: '' }, 0);
  return new AgentPool(run, [], 0);
}
