// Whole runs of the built program with real agents: a project whose agents talk to the scripted server. The key under which
// an agent asks the server is its name.
import { onTestFinished } from 'vitest';
import type { Script } from '../model-server/script.ts';
import { type ModelServer, startModelServer } from '../model-server/server.ts';
import { type TestProject, type TestProjectOptions, testProject } from '../rig.ts';
import { binaryOf, type CliName } from './clis.ts';
import { models, surroundings, type Wishes } from './surroundings.ts';

export interface AgentPoolOptions
  extends Omit<TestProjectOptions, 'script' | 'env'>,
    Omit<Wishes, 'bases'> {
  /** What each agent of the run plays; only these are in the config. The first one is the run's own. */
  readonly scripts: Partial<Readonly<Record<CliName, Script>>>;
  /** Further keys of the profiles. */
  readonly profile?: Readonly<Record<string, unknown>>;
}

export interface AgentPool {
  readonly project: TestProject;
  readonly server: ModelServer;
}

export const complete = 'All done.\nCOMPLETE_AND_READY_FOR_MERGE';
/** Work that is different for each task, so that all of it can land. */
export const work = 'echo done > "$YARD_TASK.txt"';

/** A agent pool that ends with its test; to be called inside of a test. */
export async function agentPool(options: AgentPoolOptions): Promise<AgentPool> {
  const { scripts, profile, retries, subscription, config, ...rest } = options;
  const names = Object.keys(scripts) as CliName[];
  const server = await startModelServer({ scripts: scripts as Record<string, Script> });
  const bases = Object.fromEntries(names.map((name) => [name, server.base(name, name)]));
  const around = surroundings({
    bases,
    retries,
    subscription,
  });
  onTestFinished(async () => {
    await server.close();
    around.remove();
  });
  const agents = names.map((name) => [
    name,
    { use: name, binary: binaryOf(name), model: models[name], ...profile },
  ]);
  const made = testProject({
    ...rest,
    env: around.env,
    config: {
      agent: names[0],
      agents: Object.fromEntries(agents),
      sandbox: 'none',
      jobs: 4,
      limits: { agent_idle: '60s', agent_wall: '100s' },
      ...config,
    },
  });
  return { project: made, server };
}
