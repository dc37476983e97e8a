import type { CrossedLimit } from '../model/failure.ts';
import type { Owner } from '../model/run.ts';

export interface ProcessLimits {
  readonly wallMs: number;
  /** 0 or absent: none. */
  readonly idleMs?: number;
  /** Until the first output. 0 or absent: none. */
  readonly startMs?: number;
  readonly outputBytes: number;
  /** One line of standard output. 0 or absent: none; only looked at where somebody listens. */
  readonly lineBytes?: number;
  /**
   * How long it may live on after its listener heard the last word; from then on this counts instead of `idleMs`. 0 or
   * absent: for ever.
   */
  readonly lingerMs?: number;
}

/** Hears what a child prints to standard output while it runs. Must not throw. */
export interface LineListener {
  /**
   * One whole line without its end, secrets included. True where the child may have said its last word with it; a later
   * line takes that back.
   */
  line(text: string): boolean;
}

/**
 * One child. `dir` and `name` are its identity for ever: output goes to `<dir>/<name>.out` and `<name>.err`, who runs it
 * to `<name>.pid`, its exit status to `<name>.status`, all written by the child's side, so they survive us.
 */
export interface ProcessSpec {
  readonly dir: string;
  readonly name: string;
  /** argv[0] is an absolute path or found on PATH of `env`. */
  readonly argv: readonly string[];
  readonly cwd: string;
  /** The whole environment of the child; nothing else is inherited. */
  readonly env: Readonly<Record<string, string>>;
  /** File the child reads as standard input; an empty one where absent. */
  readonly stdin?: string;
  readonly limits: ProcessLimits;
  /**
   * Hears every line from the first, once in every call of `run`, before that resolves; also of a child that an earlier
   * engine started, or that has ended already. From a line on that crosses `lineBytes`, or the place where the output was
   * cut, nothing is handed on.
   */
  readonly listener?: LineListener;
  /** The polite signal; SIGTERM where absent. Some programs report what they used only after SIGINT. */
  readonly endSignal?: 'SIGINT' | 'SIGTERM';
}

export type HowEnded =
  | { readonly id: 'exited'; readonly code: number }
  | { readonly id: 'signalled'; readonly signal: string }
  | {
      readonly id: 'limit';
      readonly limit: CrossedLimit;
      /** The bound that was crossed: milliseconds, or bytes for output and line. */
      readonly value: number;
    }
  /** Ended by `interrupt`. */
  | { readonly id: 'interrupted' }
  /** It was started, is gone, and left no status: the machine or somebody ended it. */
  | { readonly id: 'lost' }
  | { readonly id: 'not-started'; readonly cause: string };

export interface ProcessEnd {
  readonly how: HowEnded;
  readonly startedAt: number;
  readonly endedAt: number;
  /** Descendants that had to be ended after the child was gone. */
  readonly stragglers: number;
}

/**
 * Runs children. `run` never rejects, and is safe to call again for a spec that was started before: it follows the
 * running process, or returns the recorded end, and never starts a second one. When it resolves no descendant of the
 * child is alive.
 */
export interface Processes {
  run(spec: ProcessSpec): Promise<ProcessEnd>;
  /**
   * Ends a child that `run` follows, politely and then for good; without a name all that have their files in the folder.
   * Unknown ones are ignored.
   */
  interrupt(dir: string, name?: string): void;
  /** Ends every child that `run` follows now. */
  interruptAll(): void;
  /** Ends every child that was started in this folder and still runs, whoever started it. */
  endIn(dir: string): Promise<void>;
  /** Whether this child may have been started by anybody: until it is, nothing has been done by it. */
  hasBegun(dir: string, name: string): boolean;
  /** Whether the end of this child is already on record, so that `run` would only repeat it. */
  hasEnded(dir: string, name: string): boolean;
  /** The last bytes of what a child printed, standard error after standard output, as text without known secrets. */
  tail(dir: string, name: string, bytes: number): Promise<string>;
  /**
   * Hands on all that a child printed, line by line, standard error after standard output, as text without known secrets.
   * Of a very long line only the beginning is handed on. `hear` must not throw.
   */
  lines(dir: string, name: string, hear: (line: string) => void): Promise<void>;
  /** Writes a file beside a child's own (its prompt, its task), whole or not at all. */
  write(dir: string, file: string, text: string): Promise<string>;
  /** This very process. */
  self(): Owner;
  /** Whether exactly this process still runs on this machine. */
  isAlive(owner: Owner): boolean;
}
