import type { TurnReason } from '../model/attempt.ts';
import type { CallKind } from '../model/call.ts';
import type { Result } from '../model/failure.ts';
import type { TurnResult, Usage } from '../model/turn.ts';
import type { LineListener, ProcessEnd } from './processes.ts';
import type { AgentState } from './sandbox.ts';

/** Input of one agent turn. */
export interface Turn {
  /** Id of the task; a name such as `plan` for a call about a graph or a run. */
  readonly subject: string;
  readonly run: string;
  readonly attempt: number;
  /** 1 for the first turn of the attempt. */
  readonly turn: number;
  readonly prompt: string;
  /** Absolute path of the prompt file, if already known. */
  readonly promptFile?: string;
  /** Path of the worktree, the agent's working directory. */
  readonly worktree: string;
  /** Folder that `ym agent` writes to during this turn. Reviews and critiques have none. */
  readonly mailbox?: string;
  /** Reason for this turn; absent for the first turn. */
  readonly turnReason?: TurnReason;
  /** Conversation to resume; absent for a new one. */
  readonly session?: string;
  /** UUID for a new conversation, if the agent accepts one from us. The same for every retry. */
  readonly newSession: string;
  /** Usage of the resumed conversation so far. */
  readonly sessionUsage?: Usage;
  readonly model?: string;
  readonly reasoning?: string;
  /**
   * `review` is a one-shot call: the agent answers in one turn, without a conversation, and as read-only as it allows.
   * Protocol lines in its output do not count. The answer is in the result.
   */
  readonly purpose?: 'review';
  /** Subject of a one-shot call that is no review of work; `probe` only asks whether the model answers. */
  readonly step?: Exclude<CallKind, 'review'> | 'batch' | 'revision' | 'probe';
  /** Round of the one-shot call, and try within the round; both from 1. */
  readonly round?: number;
  readonly again?: number;
}

/** Command that starts the agent. The prompt file is the child's standard input. */
export interface Launch {
  readonly argv: readonly string[];
  /** Added to the environment of every child process. */
  readonly env: Readonly<Record<string, string>>;
  /** Parts of the user's home that the program needs in a sandbox. */
  readonly state: AgentState;
  /** Signal for a polite stop; see `ProcessSpec`. */
  readonly endSignal?: 'SIGINT' | 'SIGTERM';
  /** True for a client of our own that runs none of the project's code and reads no files: no sandbox is around it. */
  readonly unconfined?: true;
}

export interface AgentInfo {
  readonly name: string;
  /** Absolute path of the program. */
  readonly binary: string;
}

/** Facts about an agent for `ym doctor`. Found by running the program, without calling a model. */
export interface AgentHealth {
  readonly version?: string;
  /** Tested versions, for people, such as `2.1.0 to 2.1.x`. */
  readonly supported?: string;
  /** True if the version is a tested one; absent if unknown. */
  readonly fits?: boolean;
  readonly signedIn: 'yes' | 'no' | 'unknown';
  /** Place where the sign-in was found or expected, never its value: `ANTHROPIC_API_KEY`, `~/.codex/auth.json`. */
  readonly signIn?: string;
  /** Advice if it is not signed in. */
  readonly remedy?: string;
}

/** Abilities of an agent. The docs list it, and the conformance suite tests it. */
export interface Capabilities {
  /** Side that chooses the ids of conversations; `none` if they cannot be resumed. */
  readonly sessions: 'ours' | 'theirs' | 'none';
  /** Scope of the reported tokens: the turn, or the whole conversation so far; `none` without a report. */
  readonly usage: 'turn' | 'conversation' | 'none';
  readonly cost: boolean;
  readonly model: boolean;
  readonly reasoning: boolean;
}

/** Reads the output of one turn while it runs and returns the result at its end. */
export interface TurnListener extends LineListener {
  /** True if only the tail of the output is needed, so that nothing is read while the agent runs. */
  readonly ignoresOutput?: boolean;
  /**
   * `tail` is the bounded end of standard output and then standard error, without secrets. A review needs only a clean
   * exit to succeed; only then it has an answer.
   */
  conclude(end: ProcessEnd, tail: string): TurnResult;
}

/**
 * One kind of agent: how to start it and how to read its output. Only `check` and `probe` touch the machine; the
 * supervisor runs the process. Nothing throws: an error is a failure or a `TurnResult` that is not ok.
 */
export interface Agent {
  readonly name: string;
  readonly capabilities: Capabilities;
  /** True if it answers one-shot calls only: it sees nothing but the prompt, so it cannot take turns. */
  readonly oneShotOnly?: true;
  /** Lines the agent must print; absent if its exit status is enough. */
  readonly signals?: { readonly complete: string; readonly giveUp: string };
  /** Finds the absolute path of the program. */
  check(): Promise<Result<AgentInfo>>;
  /** Call only after a successful `check`. Bounded in time. */
  probe(): Promise<AgentHealth>;
  launch(turn: Turn): Launch;
  listen(turn: Turn): TurnListener;
  /** Opens a conversation on the user's terminal; absent if the agent cannot do that. */
  attach?(session: string, worktree: string): Pick<Launch, 'argv' | 'env' | 'state'>;
}
