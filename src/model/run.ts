import type { Failure } from './failure.ts';
import type { Stage } from './review.ts';
import type { TaskId } from './task.ts';
import type { VerifyPolicy } from './verdict.ts';

export type RunId = string;

/** Tasks that a run may work on. */
export type Scope =
  | { readonly kind: 'ready' }
  | { readonly kind: 'epics'; readonly epics: readonly string[] }
  | { readonly kind: 'only'; readonly tasks: readonly TaskId[] };

/** Limits on what a run may spend. Counting starts again after each resume, except for `newTasks`. */
export interface Budget {
  /** Agent starts. */
  readonly maxAttempts?: number;
  /** Tasks filed during the run (follow-ups, planned tasks, conflict tasks) that it may work on. */
  readonly newTasks?: number;
  readonly wallMs?: number;
  /** Tokens of all kinds, over all agents. */
  readonly tokens?: number;
  readonly costUsd?: number;
}

/** A planner takes only `plan` tasks; an executor takes none of them and files no tasks. */
export type AgentRole = 'planner' | 'executor';

/** What decisions need to know about an agent profile. */
export interface PoolMember {
  readonly name: string;
  /** Account whose quota it uses; profiles of one account are paused together. */
  readonly account: string;
  /** Maximum number working at once; unlimited if absent. */
  readonly count?: number;
  /** It takes only tasks of these types or labels; any task if both are absent. */
  readonly types?: readonly string[];
  readonly labels?: readonly string[];
  readonly role?: AgentRole;
  /** True if it takes tasks that name no agent; otherwise it works only for tasks that name it. */
  readonly volunteers: boolean;
  /** Wait before each further turn. */
  readonly waitMs?: number;
  /** Default model, as `model` or `model:reasoning`. */
  readonly model?: string;
  /** The agent has no reasoning setting, so none is passed. */
  readonly ignoresReasoning?: true;
}

/**
 * Rules that choose the model of a task; see `plan/model.ts`. Values are `model`, `agent:model` or
 * `agent:model:reasoning`.
 */
export interface ModelRules {
  readonly default?: string;
  /** Keys are `P0` to `P4`. */
  readonly byPriority?: Readonly<Record<string, string>>;
  readonly byType?: Readonly<Record<string, string>>;
}

/** Settings of a run. Fixed at its start and kept when it is resumed, except for the budget. */
export interface RunSettings extends Budget {
  readonly target: string;
  readonly jobs: number;
  readonly agent: string;
  readonly scope: Scope;
  /** Retries per task: agent starts after the first, in the same conversation or a fresh attempt. */
  readonly retries: number;
  /** Agents that may start within the same second; unlimited if absent. */
  readonly spawnRate?: number;
  /** How often work may return to one conversation before a fresh attempt starts; the default if absent. */
  readonly returns?: number;
  /** Consecutive failed attempts, over all runs, after which a task waits for a person. */
  readonly quarantineAfter: number;
  /** Consecutive errors after which a slot takes no more work. */
  readonly slotErrors: number;
  /** Maximum number of worktrees, including those of queued attempts. */
  readonly pool: number;
  /** Identity of the gate; see `model/verdict.ts`. */
  readonly gate: string;
  /** All profiles that may start. */
  readonly agentPool?: readonly PoolMember[];
  readonly models?: ModelRules;
  /** Agent that takes over while the default agent fails, until it succeeded `cooldown` times. */
  readonly fallback?: { readonly agent: string; readonly cooldown: number };
  /** Longest quota pause that the run waits for. */
  readonly quotaWaitMs?: number;
  /** Consecutive retries of a turn that a provider error cut short. */
  readonly providerRetries?: number;
  /** Consecutive turns without an end signal before the agent is reminded a last time. */
  readonly silentTurns?: number;
  readonly train?: TrainSettings;
  /** When to run the gate on a branch before it queues; `always` if absent. */
  readonly branchGate?: 'auto' | 'always' | 'never';
  /**
   * How long a passed gate proves that the environment is healthy, so that failed work is to blame; forever if
   * absent.
   */
  readonly recheckMs?: number;
  /** True if branches are judged by a quicker command than the gate. */
  readonly quickGate?: boolean;
  /** Review before queueing; none if absent. */
  readonly review?: ReviewSettings;
  readonly critique?: CritiqueSettings;
  /** Stages by task type; `default` covers all others. */
  readonly pipelines?: Readonly<Record<string, readonly Stage[]>>;
  /** End-of-run verification and what follows if it fails; none if absent. */
  readonly verify?: VerifyPolicy;
  /** Gates that may run at once, on branches, candidates and the target together; one if absent. */
  readonly gateSlots?: number;
  /** `land` if absent. */
  readonly delivery?: Delivery;
  /** How long a run without other work waits for its pull requests. */
  readonly deliveryWaitMs?: number;
  /** How long a run without other work waits for new tasks. */
  readonly waitForTasksMs?: number;
}

/** How finished work is delivered. */
export type Delivery = 'land' | 'branch' | 'pr' | 'stack';

export interface TrainSettings {
  /** Maximum number of branches per candidate. */
  readonly batch: number;
  readonly style: 'merge' | 'squash' | 'rebase';
}

export interface ReviewSettings {
  /** Agent profiles; all of them must approve. */
  readonly reviewers: readonly string[];
  /** True if a person must approve as well. */
  readonly person: boolean;
  readonly rounds: number;
  /** Further calls per round for a reviewer without a usable answer. */
  readonly retries: number;
}

/** Review of the task text before work starts. */
export interface CritiqueSettings {
  readonly critic: string;
  /** Agent that rewrites the text; the task's own agent if absent. */
  readonly improver?: string;
  readonly rounds: number;
  readonly retries: number;
}

/** The process that drives a run. The start time is part of its identity because pids are reused. */
export interface Owner {
  readonly pid: number;
  readonly startedAt: string;
  readonly host: string;
}

/** Why a run ended. If several reasons hold, the first in this list wins. */
export const stopReasons = [
  'cancelled',
  'stop-asked',
  'budget-tokens',
  'budget-cost',
  'budget-wall',
  'max-attempts',
  'environment',
  'quota',
  'slot-errors',
  'question',
  'drained',
  /** Another run found that the process was gone. */
  'died',
] as const;
export type StopReason = (typeof stopReasons)[number];

export interface Stop {
  readonly reason: StopReason;
  readonly failure?: Failure;
}

/** Price of a model in US dollars per million tokens. */
export interface Price {
  readonly input: number;
  readonly output: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
}

/** By model name; `default` applies to every other model. */
export type Prices = Readonly<Record<string, Price>>;

/** Account whose quota an agent uses. An unknown agent has one of its own. */
export function accountOf(settings: RunSettings, agent: string): string {
  return settings.agentPool?.find((member) => member.name === agent)?.account ?? agent;
}
