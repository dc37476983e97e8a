import type { Config } from './config.ts';
import type { Profile } from './profile.ts';

/**
 * The config of a run after a reload: of the new config only time limits and the programs of agents count. Everything
 * else stays as it was when the run started.
 */
export function reloadedConfig(started: Config, now: Config): Config {
  const agents = Object.entries(started.agents).map(([name, profile]) => {
    const fresh = now.agents[name];
    return [name, fresh === undefined ? profile : withProgram(profile, fresh)] as const;
  });
  const added = Object.entries(now.agents).filter(([name]) => !(name in started.agents));
  return {
    ...started,
    limits: now.limits,
    agents: Object.fromEntries([...agents, ...added]),
  };
}

function withProgram(profile: Profile, fresh: Profile): Profile {
  switch (profile.use) {
    case 'acp':
    case 'command':
      return fresh.use === profile.use ? { ...profile, command: fresh.command } : profile;
    case 'scripted':
      return fresh.use === 'scripted' ? { ...profile, script: fresh.script } : profile;
    case 'http':
      return profile;
    default: {
      if (fresh.use !== profile.use) return profile;
      const { binary: _before, ...rest } = profile;
      return fresh.binary === undefined ? rest : { ...rest, binary: fresh.binary };
    }
  }
}
