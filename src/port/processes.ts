import { CrossedLimit } from '../model/failure.ts';
import { limits } from '../model/limits.ts';
import type { Owner } from '../model/run.ts';
import { closedUnion, count, int, number, type Of, object, text, words } from '../model/shape.ts';
import type { Confined } from './sandbox.ts';

export interface ProcessLimits {
  readonly wallMs: number;
  /** 0 or absent: no limit. */
  readonly idleMs?: number;
  /** Time until the first output. 0 or absent: no limit. */
  readonly startMs?: number;
  readonly outputBytes: number;
  /** Longest line of stdout. 0 or absent: no limit. Checked only with a listener. */
  readonly lineBytes?: number;
  /** Time to exit after the listener saw the final message; replaces `idleMs` from then on. 0 or absent: no limit. */
  readonly lingerMs?: number;
}

/** Receives the child's stdout while it runs. Must not throw. */
export interface LineListener {
  /**
   * One line without its line break, unredacted while the child runs. Returns true if it may be the final message; a later line revokes
   * that.
   */
  line(text: string): boolean;
}

/**
 * One child, identified by `dir` and `name` for good. The child's side writes `<dir>/<name>.out` and `.err` (output),
 * `.pid` (process) and `.status` (exit status), so they survive us. Output is redacted in place when the child has ended.
 */
export interface ProcessSpec {
  readonly dir: string;
  readonly name: string;
  /** argv[0] is a path or is looked up on PATH of `env`. */
  readonly argv: readonly string[];
  readonly cwd: string;
  /** Complete environment of the child; nothing is inherited. */
  readonly env: Readonly<Record<string, string>>;
  /** File for stdin; empty if absent. */
  readonly stdin?: string;
  readonly limits: ProcessLimits;
  /**
   * Receives every line from the first, once per call of `run`, before that resolves; also for a child that an earlier
   * engine started or that has ended. Stops at a line over `lineBytes` or where the output was cut.
   */
  readonly listener?: LineListener;
  /** Runs the child in a sandbox if one is on. Absent for helpers that run none of the project's code. */
  readonly confined?: Confined;
  /** Default SIGTERM. Some programs report usage only after SIGINT. */
  readonly endSignal?: 'SIGINT' | 'SIGTERM';
}

export type ConfinedSpec = ProcessSpec & Required<Pick<ProcessSpec, 'confined'>>;

/** Command line and environment that run a child in its sandbox. `argv[0]` is a path already. Throws system errors. */
export type Confine = (spec: ConfinedSpec) => Pick<ProcessSpec, 'argv' | 'env'>;

/** Reason why there is no sandbox here, and how to get one. */
export interface NoSandbox {
  readonly cause: string;
  /** Without a period. */
  readonly advice: string;
}

/** The sandbox around the children of a run. `missing`: the user wants one, but it does not work here. */
export type Sandbox =
  | {
      readonly id: 'on';
      readonly mode: 'write' | 'strict';
      readonly confine: Confine;
      readonly ms: number;
      /** Folders of the PATH that children do not find. */
      readonly hiddenPath: readonly string[];
    }
  | { readonly id: 'off' }
  | ({ readonly id: 'missing' } & NoSandbox);

export const HowEnded = closedUnion('id', {
  exited: { code: int },
  signaled: { signal: text },
  /** `value` is in milliseconds, or in bytes for output and line. */
  limit: { limit: CrossedLimit, value: number },
  interrupted: {},
  /** It is gone without a status: it was killed from outside or the machine went down. */
  lost: {},
  'not-started': { cause: text },
});
export type HowEnded = Of<typeof HowEnded>;

/** `left`: a person's process in the child's folder, which was not touched. */
export const Survivor = object({ pid: count, command: text, fate: words('ended', 'left') });
export type Survivor = Of<typeof Survivor>;

export interface ProcessEnd {
  readonly how: HowEnded;
  readonly startedAt: number;
  readonly endedAt: number;
  /** Number of processes that were ended after the child was gone. */
  readonly stragglers: number;
  /** Processes that outlived the child, by pid and command, redacted; absent if there were none. */
  readonly survivors?: readonly Survivor[];
}

/**
 * Runs children. `run` never rejects and is idempotent: for a known spec it follows the running process or returns the
 * recorded end, and never starts a second one. When it resolves no descendant is alive.
 */
export interface Processes {
  run(spec: ProcessSpec): Promise<ProcessEnd>;
  /** Ends a child that `run` follows; without a name all children of the folder. Unknown ones are ignored. */
  interrupt(dir: string, name?: string): void;
  /** Ends every child that `run` follows. */
  interruptAll(): void;
  /** Ends every running child of this folder, whoever started it. */
  endIn(dir: string): Promise<void>;
  /** True if the child may have been started by any process. */
  hasBegun(dir: string, name: string): boolean;
  /** True if the child's end is recorded, so that `run` would only return it. */
  hasEnded(dir: string, name: string): boolean;
  /** Last bytes of stdout, then stderr, as redacted text. */
  tail(dir: string, name: string, bytes: number): Promise<string>;
  /** Passes on all lines of stdout, then stderr, as redacted text. Very long lines are cut. `onLine` must not throw. */
  lines(dir: string, name: string, onLine: (line: string) => void): Promise<void>;
  /** Atomically writes a file next to the child's files, such as its prompt. */
  write(dir: string, file: string, text: string): Promise<string>;
  /** Identity of this process. */
  self(): Owner;
  /** True if exactly this process still runs on this machine. */
  isAlive(owner: Owner): boolean;
}

/**
 * Runs a command to a result of its own. If an earlier run of the same name was interrupted or vanished, it runs again
 * under the next name. A vanishing command gets a bounded number of tries.
 */
export async function runToCompletion(
  processes: Processes,
  spec: ProcessSpec,
): Promise<{ readonly end: ProcessEnd; readonly name: string }> {
  let vanished = 0;
  for (let again = 0; ; again += 1) {
    const name = again === 0 ? spec.name : `${spec.name}-again${again}`;
    const before = processes.hasEnded(spec.dir, name);
    const end = await processes.run({ ...spec, name });
    // An earlier try was interrupted; however often that happened, it does not count.
    if (end.how.id === 'interrupted' && before) continue;
    if (end.how.id !== 'lost') return { end, name };
    vanished += 1;
    if (vanished > limits.commandRestarts) return { end, name };
  }
}

/** Source of time, so that tests can control it. */
export interface Clock {
  /** Milliseconds since 1970. */
  now(): number;
  /** Resolves after `ms`, or when `signal` aborts, whichever is first. Never rejects. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

/** Arguments that run a command in a shell with both streams in one file, in print order. */
export function inOneStream(command: string): readonly string[] {
  return ['sh', '-c', 'exec sh -c "$1" 2>&1', 'sh', command];
}
