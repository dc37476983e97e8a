import type { Agent } from '../agent/agent.ts';
import type { Forge } from '../delivery/forge.ts';
import type { Git } from '../git/git.ts';
import type { Guard } from '../guard/guard.ts';
import type { Rules } from '../inspection/changed.ts';
import type { Mailboxes } from '../mailbox/mailbox.ts';
import type { Attempt } from '../model/attempt.ts';
import type { Result } from '../model/failure.ts';
import type { Prices, RunId } from '../model/run.ts';
import type { Gate } from '../model/verdict.ts';
import type { TargetCheck } from '../plan/record.ts';
import type { Clock } from '../process/clock.ts';
import type { Processes, ProcessLimits } from '../process/processes.ts';
import type { Template } from '../prompt/template.ts';
import type { Store } from '../record/store.ts';
import { parseName } from '../worktree/branch.ts';
import type { Pool } from '../worktree/pool.ts';
import type { Prepared } from '../worktree/prepared.ts';

/** The outside world of one run. */
export interface Ports {
  readonly git: Git;
  readonly processes: Processes;
  readonly store: Store;
  readonly clock: Clock;
  readonly pool: Pool;
  readonly agent: (name: string) => Agent | undefined;
  /** Sees what changes outside of the worktrees. */
  readonly guard: Guard;
  /** Carries what agents ask for with `ym agent`. */
  readonly mailboxes: Mailboxes;
  /** Keeps what set-up commands produced. */
  readonly prepared: Prepared;
  /** Where pull requests are opened. */
  readonly forge: Forge;
  /** Brings files that git does not track, such as `.env`, into a worktree, and returns their names. */
  readonly copyFiles: (worktree: string) => Promise<Result<readonly string[]>>;
}

/** What a run works with besides its settings: things of this machine and this moment, not of the log. */
export interface RunContext {
  readonly run: RunId;
  readonly target: string;
  /** Where the files of this run go; see `record/files.ts`. */
  readonly dir: string;
  readonly gate: Gate;
  /** Judges a branch by itself instead of the gate; what lands is never judged by it. */
  readonly quick?: Gate;
  /** How often a red check is run again, to find out whether it is flaky. */
  readonly reruns: number;
  /** What work must keep to, read from the target. */
  readonly rules: Rules;
  /** Remote that finished branches are pushed to. */
  readonly remote: string;
  readonly verify: {
    /** Absent where no command was found, for this reason. */
    readonly command?: string;
    readonly reason?: string;
    readonly budgetMs: number;
  };
  readonly setup: readonly string[];
  /** Patterns of files that stay in the gate's worktrees from one judgement to the next. */
  readonly cache: readonly string[];
  readonly limits: {
    readonly agent: ProcessLimits;
    readonly setup: ProcessLimits;
    readonly gate: ProcessLimits;
  };
  /** Environment of every child, already scrubbed. */
  readonly env: Readonly<Record<string, string>>;
  /** Name of the project, for people, and its folder, for calls of agents. */
  readonly project: { readonly name: string; readonly root: string };
  /** The user's own prompt files for an agent, as they were when this process began. */
  readonly templates: (agent: string, purpose?: 'review') => readonly Template[];
  /** How agents call this program from a shell. */
  readonly program: string;
  /** What the tokens are made with by which agents are known. */
  readonly secret: Uint8Array;
  readonly prices: Prices;
}

/** Folder of an attempt's files: that of the run which began it, also where another one drives it now. */
export function attemptDir(
  context: RunContext,
  task: string,
  attempt: Pick<Attempt, 'number' | 'branch'>,
) {
  const home = parseName(attempt.branch)?.run ?? context.run;
  return `${folderOf(context, home)}/attempts/${task}-${attempt.number}`;
}

/** Folder of the files of a run of this project. */
export function folderOf({ run, dir }: RunContext, other: RunId): string {
  return other === run ? dir : `${dir.slice(0, dir.lastIndexOf('/'))}/${other}`;
}

/** The files of one gate run on the target itself. */
export function targetDir(context: RunContext, { number, commit }: TargetCheck): string {
  return `${context.dir}/targets/${number}-${commit}`;
}

/** The files of one judgement: of a candidate with so many of its branches. */
export function candidateDir(context: RunContext, candidate: string, count: number): string {
  return `${context.dir}/candidates/${candidate}-${count}`;
}
