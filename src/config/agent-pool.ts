import type { PoolMember, RunSettings } from '../model/run.ts';
import type { Config } from './config.ts';
import {
  agentNames,
  canWork,
  isKnownAgent,
  type Profile,
  plainProfile,
  withoutReasoning,
} from './profile.ts';

type PoolConfig = Pick<Config, 'agent' | 'agents'> & Advised;
type Advised = Partial<
  Pick<Config, 'review' | 'critique' | 'tests' | 'plan' | 'planner' | 'attempts'>
>;

/** Every agent that may be started, by name: the profiles in their order, then the coding agents without one. */
export function profilesOf({ agents }: Pick<Config, 'agents'>): ReadonlyMap<string, Profile> {
  const profiles = new Map(Object.entries(agents));
  for (const name of agentNames) {
    if (!profiles.has(name)) profiles.set(name, plainProfile(name));
  }
  return profiles;
}

/**
 * Agents that review work, write tests first, propose and critique plans, critique tasks, choose the next tasks, or choose between finished
 * attempts. They take tasks only if their profile says which.
 */
export function advisers({ review, critique, tests, plan, planner, attempts }: Advised): string[] {
  const { critic, improver } = critique ?? {};
  const { chooser } = attempts ?? {};
  const critics = [
    critic,
    improver,
    tests?.agent,
    plan?.agent,
    plan?.critic,
    planner?.agent,
    chooser,
  ];
  const named = [...(review?.reviewers ?? []), ...critics];
  return [...new Set(named.filter((name) => name !== undefined))];
}

/**
 * The default agent: `agent` of the config, or the only profile, or the first volunteer that takes tasks of any kind.
 * Undefined if there is none. Agents in `advisers` count only if there is no other profile.
 */
export function defaultAgent(config: PoolConfig): string | undefined {
  const { agent, agents } = config;
  if (agent !== undefined) return agent;
  const advising = advisers(config);
  const all = Object.entries(agents).filter(([, profile]) => canWork(profile));
  const workers = all.filter(([name]) => !advising.includes(name));
  const described = workers.length > 0 ? workers : all;
  const [only] = described;
  if (only !== undefined && described.length === 1) return only[0];
  return described.find(([, profile]) => volunteers(profile) && !takesOnlySome(profile))?.[0];
}

/** The agent pool of a run: what decisions need to know of each agent. */
export function agentPoolOf(config: PoolConfig): readonly PoolMember[] {
  const own = defaultAgent(config);
  const advising = advisers(config);
  const takes = (name: string, profile: Profile): boolean =>
    advising.includes(name) ? takesOnlySome(profile) : volunteers(profile);
  return [...profilesOf(config)].map(([name, profile]) => {
    const { model } = profile;
    const { count, types, labels, role, wait: waitMs } = canWork(profile) ? profile : noWork;
    return {
      name,
      account: profile.account ?? (isKnownAgent(profile.use) ? profile.use : name),
      volunteers: name === own || takes(name, profile),
      count,
      types,
      labels,
      role,
      waitMs,
      model,
      ...(withoutReasoning.has(profile.use) ? { ignoresReasoning: true } : {}),
    };
  });
}

/** Replaces the work keys of a profile that has none. */
const noWork: Partial<
  Pick<Extract<Profile, { use: 'acp' }>, 'count' | 'types' | 'labels' | 'role' | 'wait'>
> = {};

/** True if tasks that name no agent may go to this one: its profile says how many may run or what it takes. */
function volunteers(profile: Profile): boolean {
  if (!canWork(profile)) return false;
  return profile.count !== undefined || takesOnlySome(profile);
}

function takesOnlySome(profile: Profile): boolean {
  const { types, labels, role } = canWork(profile) ? profile : noWork;
  return types !== undefined || labels !== undefined || role !== undefined;
}

/** The planner of a run that has one: enabled, with an agent and a budget, for two or more slots. */
export function plannerOf({
  planner,
  jobs,
}: Pick<Config, 'planner' | 'jobs'>): RunSettings['planner'] {
  const { enabled, agent, budgetTokens } = planner;
  if (!enabled || agent === undefined || budgetTokens === 0 || jobs < 2) return undefined;
  return { agent, budgetTokens };
}

export function revisionOf(config: PoolConfig & Pick<Config, 'plan'>): RunSettings['revision'] {
  const { agent = defaultAgent(config), revise } = config.plan;
  return revise === 'off' || agent === undefined ? undefined : { agent, apply: revise === 'apply' };
}
