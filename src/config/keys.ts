import { nearest } from '../graph/nearest.ts';
import { limits, poolSize } from '../plan/limits.ts';
import { formatDuration, formatSize } from './units.ts';

export type KeyType = 'text' | 'number' | 'choice' | 'duration' | 'size' | 'list' | 'map';

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
    doc: 'Agent for tasks that name none: a name under agents',
  },
  {
    key: 'agents',
    type: 'map',
    default: 'none',
    doc: 'Agents by name: { use: command, command, done, prompt, env } or { use: scripted, script }',
  },
  {
    key: 'gate',
    type: 'choice',
    default: 'detected',
    doc: 'The word none says knowingly that nothing judges the work',
  },
  {
    key: 'gate.commands',
    type: 'list',
    default: 'detected',
    doc: 'Commands that must all pass before work may land, each run by a shell',
  },
  {
    key: 'gate.timeout',
    type: 'duration',
    default: formatDuration(limits.gateWallMs),
    doc: 'Time that one run of the gate may take',
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
    doc: 'Worktrees kept at most: auto or a number',
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
    key: 'budget.wall',
    type: 'duration',
    default: 'none',
    doc: 'Time that one whole run may take',
  },
  {
    key: 'train.style',
    type: 'choice',
    default: 'merge',
    doc: 'How work is put on the target: merge makes one merge commit a task',
  },
];

/** Names that mean something to people and will mean it here, but do nothing so far. */
export const agentsToCome: readonly string[] = ['claude', 'codex', 'opencode', 'gemini'];
const keysToCome: ReadonlySet<string> = new Set([
  'model',
  'fallback',
  'protect',
  'review',
  'planner',
  'sandbox',
  'notify',
  'store',
  'budget.tokens',
  'budget.cost',
  'train.slots',
  'train.batch',
]);

/** A key that is refused because accepting it without effect would mislead. */
export function isToCome(key: string): boolean {
  return keysToCome.has(key) || keysToCome.has(key.split('.')[0] ?? '') || profileModel.test(key);
}

const profileModel = /^agents\.[^.]+\.model$/;

/** The keys one level below `prefix`; with no prefix the keys of the top. */
export function keysBelow(prefix: string): readonly string[] {
  const start = prefix === '' ? '' : `${prefix}.`;
  const below = settableKeys
    .filter(({ key }) => key.startsWith(start) && key !== prefix)
    .map(({ key }) => key.slice(start.length).split('.')[0] ?? '');
  return [...new Set(below)];
}

/** The keys of an agent's profile, by the kind it uses. */
export function profileKeys(use: unknown): readonly string[] {
  return use === 'scripted' ? ['use', 'script'] : ['use', 'command', 'done', 'prompt', 'env'];
}

/** What kind of value a dotted key takes, or none for a key that does not exist. */
export function typeOf(key: string): KeyType | undefined {
  const known = settableKeys.find((one) => one.key === key);
  if (known !== undefined) return known.type;
  const parts = key.split('.');
  if (parts[0] !== 'agents' || parts.includes('')) return undefined;
  if (parts.length === 2) return 'map';
  if (parts[2] === 'env')
    return parts.length === 3 ? 'map' : parts.length === 4 ? 'text' : undefined;
  const inProfile = [...profileKeys('command'), ...profileKeys('scripted')];
  if (parts.length !== 3 || !inProfile.includes(parts[2] ?? '')) return undefined;
  return parts[2] === 'command' ? 'list' : 'text';
}

/** What to say of a key that is not known. */
export function refusalOf(key: string): { readonly problem: string; readonly remedy: string } {
  if (isToCome(key)) {
    return {
      problem: `"${key}" is not supported yet by this version`,
      remedy: 'Take it out; it would have no effect.',
    };
  }
  const near = nearest(
    key,
    settableKeys.map((one) => one.key),
  );
  return {
    problem: `"${key}" is not a known key`,
    remedy: near === undefined ? 'See "ym config list" for all keys.' : `Did you mean "${near}"?`,
  };
}
