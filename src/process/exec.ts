import { spawn } from 'node:child_process';

export interface ExecOptions {
  readonly cwd: string;
  /** The whole environment of the child; nothing else is inherited. */
  readonly env: Readonly<Record<string, string>>;
  /** What the child reads as standard input; nothing where absent. */
  readonly input?: string | Uint8Array;
  readonly wallMs: number;
  /** Standard output that is kept. A child that prints more is ended. */
  readonly outputBytes: number;
}

export type Executed =
  | {
      readonly id: 'ended';
      /** -1 when a signal ended it. */
      readonly exit: number;
      readonly signal?: string;
      readonly stdout: Buffer;
      /** The first part of what it said there, as text. */
      readonly stderr: string;
      /** The bound it was ended for; `stdout` then holds what came until then. */
      readonly over?: 'wall' | 'output';
    }
  | { readonly id: 'not-started'; readonly cause: string };

/** From the polite signal, on which git removes its lock files, to the one that cannot be refused. */
const GRACE_MS = 3_000;
/** How long a grandchild may hold our pipes open after the child has ended. */
const DRAIN_MS = 500;
const STDERR_BYTES = 64 * 1024;

/** Keeps the first `limit` bytes of a stream, and says when there were more. */
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
 * Runs a short-lived command and captures what it prints. Never rejects. The child leads a process group of its own:
 * a Ctrl-C in the terminal does not reach it half way, and ending it ends what it started.
 */
export function exec(argv: readonly string[], options: ExecOptions): Promise<Executed> {
  const [file = '', ...args] = argv;
  return new Promise((resolve) => {
    let over: 'wall' | 'output' | undefined;
    let settled = false;
    const timers: NodeJS.Timeout[] = [];
    const child = start(file, args, options);
    if (typeof child === 'string') return resolve({ id: 'not-started', cause: child });
    const settle = (result: Executed): void => {
      if (settled) return;
      settled = true;
      for (const timer of timers) clearTimeout(timer);
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
    // A child may end without reading its input; that is its own business.
    child.stdin.on('error', () => {});
    child.stdin.end(options.input ?? '');
    child.on('close', (code, signal) => settle(ended(code, signal)));
    child.on('exit', (code, signal) => {
      timers.push(setTimeout(() => settle(ended(code, signal)), DRAIN_MS));
    });
    timers.push(setTimeout(() => endFor('wall'), options.wallMs));
  });
}

/** The child, or why there is none. Out of file handles, node gives a child without pipes. */
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

/** A group that is gone already needs no signal. */
function signalGroup(pid: number | undefined, signal: NodeJS.Signals): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, signal);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error;
  }
}
