import type { Rules } from '../inspection/changed.ts';
import type { Attempt } from '../model/attempt.ts';
import { parseName } from '../model/branch.ts';
import type { EventBody } from '../model/event.ts';
import type { Failure, Result } from '../model/failure.ts';
import type { Note } from '../model/note.ts';
import type { Prices, RunId } from '../model/run.ts';
import type { TargetCheck } from '../model/train-record.ts';
import type { Gate } from '../model/verdict.ts';
import type { Agent } from '../port/agent.ts';
import type { Forge } from '../port/forge.ts';
import type { Git } from '../port/git.ts';
import type { Guard } from '../port/guard.ts';
import type { Mailboxes } from '../port/mailbox.ts';
import type { Outside } from '../port/outside.ts';
import type { PlanReviser } from '../port/plan-reviser.ts';
import type { Clock, Processes, ProcessLimits } from '../port/processes.ts';
import type { Store } from '../port/store.ts';
import type { TaskTracker } from '../port/task-tracker.ts';
import type { Template } from '../prompt/template.ts';
import type { Pool } from '../worktree/pool.ts';
import type { Prepared } from '../worktree/setup.ts';

/** Everything outside the engine that a run uses. */
export interface Ports {
  readonly git: Git;
  readonly processes: Processes;
  readonly store: Store;
  readonly clock: Clock;
  readonly pool: Pool;
  readonly agent: (name: string) => Agent | undefined;
  /** Detects changes outside the worktrees. */
  readonly guard: Guard;
  /** Carries what agents ask for with `ym agent`. */
  readonly mailboxes: Mailboxes;
  /** Caches the results of set-up commands. */
  readonly prepared: Prepared;
  readonly forge: Forge;
  /** Knows the form of a revision of the plan. */
  readonly reviser: PlanReviser;
  /** Checks files and commands that tasks wait for. */
  readonly outside: Outside;
  /** Writes states to the places that tasks were imported from. */
  readonly tracker: TaskTracker;
  /** Returns the disk that has too little space for new work, if one has. */
  readonly space: () => Promise<Failure | undefined>;
  /** Packs files of a worktree into an archive, for people, and returns those that it leaves out. */
  readonly archive: (
    worktree: string,
    paths: readonly string[],
    file: string,
  ) => Promise<Result<readonly string[]>>;
  /** Copies untracked files, such as `.env`, into a worktree and returns their names. */
  readonly copyFiles: (worktree: string) => Promise<Result<readonly string[]>>;
}

/** Facts about this machine and process that a run uses in addition to its settings. They are not in the log. */
export interface RunContext {
  readonly run: RunId;
  readonly target: string;
  /** Folder for the files of this run; see `files/writer.ts`. */
  readonly dir: string;
  readonly gate: Gate;
  /** Replaces the gate for branches; candidates are always judged by the gate. */
  readonly quick?: Gate;
  /** Reruns of a failed check, to detect flaky ones. */
  readonly reruns: number;
  /** Rules for the work, read from the target. */
  readonly rules: Rules;
  /** Remote that finished branches are pushed to. */
  readonly remote: string;
  readonly verify: {
    /** Absent if no command was found, for `reason`. */
    readonly command?: string;
    readonly reason?: string;
    readonly budgetMs: number;
  };
  /** Commands that must pass on the target before the first agent starts. */
  readonly before: readonly string[];
  readonly setup: readonly string[];
  /** Commands that run on what a turn left, before it is committed. */
  readonly finish: readonly string[];
  /** Patterns of files that stay in the gate's worktrees between gates. */
  readonly cache: readonly string[];
  readonly limits: {
    readonly agent: ProcessLimits;
    readonly setup: ProcessLimits;
    readonly gate: ProcessLimits;
  };
  /** True if children run in a sandbox, out of which they can change nothing. */
  readonly confined: boolean;
  /** Environment of all child processes, without secrets. */
  readonly env: Readonly<Record<string, string>>;
  /** Project name, for display, and its folder, for `ym agent` calls. */
  readonly project: { readonly name: string; readonly root: string };
  /** The user's prompt files for an agent, read when this process started. */
  readonly templates: (agent: string, purpose?: 'review') => readonly Template[];
  /** Notes that the prompts of all tasks contain, as they were when the run started. */
  readonly notes: readonly Note[];
  /** Command with which agents call this program. */
  readonly program: string;
  /** True if other machines judge for the project too, each with a secret of its own. */
  readonly isShared: boolean;
  /** Seals agent tokens and verdicts. */
  readonly secret: Uint8Array;
  readonly prices: Prices;
  /** The worker that this process is; absent in the process that drives the run. */
  readonly worker?: string;
}

/** Events that a command produced, in order. */
export type Events = readonly EventBody[];

/** Folder of an attempt's files. It belongs to the run that started the attempt, even if another run drives it now. */
export function attemptDir(
  context: RunContext,
  task: string,
  attempt: Pick<Attempt, 'number' | 'branch'>,
) {
  const home = parseName(attempt.branch)?.run ?? context.run;
  return `${folderOf(context, home)}/attempts/${task}-${attempt.number}`;
}

export function folderOf({ run, dir }: RunContext, other: RunId): string {
  return other === run ? dir : `${dir.slice(0, dir.lastIndexOf('/'))}/${other}`;
}

export function targetDir(context: RunContext, { number, commit }: TargetCheck): string {
  return `${context.dir}/targets/${number}-${commit}`;
}

/** Folder of the commands of `run.before` of one preflight. */
export function beforeDir(context: RunContext, check: TargetCheck): string {
  return `${targetDir(context, check)}/before`;
}

export function plannerDir({ dir }: Pick<RunContext, 'dir'>): string {
  return `${dir}/planner`;
}

/** Folder of the calls that revise the plan. */
export function revisionsDir({ dir }: Pick<RunContext, 'dir'>): string {
  return `${dir}/revisions`;
}

/** Folder of the gate run on the first `count` branches of a candidate. */
export function candidateDir(context: RunContext, candidate: string, count: number): string {
  return `${context.dir}/candidates/${candidate}-${count}`;
}
