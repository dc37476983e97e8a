import type { Stage } from '../model/review.ts';
import type { ModelRules, Prices } from '../model/run.ts';
import { limits } from '../plan/limits.ts';
import type { Config } from './config.ts';
import { settableKeys } from './keys.ts';
import type { Leaf, Origin } from './layers.ts';
import { type Profile, settledProfile } from './profile.ts';
import {
  critiqueOf,
  deliveryOf,
  gateOf,
  pipelinesOf,
  protectOf,
  reviewOf,
  rulesOf,
  trainOf,
  verifyOf,
} from './settle-judging.ts';

type Leaves = ReadonlyMap<string, Leaf>;

/** The whole config out of what the layers left, with the defaults for everything else. */
export function settle(leaves: Leaves, cores: number): Config {
  // Meanings were made by the schema; the type named at each use is the one the schema gives that key.
  const get = <T>(key: string): T | undefined => leaves.get(key)?.meaning as T | undefined;
  const agents = mapValues(entriesOf<Parameters<typeof settledProfile>[0]>(leaves, 'agents'));
  const fallback = get<string>('fallback.agent');
  const review = reviewOf(get);
  const critique = critiqueOf(get);
  return {
    ...given('target', get<string>('target')),
    jobs: get('jobs') ?? limits.jobsDefault,
    spawnRate: get('spawn_rate') ?? limits.spawnRateDefault,
    ...given('agent', get<string>('agent')),
    agents,
    models: modelsOf(leaves),
    ...(fallback === undefined
      ? {}
      : {
          fallback: {
            agent: fallback,
            cooldown: get('fallback.cooldown') ?? limits.cooldownDefault,
          },
        }),
    prompts: get('prompts') ?? [],
    sandbox: get('sandbox') ?? 'auto',
    gate: gateOf(get, cores),
    preflight: get('preflight') ?? true,
    protect: protectOf(get),
    rules: rulesOf(get),
    ...given('review', review),
    ...given('critique', critique),
    pipelines: pipelinesOf(entriesOf<readonly Stage[]>(leaves, 'pipeline'), review, critique),
    worktree: {
      setup: get('worktree.setup') ?? [],
      copy: get('worktree.copy') ?? [],
      pool: get('worktree.pool') ?? 'auto',
    },
    retries: get('retries') ?? limits.retriesDefault,
    retry: {
      returns: get('retry.returns') ?? limits.returnsDefault,
      provider: get('retry.provider') ?? limits.providerRetriesDefault,
      silent: get('retry.silent') ?? limits.silentTurnsDefault,
    },
    quarantine: get('quarantine') ?? limits.quarantineAfterDefault,
    quotaWaitMs: get('quota.wait') ?? limits.quotaWaitDefaultMs,
    waitForTasksMs: get('wait_for_tasks') ?? patience(agents),
    limits: limitsOf(get),
    budget: {
      ...given('attempts', get<number>('budget.attempts')),
      ...given('newTasks', get<number>('budget.new_tasks')),
      ...given('wallMs', get<number>('budget.wall')),
      ...given('tokens', get<number>('budget.tokens')),
      ...given('costUsd', get<number>('budget.cost')),
    },
    prices: entriesOf<Prices[string]>(leaves, 'prices'),
    train: trainOf(get),
    delivery: deliveryOf(get),
    verify: verifyOf(get),
    origins: originsOf(leaves),
  };
}

function limitsOf(get: (key: string) => number | undefined): Config['limits'] {
  return {
    agentWallMs: get('limits.agent_wall') ?? limits.agentWallMs,
    agentIdleMs: get('limits.agent_idle') ?? limits.agentIdleMs,
    agentStartMs: get('limits.agent_start') ?? limits.agentStartMs,
    agentLingerMs: get('limits.agent_linger') ?? limits.agentLingerMs,
    setupWallMs: get('limits.setup_wall') ?? limits.setupWallMs,
    outputBytes: get('limits.output') ?? limits.outputBytes,
  };
}

/** Who only carries out what others plan may be started before there is a plan. */
function patience(agents: Readonly<Record<string, Profile>>): number {
  const executes = Object.values(agents).some(({ role }) => role === 'executor');
  return executes ? limits.waitForTasksDefaultMs : 0;
}

function modelsOf(leaves: Leaves): ModelRules {
  const standard = leaves.get('model.default')?.meaning;
  const byPriority = entriesOf<string>(leaves, 'model.by_priority');
  const byType = entriesOf<string>(leaves, 'model.by_type');
  return {
    ...(typeof standard === 'string' ? { default: standard } : {}),
    ...(Object.keys(byPriority).length === 0 ? {} : { byPriority }),
    ...(Object.keys(byType).length === 0 ? {} : { byType }),
  };
}

/** What an open section holds, by name. */
function entriesOf<T>(leaves: Leaves, section: string): Record<string, T> {
  const start = `${section}.`;
  const entries = [...leaves].flatMap(([key, { meaning }]) =>
    key.startsWith(start) ? [[key.slice(start.length), meaning as T] as const] : [],
  );
  return Object.fromEntries(entries);
}

function mapValues(
  given: Readonly<Record<string, Parameters<typeof settledProfile>[0]>>,
): Record<string, Profile> {
  return Object.fromEntries(
    Object.entries(given).map(([name, values]) => [name, settledProfile(values)]),
  );
}

function given<K extends string, T>(key: K, value: T | undefined): { [P in K]?: T } {
  return value === undefined ? {} : ({ [key]: value } as { [P in K]?: T });
}

function originsOf(leaves: Leaves): Map<string, Origin> {
  const origins = new Map<string, Origin>();
  for (const { key, default: value } of settableKeys)
    origins.set(key, { value, origin: 'default' });
  for (const { key, value, origin, file, line } of leaves.values()) {
    origins.set(key, {
      value,
      origin,
      ...(file === undefined ? {} : { file }),
      ...(line === undefined ? {} : { line }),
    });
  }
  return origins;
}
