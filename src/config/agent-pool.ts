import type { PoolMember } from '../model/run.ts';
import type { Config } from './config.ts';

import { type HarnessName, harnessNames, type Profile, plainProfile } from './profile.ts';

type PoolConfig = Pick<Config, 'agent' | 'agents' | 'review' | 'critique'>;

/**
 * Every agent that may be started, by name: those of the config in its order, then the coding agents that are known by
 * their names alone.
 */
export function profilesOf({ agents }: Pick<Config, 'agents'>): ReadonlyMap<string, Profile> {
  const profiles = new Map(Object.entries(agents));
  for (const name of harnessNames) {
    if (!profiles.has(name)) profiles.set(name, plainProfile(name));
  }
  return profiles;
}

/** Those that look at work or at words of others. Each takes tasks of its own only where it says which. */
export function lookersOn({ review, critique }: Pick<Config, 'review' | 'critique'>): string[] {
  const { critic, improver } = critique ?? {};
  const named = [...(review?.reviewers ?? []), critic, improver];
  return [...new Set(named.filter((name) => name !== undefined))];
}

/**
 * The agent for tasks that name none: the one the config says, the only one there is, or the first that takes tasks of
 * every kind. Where all are choosy there is none. Those that look at the work of others come last.
 */
export function defaultAgent(config: PoolConfig): string | undefined {
  const { agent, agents } = config;
  if (agent !== undefined) return agent;
  const looking = lookersOn(config);
  const all = Object.entries(agents);
  const workers = all.filter(([name]) => !looking.includes(name));
  const described = workers.length > 0 ? workers : all;
  const [only] = described;
  if (only !== undefined && described.length === 1) return only[0];
  return described.find(([, profile]) => volunteers(profile) && !isChoosy(profile))?.[0];
}

/** The profiles as far as decisions need them. */
export function agentPoolOf(config: PoolConfig): readonly PoolMember[] {
  const own = defaultAgent(config);
  const looking = lookersOn(config);
  const takes = (name: string, profile: Profile): boolean =>
    looking.includes(name) ? isChoosy(profile) : volunteers(profile);
  return [...profilesOf(config)].map(([name, profile]) => {
    const { count, types, labels, role, wait: waitMs, model } = profile;
    return {
      name,
      account: profile.account ?? (isHarness(profile.use) ? profile.use : name),
      volunteers: name === own || takes(name, profile),
      ...(count === undefined ? {} : { count }),
      ...(types === undefined ? {} : { types }),
      ...(labels === undefined ? {} : { labels }),
      ...(role === undefined ? {} : { role }),
      ...(waitMs === undefined ? {} : { waitMs }),
      ...(model === undefined ? {} : { model }),
      ...(withoutReasoning.has(profile.use) ? { ignoresReasoning: true } : {}),
    };
  });
}

/** Agents whose command line takes no reasoning effort. */
const withoutReasoning: ReadonlySet<string> = new Set(['gemini']);

export function isHarness(use: string): use is HarnessName {
  return harnessNames.some((name) => name === use);
}

/** Who says how many of it there are, or what it takes, is there to be used without being named by a task. */
function volunteers(profile: Profile): boolean {
  return profile.count !== undefined || isChoosy(profile);
}

function isChoosy({ types, labels, role }: Profile): boolean {
  return types !== undefined || labels !== undefined || role !== undefined;
}
