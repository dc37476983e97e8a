import { limits, poolSize } from '../plan/limits.ts';
import { judgingKeys, landingKeys } from './judging-keys.ts';
import { formatDuration, formatSize } from './units.ts';

/** Coding agents whose command lines and streams are understood; each works without a profile, by its name. */
export const harnessNames = ['claude', 'codex', 'opencode', 'gemini'] as const;
export type HarnessName = (typeof harnessNames)[number];

export type KeyType =
  | 'text'
  | 'number'
  | 'choice'
  | 'boolean'
  | 'duration'
  | 'size'
  | 'tokens'
  | 'money'
  | 'list'
  | 'map';

/** One thing a user may set. This table makes `config list` and the docs; the schema is held to it by a test. */
export interface Key {
  readonly key: string;
  readonly type: KeyType;
  /** For people: what holds when nothing is set. */
  readonly default: string;
  readonly doc: string;
}

export const settableKeys: readonly Key[] = [
  {
    key: 'target',
    type: 'text',
    default: 'the branch checked out',
    doc: 'Branch that finished work lands on',
  },
  {
    key: 'jobs',
    type: 'number',
    default: `${limits.jobsDefault}`,
    doc: `Agents that run at once, ${limits.jobsMin} to ${limits.jobsMax}`,
  },
  {
    key: 'agent',
    type: 'text',
    default: 'none',
    doc: 'Agent for tasks that name none: claude, codex, opencode, gemini, or a name under agents',
  },
  {
    key: 'agents',
    type: 'map',
    default: 'none',
    doc: 'Agents by name, each with use: claude, codex, opencode, gemini, acp, command or scripted',
  },
  {
    key: 'model.default',
    type: 'text',
    default: 'the agent’s own',
    doc: 'Model where nothing else names one: model, agent:model or agent:model:reasoning',
  },
  {
    key: 'model.by_priority',
    type: 'map',
    default: 'none',
    doc: 'Model by priority, P0 to P4',
  },
  {
    key: 'model.by_type',
    type: 'map',
    default: 'none',
    doc: 'Model by type of task',
  },
  {
    key: 'fallback.agent',
    type: 'text',
    default: 'none',
    doc: 'Agent that takes over while the default agent fails',
  },
  {
    key: 'fallback.cooldown',
    type: 'number',
    default: `${limits.cooldownDefault}`,
    doc: 'Successes of the fallback before the default agent is tried again',
  },
  {
    key: 'prompts',
    type: 'list',
    default: 'none',
    doc: 'Files with words of your own that become part of every prompt',
  },
  {
    key: 'sandbox',
    type: 'choice',
    default: 'auto',
    doc: 'What agents may do: auto holds them in as far as they can do so themselves, none not at all',
  },
  ...judgingKeys,
  {
    key: 'preflight',
    type: 'boolean',
    default: 'true',
    doc: 'Whether the target must pass the gate before the first agent of a run starts',
  },
  {
    key: 'worktree.setup',
    type: 'list',
    default: 'none',
    doc: 'Commands that make a new worktree ready to work in',
  },
  {
    key: 'worktree.copy',
    type: 'list',
    default: 'none',
    doc: 'Files that git does not have and a worktree needs, such as .env',
  },
  {
    key: 'worktree.pool',
    type: 'choice',
    default: `auto (${poolSize(limits.jobsDefault)} for ${limits.jobsDefault} jobs)`,
    doc: 'Worktrees kept at most, those of work that waits for a person not counted: auto or a number',
  },
  {
    key: 'retries',
    type: 'number',
    default: `${limits.retriesDefault}`,
    doc: 'Agent starts after the first that a task may have in one run',
  },
  {
    key: 'quarantine',
    type: 'number',
    default: `${limits.quarantineAfterDefault}`,
    doc: 'Failed attempts in a row, over all runs, after which a task is left alone',
  },
  {
    key: 'retry.returns',
    type: 'number',
    default: `${limits.returnsDefault}`,
    doc: 'Times that work may come back to the same conversation before a fresh attempt starts; a turn that changes nothing starts one at once',
  },
  {
    key: 'retry.provider',
    type: 'number',
    default: `${limits.providerRetriesDefault}`,
    doc: 'Times in a row that a turn cut short by the service is tried again',
  },
  {
    key: 'retry.silent',
    type: 'number',
    default: `${limits.silentTurnsDefault}`,
    doc: 'Turns in a row without a word about their end before the agent is asked a last time',
  },
  {
    key: 'quota.wait',
    type: 'duration',
    default: formatDuration(limits.quotaWaitDefaultMs),
    doc: 'Longest pause for a quota that a run waits for; off for none',
  },
  {
    key: 'spawn_rate',
    type: 'number',
    default: String(limits.spawnRateDefault),
    doc: 'Agents that start within one second; those that have ended do not count',
  },
  {
    key: 'wait_for_tasks',
    type: 'duration',
    default: `off (${formatDuration(limits.waitForTasksDefaultMs)} with executors)`,
    doc: 'How long a run with nothing left to do waits for new tasks',
  },
  {
    key: 'limits.agent_wall',
    type: 'duration',
    default: formatDuration(limits.agentWallMs),
    doc: 'Time that one agent process may take',
  },
  {
    key: 'limits.agent_idle',
    type: 'duration',
    default: formatDuration(limits.agentIdleMs),
    doc: 'Time that an agent may be silent; off for any',
  },
  {
    key: 'limits.agent_start',
    type: 'duration',
    default: formatDuration(limits.agentStartMs),
    doc: 'Time until the first output of an agent; off for any',
  },
  {
    key: 'limits.agent_linger',
    type: 'duration',
    default: formatDuration(limits.agentLingerMs),
    doc: 'Time that an agent may live on after its last word',
  },
  {
    key: 'limits.setup_wall',
    type: 'duration',
    default: formatDuration(limits.setupWallMs),
    doc: 'Time that the set-up of a worktree may take',
  },
  {
    key: 'limits.output',
    type: 'size',
    default: formatSize(limits.outputBytes),
    doc: 'Output that one process may write',
  },
  {
    key: 'budget.attempts',
    type: 'number',
    default: 'none',
    doc: 'Agent starts in one whole run',
  },
  {
    key: 'budget.new_tasks',
    type: 'number',
    default: 'none',
    doc: 'Tasks filed during one run that the same run works on; further ones stay open',
  },
  {
    key: 'budget.wall',
    type: 'duration',
    default: 'none',
    doc: 'Time that one whole run may take',
  },
  {
    key: 'budget.tokens',
    type: 'tokens',
    default: 'none',
    doc: 'Tokens of every kind that one whole run may use, such as 2M or 500k',
  },
  {
    key: 'budget.cost',
    type: 'money',
    default: 'none',
    doc: 'US dollars that one whole run may cost, such as 20USD',
  },
  {
    key: 'prices',
    type: 'map',
    default: 'none',
    doc: 'US dollars for a million tokens by model: { input, output, cache_read, cache_write }; default for any other model',
  },
  ...landingKeys,
];

/** Sections whose keys are names that the user chooses; each entry is one value, and layers add to each other. */
export const openSections = [
  'agents',
  'model.by_priority',
  'model.by_type',
  'prices',
  'pipeline',
] as const;

/** What is planned and does nothing so far: accepting it without effect would mislead. */
const keysToCome: ReadonlySet<string> = new Set(['planner', 'notify', 'store']);

export function isToCome(key: string): boolean {
  return keysToCome.has(key) || keysToCome.has(key.split('.')[0] ?? '');
}
