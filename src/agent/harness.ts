import type { Action } from '../model/action.ts';
import type { Failure } from '../model/failure.ts';
import type { Usage } from '../model/turn.ts';
import type { AgentHealth, Capabilities, Turn } from '../port/agent.ts';
import type { ProcessEnd } from '../port/processes.ts';
import type { AgentState } from '../port/sandbox.ts';
import { ToolCalls } from './action.ts';
import { finalText } from './stream.ts';

/** Settings of a coding agent from its config profile. */
export interface HarnessOptions {
  readonly name: string;
  readonly args: readonly string[];
  /** `auto`: the agent's own sandbox, if it has one. `none`: it is off, because ours is on or the user wants none. */
  readonly sandbox: 'auto' | 'none';
}

/** A line of the stream that is a JSON object. */
export type Json = Readonly<Record<string, unknown>>;

/** Everything read from a stream so far. */
export interface StreamFacts {
  readonly session?: string | undefined;
  readonly model?: string | undefined;
  /** The last message to the user; only signals in this text count. */
  readonly finalText: string;
  readonly usage?: Usage | undefined;
  /** End of the stream: `ok` or the reported failure; absent before the end. */
  readonly end?: 'ok' | Failure | undefined;
  /** Tools that were refused. */
  readonly denied?: readonly string[];
}

/** Reads the JSON lines of one turn. */
export interface StreamReader {
  /** Returns the actions in this line, for people who follow the agent. */
  line(json: Json): readonly Action[];
  facts(): StreamFacts;
}

/** Base of all readers. The reader of an agent only interprets its lines. */
export abstract class BaseReader implements StreamReader {
  protected readonly turn: ReaderInput;
  protected readonly agent: string;
  protected readonly text = finalText();
  protected readonly tools = new ToolCalls();
  protected denied: readonly string[] = [];
  protected session: string | undefined;
  protected model: string | undefined;
  protected usage: Usage | undefined;
  protected end: StreamFacts['end'];

  constructor(turn: ReaderInput, { name }: Pick<HarnessOptions, 'name'>) {
    this.turn = turn;
    this.agent = name;
  }

  abstract line(json: Json): readonly Action[];

  facts(): StreamFacts {
    const { session, model, usage, end, denied } = this;
    return { session, model, usage, end, denied, finalText: this.text.text() };
  }
}

export type ReaderInput = Pick<Turn, 'session' | 'newSession' | 'sessionUsage' | 'model'>;

/** Arguments and variables that make an agent read-only. Both empty: only the prompt asks for it. */
interface ReadOnlyMode {
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

/** One coding agent's command line, as data and pure functions. `cliAgent` makes an `Agent` of it. */
export interface Harness {
  /** Value of `use:` in a profile. */
  readonly use: string;
  /** Name of the program on PATH. */
  readonly binary: string;
  readonly capabilities: Capabilities;
  readonly endSignal: 'SIGINT' | 'SIGTERM';
  /** Tested versions: from the first, below the second. */
  readonly supported: readonly [from: string, below: string];
  /** Replaces the write permissions in a one-shot call. */
  readonly review: ReadOnlyMode;
  /** Arguments after the program. The prompt is standard input. */
  argv(turn: Turn, options: HarnessOptions): readonly string[];
  env(turn: Turn, options: HarnessOptions): Readonly<Record<string, string>>;
  /** Arguments that open a conversation on a terminal; absent if unsupported. */
  attach?(
    session: string,
    worktree: string,
    options: Pick<HarnessOptions, 'sandbox'>,
  ): readonly string[];
  read(turn: ReaderInput, options: Pick<HarnessOptions, 'name'>): StreamReader;
  /** True for any one line of its stream, because only part of a file may be present. */
  owns(json: Json, type: string): boolean;
  /** Failure of a process that ended without a terminal event, from its exit status and output. */
  diagnose(turn: Turn, end: ProcessEnd, tail: string, options: HarnessOptions): Failure | undefined;
  /** Places of its login, settings and conversations; see `AgentState`. */
  state(env: Readonly<Record<string, string | undefined>>): AgentState;
  /** Looks for a sign-in without reading a secret. */
  signIn(
    env: Readonly<Record<string, string | undefined>>,
    exists: (file: string) => boolean,
  ): Pick<AgentHealth, 'signedIn' | 'signIn' | 'remedy'>;
}

/** Sign-in by the first of these variables that is set. */
export function signInBy(
  env: Readonly<Record<string, string | undefined>>,
  variables: readonly string[],
): { readonly signedIn: 'yes'; readonly signIn: string } | undefined {
  const signIn = variables.find((name) => (env[name] ?? '') !== '');
  return signIn === undefined ? undefined : { signedIn: 'yes', signIn };
}

/** Arguments of Claude Code and Gemini for a new or resumed conversation; a one-shot call has none. */
export function sessionArgs({ purpose, session, newSession }: Turn): readonly string[] {
  if (purpose === 'review') return [];
  return session === undefined ? ['--session-id', newSession] : ['--resume', session];
}
