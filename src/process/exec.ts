import { spawn } from 'node:child_process';
import { type Trouble, trouble } from '../model/trouble.ts';

export interface ExecOptions {
  readonly cwd: string;
  /** Complete environment of the child; nothing is inherited. */
  readonly env: Readonly<Record<string, string>>;
  /** Standard input; empty if absent. */
  readonly input?: string | Uint8Array;
  readonly wallMs: number;
  /** Called with the pid as soon as the child runs. */
  readonly onStart?: (pid: number) => void;
  /** Limit for stdout. A child that prints more is ended. */
  readonly outputBytes: number;
  /** Kills the child at once. */
  readonly signal?: AbortSignal;
}

export type Executed =
  | {
      readonly id: 'ended';
      /** -1 if a signal ended it. */
      readonly exit: number;
      readonly signal?: string;
      readonly stdout: Buffer;
      /** First part of stderr. */
      readonly stderr: string;
      /** Limit it was ended for; `stdout` holds the output until then. */
      readonly over?: 'wall' | 'output';
    }
  | { readonly id: 'not-started'; readonly cause: string };

/** From SIGTERM, on which git removes its lock files, to SIGKILL. */
const GRACE_MS = 3_000;
/** Time that a grandchild may hold our pipes open after the child has ended. */
const DRAIN_MS = 500;
const STDERR_BYTES = 64 * 1024;

/** Keeps the first `limit` bytes of a stream; calls `onOver` if there are more. */
function collector(limit: number, onOver: () => void) {
  const chunks: Buffer[] = [];
  let size = 0;
  return {
    add(chunk: Buffer): void {
      const room = limit - size;
      if (room > 0) chunks.push(chunk.length > room ? chunk.subarray(0, room) : chunk);
      size += chunk.length;
      if (size > limit) onOver();
    },
    all: (): Buffer => Buffer.concat(chunks),
  };
}

/**
 * Runs a short-lived command and captures its output. Never rejects. The child leads its own process group: Ctrl-C does
 * not reach it, and ending it ends its children.
 */
export function exec(argv: readonly string[], options: ExecOptions): Promise<Executed> {
  const [file = '', ...args] = argv;
  return new Promise((resolve) => {
    let over: 'wall' | 'output' | undefined;
    let settled = false;
    const timers: NodeJS.Timeout[] = [];
    const child = start(file, args, options);
    if (typeof child === 'string') return resolve({ id: 'not-started', cause: child });
    if (child.pid !== undefined) options.onStart?.(child.pid);
    const kill = (): void => signalGroup(child.pid, 'SIGKILL');
    options.signal?.addEventListener('abort', kill);
    // A signal that has aborted before sends no event.
    if (options.signal?.aborted) kill();
    const settle = (result: Executed): void => {
      if (settled) return;
      settled = true;
      for (const timer of timers) clearTimeout(timer);
      options.signal?.removeEventListener('abort', kill);
      child.stdout.destroy();
      child.stderr.destroy();
      child.stdin.destroy();
      resolve(result);
    };
    const endFor = (bound: 'wall' | 'output'): void => {
      if (over !== undefined) return;
      over = bound;
      signalGroup(child.pid, 'SIGTERM');
      timers.push(setTimeout(() => signalGroup(child.pid, 'SIGKILL'), GRACE_MS));
    };
    const stdout = collector(options.outputBytes, () => endFor('output'));
    const stderr = collector(STDERR_BYTES, () => {});
    const ended = (code: number | null, signal: NodeJS.Signals | null): Executed => ({
      id: 'ended',
      exit: code ?? -1,
      ...(signal === null ? {} : { signal }),
      stdout: stdout.all(),
      stderr: stderr.all().toString('utf8'),
      ...(over === undefined ? {} : { over }),
    });

    child.on('error', (error) => settle({ id: 'not-started', cause: error.message }));
    child.stdout.on('data', (chunk: Buffer) => stdout.add(chunk));
    child.stderr.on('data', (chunk: Buffer) => stderr.add(chunk));
    // A child may exit without reading its input.
    child.stdin.on('error', () => {});
    child.stdin.end(options.input ?? '');
    child.on('close', (code, signal) => settle(ended(code, signal)));
    const drain = (code: number | null, signal: NodeJS.Signals | null): void => {
      const before = stdout.all().length + stderr.all().length;
      // After a long pause of this process the timer is due before the output is read; the immediate runs after that.
      const check = (): void => {
        const isQuiet = stdout.all().length + stderr.all().length === before;
        if (isQuiet) settle(ended(code, signal));
        else drain(code, signal);
      };
      timers.push(setTimeout(() => setImmediate(check), DRAIN_MS));
    };
    child.on('exit', drain);
    timers.push(setTimeout(() => endFor('wall'), options.wallMs));
  });
}

/** Returns the child, or the error. Out of file handles, Node returns a child without pipes. */
function start(file: string, args: readonly string[], options: ExecOptions) {
  try {
    const child = spawn(file, args, {
      cwd: options.cwd,
      env: options.env,
      detached: true,
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    if (child.stdin !== undefined) return child;
    child.on('error', () => {});
    return 'no file handle was left for its pipes';
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

/** A missing group needs no signal. */
function signalGroup(pid: number | undefined, signal: NodeJS.Signals): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, signal);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error;
  }
}

interface ForegroundOptions {
  readonly argv: readonly [string, ...string[]];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
}

/**
 * Runs a program in the user's terminal and returns its exit status; -1 if a signal ended it. Ignores Ctrl-C meanwhile,
 * since it is meant for that program.
 */
export function runForeground({ argv, cwd, env }: ForegroundOptions): Promise<number> {
  const [program, ...args] = argv;
  const pass = (): void => undefined;
  process.on('SIGINT', pass);
  process.on('SIGQUIT', pass);
  return new Promise<number>((resolve, reject) => {
    const child = spawn(program, args, { cwd, env: { ...env }, stdio: 'inherit' });
    child.once('error', (error) => reject(notStarted(program, error.message)));
    child.once('close', (code) => resolve(code ?? -1));
  }).finally(() => {
    process.off('SIGINT', pass);
    process.off('SIGQUIT', pass);
  });
}

/** A program that a person asked for, and that the machine cannot start. */
export function notStarted(program: string, cause: string): Trouble {
  return trouble('not-started', {
    whose: 'user',
    what: `${program} cannot be started (${cause}).`,
    do: 'Check that it is installed.',
  });
}
