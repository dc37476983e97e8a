import { type HarnessName, harnessNames } from '../config/profile.ts';
import { type Failure, fail, ok, type Result } from '../model/failure.ts';
import type { Prices, RunSettings } from '../model/run.ts';
import type { Task } from '../model/task.ts';
import { AgentPool, memberOf } from '../plan/agent-pool.ts';
import { newRun } from '../plan/fold-run.ts';
import { modelFor, parseModel } from '../plan/model.ts';
import { priceOf } from '../plan/spend.ts';
import type { Agents, Project } from './ports.ts';

/** Installed coding agents, in order of preference. */
export function harnessesOnPath({ which }: Pick<Project, 'which'>): readonly HarnessName[] {
  return harnessNames.filter((name) => which(name).ok);
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

/**
 * Every agent that the run may start: its own agent, volunteers, the fallback, agents named by tasks, reviewers,
 * critics, the planner, the agent that revises the plan, and the chooser.
 */
export function agentsNeeded(settings: RunSettings, tasks: readonly Task[]): readonly string[] {
  const { review, critique, planner, revision, attempts } = settings;
  const { critic, improver } = critique ?? {};
  const advising = [
    ...(review?.reviewers ?? []),
    critic,
    improver,
    planner?.agent,
    revision?.agent,
    attempts?.chooser,
  ];
  const asked = advising.flatMap((name) => name ?? []);
  return [...new Set([...agentsAtWork(settings, tasks), ...asked])];
}

/** The agents among them that take turns. */
function agentsAtWork(settings: RunSettings, tasks: readonly Task[]): readonly string[] {
  const { agent, agentPool = [], fallback } = settings;
  const volunteers = agentPool.filter((member) => member.volunteers).map(({ name }) => name);
  const idle = idlePool(settings);
  const named = tasks.flatMap((task) => idle.eligibleFor(task));
  const stand = fallback === undefined ? [] : [fallback.agent];
  return [agent, ...volunteers, ...stand, ...named];
}

/** Refuses an agent that cannot take turns but would have to. */
export function oneShotProblem(
  settings: RunSettings,
  agents: Agents,
  tasks: readonly Task[],
): Failure | undefined {
  const name = agentsAtWork(settings, tasks).find((one) => agents.get(one)?.oneShotOnly === true);
  if (name === undefined) return undefined;
  return {
    kind: 'usage',
    problem: `the agent "${name}" uses http: it answers single questions and cannot work on tasks`,
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
  for (const agent of agentsNeeded(settings, tasks)) {
    if (agents.get(agent)?.capabilities.cost !== false) continue;
    for (const model of modelsOf(agent, settings, tasks)) {
      if (priceOf(model, prices) !== undefined) continue;
      return { kind: 'price-unknown', agent, ...(model === undefined ? {} : { model }) };
    }
  }
  return undefined;
}

/** Models that an agent may be started with; undefined means the agent's own default. */
function modelsOf(
  agent: string,
  settings: RunSettings,
  tasks: readonly Task[],
): ReadonlySet<string | undefined> {
  const { models = {}, fallback } = settings;
  const own = memberOf(settings, agent)?.model;
  const isAgent = (name: string): boolean => memberOf(settings, name) !== undefined;
  const idle = idlePool(settings);
  const found = new Set<string | undefined>();
  for (const task of tasks) {
    if (!idle.eligibleFor(task).includes(agent)) continue;
    const chosen = modelFor(task, models, own, isAgent);
    // A model chosen for another agent does not apply to this one.
    found.add(chosen.agent === undefined || chosen.agent === agent ? chosen.model : ownModel(own));
  }
  if (fallback?.agent === agent || found.size === 0) found.add(ownModel(own ?? models.default));
  return found;
}

function ownModel(text: string | undefined): string | undefined {
  return text === undefined ? undefined : parseModel(text, () => false).model;
}

/** The agent pool with all agents free. */
function idlePool(settings: RunSettings): AgentPool {
  const owner = { pid: 0, startedAt: '', host: '' };
  const run = newRun({ run: '', settings, owner, base: '' }, 0);
  return new AgentPool(run, [], 0);
}
