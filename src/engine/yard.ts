import type { Agent } from '../agent/agent.ts';
import type { Git } from '../git/git.ts';
import type { Result } from '../model/failure.ts';
import type { Prices } from '../model/price.ts';
import type { RunId } from '../model/run.ts';
import type { Gate } from '../model/verdict.ts';
import type { Clock } from '../process/clock.ts';
import type { Processes, ProcessLimits } from '../process/processes.ts';
import type { Template } from '../prompt/template.ts';
import type { Store } from '../record/store.ts';
import type { Pool } from '../worktree/pool.ts';

/** The outside world of one run. */
export interface Ports {
  readonly git: Git;
  readonly processes: Processes;
  readonly store: Store;
  readonly clock: Clock;
  readonly pool: Pool;
  readonly agent: (name: string) => Agent | undefined;
  /** Brings files that git does not track, such as `.env`, into a worktree. */
  readonly copyFiles: (worktree: string) => Promise<Result<unknown>>;
}

/** What a run works with besides its settings: things of this machine and this moment, not of the log. */
export interface Yard {
  readonly run: RunId;
  readonly target: string;
  /** Where the files of this run go; see `record/files.ts`. */
  readonly dir: string;
  readonly gate: Gate;
  readonly setup: readonly string[];
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
  readonly templates: (agent: string) => readonly Template[];
  /** How agents call this program from a shell. */
  readonly program: string;
  /** What the tokens are made with by which agents are known. */
  readonly secret: Uint8Array;
  readonly prices: Prices;
}

/** Folder of an attempt's files. */
export function attemptDir(yard: Yard, task: string, attempt: number): string {
  return `${yard.dir}/attempts/${task}-${attempt}`;
}

/** Where judgements of the target itself go. */
export function targetDir(yard: Yard, commit: string): string {
  return `${yard.dir}/targets/${commit}`;
}

export function candidateDir(yard: Yard, candidate: string): string {
  return `${yard.dir}/candidates/${candidate}`;
}
