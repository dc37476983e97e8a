import type { TurnResult } from '../model/attempt.ts';
import type { Failure, Result } from '../model/failure.ts';
import type { Task } from '../model/task.ts';
import type { ProcessEnd } from '../process/processes.ts';

/** What an agent is given for one turn. */
export interface Turn {
  readonly task: Task;
  readonly run: string;
  readonly attempt: number;
  /** 1 for the first turn of the attempt. */
  readonly turn: number;
  readonly prompt: string;
  /** Absolute path of the file that holds the prompt, where it is known already. */
  readonly promptFile?: string;
  /** Folder of the worktree, the agent's working directory. */
  readonly worktree: string;
  /** Why its work came back; absent on a first turn. */
  readonly evidence?: Failure;
}

/** How to start it. The prompt travels by file, which is the child's standard input. */
export interface Launch {
  readonly argv: readonly string[];
  /** Added to the environment every child of ours gets. */
  readonly env: Readonly<Record<string, string>>;
}

export interface AgentInfo {
  readonly name: string;
  /** Absolute path of what will be started. */
  readonly binary: string;
  readonly version?: string;
}

/**
 * One kind of agent: how to start it and how to read what it left. Pure but for `check`; the supervisor runs the
 * process. Nothing here throws: trouble is a failure or a `TurnResult` that is not ok.
 */
export interface Agent {
  readonly name: string;
  /** Lines the agent must print; absent where its exit is enough. */
  readonly signals?: { readonly complete: string; readonly giveUp: string };
  /** Finds the binary once, absolute, or says what is missing. */
  check(): Promise<Result<AgentInfo>>;
  launch(turn: Turn): Launch;
  /** Reads the end of a turn. `tail` is the bounded end of the output. */
  conclude(turn: Turn, end: ProcessEnd, tail: string): TurnResult;
}
