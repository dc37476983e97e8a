import type { TurnReason, TurnResult, Usage } from '../model/attempt.ts';
import type { Result } from '../model/failure.ts';
import type { Task } from '../model/task.ts';
import type { LineListener, ProcessEnd } from '../process/processes.ts';

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
  /** What this turn is about; absent on a first turn. */
  readonly turnReason?: TurnReason;
  /** The conversation to go on with; absent for a new one. */
  readonly session?: string;
  /** The id, a UUID, that a new conversation gets where the agent lets us choose it. The same in every try. */
  readonly newSession: string;
  /** What the conversation to go on with has used so far. */
  readonly sessionUsage?: Usage;
  readonly model?: string;
  readonly reasoning?: string;
  /**
   * `review`: the agent only looks and answers, in one turn by itself. No conversation is named or gone on with, nothing
   * it says is a word of the protocol, and it is held to reading as far as it can be. Its answer is in the result.
   */
  readonly purpose?: 'review';
  /** What it looks at before there is any work; the work itself where absent. */
  readonly step?: 'critique' | 'improve';
  /** Which round of such looks it is, and how often it was asked in this round; from 1. */
  readonly round?: number;
  readonly again?: number;
}

/** How to start it. The prompt travels by file, which is the child's standard input. */
export interface Launch {
  readonly argv: readonly string[];
  /** Added to the environment every child of ours gets. */
  readonly env: Readonly<Record<string, string>>;
  /** What ends it politely; see `ProcessSpec`. */
  readonly endSignal?: 'SIGINT' | 'SIGTERM';
}

export interface AgentInfo {
  readonly name: string;
  /** Absolute path of what will be started. */
  readonly binary: string;
}

/** What `ym doctor` says about an agent beside where it is. Found out by running it, without asking a model. */
export interface AgentHealth {
  readonly version?: string;
  /** The versions it was tried with, for people, such as `2.1.0 to 2.1.x`. */
  readonly supported?: string;
  /** Whether the version found is one of them; absent where nobody can tell. */
  readonly fits?: boolean;
  readonly signedIn: 'yes' | 'no' | 'unknown';
  /** Where the sign-in was found or looked for, never a value: `ANTHROPIC_API_KEY`, `~/.codex/auth.json`. */
  readonly signIn?: string;
  /** What to do when not signed in. */
  readonly remedy?: string;
}

/** What an agent can do; a row of the table in the docs, and what the conformance suite expects of it. */
export interface Capabilities {
  /** Whether a conversation can be gone on with, and who names it. */
  readonly sessions: 'ours' | 'theirs' | 'none';
  /** Whether it reports tokens, and whether those of a resumed turn include the turns before. */
  readonly usage: 'turn' | 'conversation' | 'none';
  /** Whether it reports what it cost. */
  readonly cost: boolean;
  readonly model: boolean;
  readonly reasoning: boolean;
}

/** Reads one turn while it runs, and says in the end what became of it. */
export interface TurnListener extends LineListener {
  /** True where the end of the output is all it needs: then nothing is read while the agent prints, however much. */
  readonly ignoresOutput?: boolean;
  /**
   * `tail` is the bounded end of the output, standard error after standard output, without secrets. A turn that reviews
   * needs no more than an end without trouble to be good, and only then has an answer.
   */
  conclude(end: ProcessEnd, tail: string): TurnResult;
}

/**
 * One kind of agent: how to start it and how to read what it says. Pure but for `check` and `probe`; the supervisor runs
 * the process. Nothing here throws: trouble is a failure or a `TurnResult` that is not ok.
 */
export interface Agent {
  readonly name: string;
  readonly capabilities: Capabilities;
  /** Lines the agent must print; absent where its exit is enough. */
  readonly signals?: { readonly complete: string; readonly giveUp: string };
  /** Finds the binary once, absolute, or says what is missing. */
  check(): Promise<Result<AgentInfo>>;
  /** Only after a successful `check`. Bounded in time. */
  probe(): Promise<AgentHealth>;
  launch(turn: Turn): Launch;
  listen(turn: Turn): TurnListener;
  /** Opens a conversation for a person on a terminal; absent where the agent has no such thing. */
  attach?(session: string): Launch;
}
