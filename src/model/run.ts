import type { Failure } from './failure.ts';
import type { Stage } from './review.ts';
import type { TaskId } from './task.ts';
import type { VerifyPolicy } from './verify.ts';

export type RunId = string;

/** Which tasks a run may work on. */
export type Scope =
  | { readonly kind: 'ready' }
  | { readonly kind: 'epics'; readonly epics: readonly string[] }
  | { readonly kind: 'only'; readonly tasks: readonly TaskId[] };

/**
 * What a run may spend. All but `newTasks` counts from zero again after each resumption: a person looked at it and said
 * go on.
 */
export interface Budget {
  /** Agent starts. */
  readonly maxAttempts?: number;
  /** Tasks filed in the run (follow-ups, tasks of a plan, conflict tasks) that it works on. */
  readonly newTasks?: number;
  readonly wallMs?: number;
  /** Tokens of every kind, over all agents. */
  readonly tokens?: number;
  readonly costUsd?: number;
}

/** One profile of the config, as far as decisions need it. */
export interface PoolMember {
  readonly name: string;
  /** Whose quota it uses: a pause of one holds for all with the same. */
  readonly account: string;
  /** How many of it may work at once; as many as there are slots where absent. */
  readonly count?: number;
  /** It takes only tasks of these types, or with one of these labels; any where both are absent. */
  readonly types?: readonly string[];
  readonly labels?: readonly string[];
  /** A planner takes only tasks of type `plan`; an executor never does and files no tasks. */
  readonly role?: 'planner' | 'executor';
  /** True where it takes tasks that name no agent; else it works only for tasks that name it. */
  readonly volunteers: boolean;
  /** Pause before each further turn. */
  readonly waitMs?: number;
  /** What it uses when nothing else names a model: `model` or `model:reasoning`. */
  readonly model?: string;
  /** The agent has no setting for the reasoning effort, so none is passed to it. */
  readonly ignoresReasoning?: true;
}

/** Which model a task gets; see `plan/model.ts`. Values are `model`, `agent:model` or `agent:model:reasoning`. */
export interface ModelRules {
  readonly default?: string;
  /** By `P0` to `P4`. */
  readonly byPriority?: Readonly<Record<string, string>>;
  readonly byType?: Readonly<Record<string, string>>;
}

/** What a run was asked to do; fixed when it starts, and kept when it is resumed, but for the budget. */
export interface RunSettings extends Budget {
  readonly target: string;
  readonly jobs: number;
  readonly agent: string;
  readonly scope: Scope;
  /** Further agent starts a task may have after its first one, returned to its own agent or afresh. */
  readonly retries: number;
  /** Agents that may be in their first second at the same time; any number where absent. */
  readonly spawnRate?: number;
  /** Times that work may come back to one conversation before a fresh attempt is made; the default where absent. */
  readonly returns?: number;
  /** Failed attempts in a row, over all runs, after which a task is left alone until a person says otherwise. */
  readonly quarantineAfter: number;
  /** Errors in a row in one slot after which that slot takes no more work. */
  readonly slotErrors: number;
  /** Worktrees held at once, attempts that wait for the train included. */
  readonly pool: number;
  /** Identity of the gate; see `model/verdict.ts`. */
  readonly gate: string;
  /** Every profile that may be started. Runs of older versions have none: then only names are known. */
  readonly agentPool?: readonly PoolMember[];
  readonly models?: ModelRules;
  /** Where work goes while the run's own agent fails, and for how many successes of the other. */
  readonly fallback?: { readonly agent: string; readonly cooldown: number };
  /** The longest pause for a quota that the run waits for. */
  readonly quotaWaitMs?: number;
  /** How often in a row a turn that the service cut short is tried again. */
  readonly providerRetries?: number;
  /** Turns in a row that may end without a word before the agent is asked for one a last time. */
  readonly silentTurns?: number;
  readonly train?: TrainSettings;
  /** When a branch is judged by itself before it queues; `always` where absent. */
  readonly branchGate?: 'auto' | 'always' | 'never';
  /** How long a green gate counts as proof that red work is not the environment's fault; for ever where absent. */
  readonly recheckMs?: number;
  /** The branch is judged by a quicker command than the gate. */
  readonly quickGate?: boolean;
  /** Who looks at work before it queues; nobody where absent. */
  readonly review?: ReviewSettings;
  readonly critique?: CritiqueSettings;
  /** Stages by type of task; `default` is for the rest. */
  readonly pipelines?: Readonly<Record<string, readonly Stage[]>>;
  /** Whether the target is looked at as a whole at the end, and what follows when that fails. */
  readonly verify?: VerifyPolicy;
  /** Gates that run at once, of branches, candidates and the target together; one where absent. */
  readonly gateSlots?: number;
  /** `land` where absent. */
  readonly delivery?: Delivery;
  /** How long a run that has nothing left to do stays for its pull requests. */
  readonly deliveryWaitMs?: number;
  /** How long a run that has nothing left to do waits for tasks. */
  readonly waitForTasksMs?: number;
}

/** How finished work is handed over. */
export type Delivery = 'land' | 'branch' | 'pr' | 'stack';

export interface TrainSettings {
  /** Branches in one candidate at most. */
  readonly batch: number;
  readonly style: 'merge' | 'squash' | 'rebase';
}

export interface ReviewSettings {
  /** Names of profiles; all of them must approve. */
  readonly reviewers: readonly string[];
  /** A person must approve as well. */
  readonly person: boolean;
  readonly rounds: number;
  /** How often a reviewer that came to no verdict is asked again in one round. */
  readonly retries: number;
}

/** Who looks at what a task asks for before anybody works on it. */
export interface CritiqueSettings {
  readonly critic: string;
  /** Who puts it in better words; the task's own agent where absent. */
  readonly improver?: string;
  readonly rounds: number;
  readonly retries: number;
}

/** The process that drives a run. Pid alone is not an identity: pids are used again. */
export interface Owner {
  readonly pid: number;
  readonly startedAt: string;
  readonly host: string;
}

/**
 * Why the gate runs on the target itself: before the first agent starts, before an agent is blamed for red work, or
 * because somebody else moved the target.
 */
export type TargetCheckReason = 'preflight' | 'blame' | 'moved';

/** Why a run ended. The order is the precedence when several hold at once. */
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
  /** Another run found that its process was gone. */
  'died',
] as const;
export type StopReason = (typeof stopReasons)[number];

export interface Stop {
  readonly reason: StopReason;
  readonly failure?: Failure;
}
