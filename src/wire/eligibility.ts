import type { Failure } from '../model/failure.ts';
import type { Prices, RunSettings } from '../model/run.ts';
import type { Task } from '../model/task.ts';
import { AgentPool, memberOf } from '../plan/agent-pool.ts';
import { modelFor, parseModel } from '../plan/model.ts';
import { priceOf } from '../plan/price.ts';
import type { RunRecord } from '../plan/record.ts';
import type { Agents } from './agents.ts';

/** Looks over the agent pool of a run that has not begun: is there somebody for each task, and can they be paid. */

/**
 * Every agent that the run is certain to be able to start: its own, who volunteers, the fallback, whom a task names, and
 * who looks at work or at words of others.
 */
export function agentsNeeded(settings: RunSettings, tasks: readonly Task[]): readonly string[] {
  const { agent, agentPool = [], fallback, review, critique } = settings;
  const volunteers = agentPool.filter((member) => member.volunteers).map(({ name }) => name);
  const idle = idlePool(settings);
  const named = tasks.flatMap((task) => idle.eligibleFor(task));
  const stand = fallback === undefined ? [] : [fallback.agent];
  const { critic, improver } = critique ?? {};
  const looking = [...(review?.reviewers ?? []), critic, improver].flatMap((name) => name ?? []);
  return [...new Set([agent, ...volunteers, ...stand, ...named, ...looking])];
}

/** Stands for the run's own agent where there is none. */
const nobody = '';

/** The first task that no member of the agent pool takes; `hasDefault`: the run has an agent for whatever is left. */
export function taskWithoutAgent(
  settings: RunSettings,
  hasDefault: boolean,
  tasks: readonly Task[],
): Failure | undefined {
  const idle = idlePool(hasDefault ? settings : { ...settings, agent: nobody });
  const lost = tasks.find((task) => {
    const wanted = idle.eligibleFor(task);
    return wanted.length === 0 || wanted.includes(nobody);
  });
  if (lost === undefined) return undefined;
  const labels = lost.labels.length === 0 ? '' : `, labels ${lost.labels.join(', ')}`;
  return {
    kind: 'usage',
    problem: `no agent takes the task ${lost.id} (type ${lost.type}${labels})`,
    remedy:
      'Set `agent` for what nobody takes, name an agent in the task, or let a profile take its type or one of its labels.',
  };
}

export function fallbackProblem({ agent, fallback }: RunSettings): Failure | undefined {
  if (fallback?.agent !== agent) return undefined;
  return {
    kind: 'usage',
    problem: `the fallback is the agent of the run itself, "${agent}"`,
    remedy: 'Name another agent as `fallback.agent`, or take it out.',
  };
}

/** A budget of cost can only be kept where the cost of every turn is known. */
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

/** The models an agent may be asked for; undefined among them where it may choose its own. */
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
    const said = modelFor(task, models, own, isAgent);
    // A model that was chosen for another agent is not asked of this one.
    found.add(said.agent === undefined || said.agent === agent ? said.model : ownModel(own));
  }
  if (fallback?.agent === agent || found.size === 0) found.add(ownModel(own ?? models.default));
  return found;
}

function ownModel(text: string | undefined): string | undefined {
  return text === undefined ? undefined : parseModel(text, () => false).model;
}

/** The agent pool before anything has happened: everybody is free. */
function idlePool(settings: RunSettings): AgentPool {
  const run: RunRecord = {
    id: '',
    settings,
    owner: { pid: 0, startedAt: '', host: '' },
    base: '',
    startedAt: 0,
    starts: 0,
    landed: 0,
    candidatesBuilt: 0,
    candidates: [],
    runningGates: [],
    recentOutcomes: [],
    outcomesByKind: {},
    gateRuns: { branch: 0, candidate: 0, target: 0 },
    clearedCommits: [],
    targetChecksBegun: 0,
    slotErrors: [],
  };
  return new AgentPool(run, [], 0);
}
