import type { Usage } from '../model/attempt.ts';
import type { Failure } from '../model/failure.ts';
import type { ProcessEnd } from '../process/processes.ts';
import type { Action } from './action.ts';
import type { AgentHealth, Capabilities, Turn } from './agent.ts';

/** What a profile of the config says about a coding agent's own command line. */
export interface HarnessOptions {
  /** Name of the profile. */
  readonly name: string;
  /** Further words, put where the agent takes flags. */
  readonly args: readonly string[];
  /** `none`: the agent may do whatever the user may. `auto`: as far as the agent itself can be held in. */
  readonly sandbox: 'auto' | 'none';
}

/** A line of the stream that is a JSON object. */
export type Json = Readonly<Record<string, unknown>>;

/** All that a stream has told. */
export interface StreamFacts {
  readonly session?: string;
  readonly model?: string;
  /** What the agent said last, to people: the text in which signals count. */
  readonly finalText: string;
  readonly usage?: Usage;
  /** The terminal event: `ok`, or the failure it reports; absent while there was none. */
  readonly end?: 'ok' | Failure;
  /** Tools it was not allowed to use. */
  readonly denied?: readonly string[];
}

/** Folds the lines of one turn. Lines that are not JSON objects are passed over before they get here. */
export interface StreamReader {
  /** The agent's actions in this line, for people who follow it. */
  line(json: Json): readonly Action[];
  facts(): StreamFacts;
}

/** Facts of a turn that its reader needs. */
export type ReaderInput = Pick<Turn, 'session' | 'newSession' | 'sessionUsage' | 'model'>;

/** How an agent is held to reading: words of its command line, and variables. Both empty: by what it is told alone. */
export interface ReadOnlyMode {
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

/** One coding agent's command line, as data and pure functions. `cliAgent` makes an `Agent` of it. */
export interface Harness {
  /** The word behind `use:` in a profile. */
  readonly use: string;
  /** What is looked for on PATH. */
  readonly binary: string;
  readonly capabilities: Capabilities;
  readonly endSignal: 'SIGINT' | 'SIGTERM';
  /** The versions it was tried with: from the first up to, not including, the second. */
  readonly supported: readonly [from: string, below: string];
  /** What takes the place of its leave to work in a turn that only looks, as data. */
  readonly review: ReadOnlyMode;
  /** The words after the binary. The prompt is standard input, never a word. */
  argv(turn: Turn, options: HarnessOptions): readonly string[];
  env(turn: Turn, options: HarnessOptions): Readonly<Record<string, string>>;
  /** The words after the binary that open a conversation for a person on a terminal; absent where it cannot. */
  attach?(session: string): readonly string[];
  read(turn: ReaderInput, options: Pick<HarnessOptions, 'name'>): StreamReader;
  /** What a process that ended without a terminal event of its own died of, by its status and what it printed. */
  diagnose(turn: Turn, end: ProcessEnd, tail: string, options: HarnessOptions): Failure | undefined;
  /** Looks for a sign-in without reading a secret; `exists` asks for a file. */
  signIn(
    env: Readonly<Record<string, string | undefined>>,
    exists: (file: string) => boolean,
  ): Pick<AgentHealth, 'signedIn' | 'signIn' | 'remedy'>;
}
