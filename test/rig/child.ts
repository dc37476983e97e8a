// The built program as a real child process, without a terminal.
import { type ChildProcess, spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { until } from './until.ts';

export const program = fileURLToPath(new URL('../../dist/main.js', import.meta.url));

export interface Ended {
  /** The exit status, or null where a signal ended it. */
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface ChildOptions {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  /** Standard input; empty where absent. */
  readonly stdin?: string;
  /** Command that the command line of the program is appended to, such as `unshare --uts`. */
  readonly under?: readonly string[];
}

/** One `ym` at work in the background. */
export interface Child {
  readonly pid: number;
  stdout(): string;
  stderr(): string;
  /** True once it is gone. */
  isOver(): boolean;
  /** Waits until its standard output holds a text, and fails when it ends without. */
  until(text: string): Promise<void>;
  signal(name: NodeJS.Signals): void;
  /** Waits until it is gone and its output is complete. */
  end(): Promise<Ended>;
}

/** Longer than any test's own limit for a condition; a child that takes longer hangs. */
const endMs = 90_000;

export function startChild(args: readonly string[], options: ChildOptions): Child {
  const [file = '', ...rest] = [...(options.under ?? []), process.execPath, program, ...args];
  const child = spawn(file, rest, {
    cwd: options.cwd,
    env: options.env,
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  const out = collect(child, 'stdout');
  const err = collect(child, 'stderr');
  let over: Ended | undefined;
  const ended = new Promise<Ended>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code, signal) => {
      over = { code, signal, stdout: out(), stderr: err() };
      resolve(over);
    });
  });
  // A child that ends before it has read its input closes the pipe; that is its right.
  child.stdin.on('error', () => {});
  child.stdin.end(options.stdin ?? '');
  const { pid } = child;
  if (pid === undefined) throw new Error(`node could not be started in ${options.cwd}`);
  const says = (): string => `ym ${args.join(' ')}\n--- stdout\n${out()}\n--- stderr\n${err()}`;
  return {
    pid,
    stdout: out,
    stderr: err,
    isOver: () => over !== undefined,
    async until(text) {
      const found = (): boolean => out().includes(text);
      await until(
        () => found() || over !== undefined,
        () => `"${text}" from ${says()}`,
      );
      if (!found()) throw new Error(`Ended without "${text}": ${says()}`);
    },
    signal: (name) => {
      if (over === undefined) child.kill(name);
    },
    async end() {
      await until(
        () => over !== undefined,
        () => `the end of ${says()}`,
        endMs,
      );
      return ended;
    },
  };
}

/** A shell on a terminal of its own. */
export interface Terminal {
  /** All that was shown so far, escape codes included. */
  output(): string;
  /** Types keys, as a person would. */
  type(keys: string): void;
  /** Waits for the end and gives the exit status. */
  end(): Promise<number | null>;
}

/** Runs a line of shell on a terminal that `script` of util-linux makes; there `ym` is the built program. */
export function startTerminal(line: string, options: Omit<ChildOptions, 'stdin'>): Terminal {
  const ym = `ym() { '${process.execPath}' '${program}' "$@"; }; ${line}`;
  const child = spawn('script', ['--quiet', '--return', '--command', ym, '/dev/null'], {
    ...options,
    env: { ...options.env, TERM: 'xterm-256color', SHELL: '/bin/bash' },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  const output = collect(child, 'stdout');
  let over: { readonly code: number | null } | undefined;
  child.once('close', (code) => {
    over = { code };
  });
  child.stdin.on('error', () => {});
  return {
    output,
    type: (keys) => {
      child.stdin.write(keys);
    },
    async end() {
      await until(
        () => over !== undefined,
        () => `the end of ${line}\n${output()}`,
        endMs,
      );
      return over?.code ?? null;
    },
  };
}

function collect(child: ChildProcess, name: 'stdout' | 'stderr'): () => string {
  const chunks: Buffer[] = [];
  child[name]?.on('data', (chunk: Buffer) => chunks.push(chunk));
  return () => Buffer.concat(chunks).toString('utf8');
}
