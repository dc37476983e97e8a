import { existsSync } from 'node:fs';
import type { Failure } from '../model/failure.ts';
import { killSignalOf } from '../model/fault.ts';
import { limits } from '../model/limits.ts';
import { endedBySignal } from '../model/machine-cause.ts';
import { Trouble } from '../model/trouble.ts';
import { exec } from '../process/exec.ts';
import { gitOptions } from './env.ts';

export interface Output {
  readonly exit: number;
  readonly stdout: Buffer;
  readonly stderr: string;
  /** True if the output was longer than the limit and was cut. */
  readonly cut: boolean;
}

export interface Command {
  readonly cwd: string;
  readonly args: readonly string[];
  readonly input?: string | Uint8Array;
  /** Added to the runner's environment. */
  readonly env?: Readonly<Record<string, string>>;
  /** `limits.gitWallMs` if absent. */
  readonly wallMs?: number;
  /** Ends git once it aborts. */
  readonly signal?: AbortSignal;
  /** Called with the pid of git as soon as it runs. */
  readonly onStart?: (pid: number) => void;
}

/** Runs one git command. A nonzero exit status is not a failure, but a signal is: no caller may take it for an answer. */
export type Run = (command: Command) => Promise<Output>;

export function gitRunner(env: Readonly<Record<string, string>>): Run {
  return async ({ cwd, args, input, env: more, onStart, signal, wallMs = limits.gitWallMs }) => {
    const done = await exec(['git', ...gitOptions, ...args], {
      cwd,
      env: more === undefined ? env : { ...env, ...more },
      wallMs,
      outputBytes: limits.gitOutputBytes,
      input,
      onStart,
      signal,
    });
    if (done.id === 'not-started') {
      // Node reports a missing folder and a missing program with the same error.
      if (existsSync(cwd)) throw new Trouble({ kind: 'git-missing', cause: done.cause });
      throw new Trouble(gitFailed(args, -1, `the folder ${cwd} does not exist`));
    }
    if (done.over === 'wall') {
      throw new Trouble(gitFailed(args, -1, `did not finish within ${wallMs} ms`));
    }
    const { exit, stdout, stderr } = done;
    const cut = done.over === 'output';
    // A git that was started by a script may report the signal as its exit status.
    const endedBy = done.signal ?? killSignalOf(done);
    if (endedBy === undefined || cut) return { exit, stdout, stderr, cut };
    throw new Trouble(gitFailed(args, exit, `${stderr}\n${endedBySignal(endedBy)}`));
  };
}

/** Shortens long arguments and long argument lists for the message. */
export function gitFailed(args: readonly string[], exit: number, stderr: string): Failure {
  return {
    kind: 'git-failed',
    args: args.slice(0, 12).map((arg) => (arg.length > 200 ? `${arg.slice(0, 200)}…` : arg)),
    exit,
    stderr: stderr.trim().slice(0, limits.tailBytes),
  };
}

/** Runs a git command; a nonzero exit status is a failure. */
export async function succeed(run: Run, command: Command): Promise<Output> {
  const done = await run(command);
  if (done.cut) {
    const cause = `printed more than ${limits.gitOutputBytes} bytes`;
    throw new Trouble(gitFailed(command.args, done.exit, cause));
  }
  if (done.exit === 0) return done;
  throw new Trouble(gitFailed(command.args, done.exit, done.stderr));
}

/** Splits NUL-terminated output. Names that are not UTF-8 are decoded lossily. */
export function nulSeparated(output: Buffer): string[] {
  const parts = output.toString('utf8').split('\0');
  if (parts.at(-1) === '') parts.pop();
  return parts;
}

/** Git rejects a NUL in a commit message. */
export function withoutNul(message: string): string {
  return message.replaceAll('\0', '\uFFFD');
}
