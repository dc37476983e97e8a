import { spawn } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { notStarted } from './exec.ts';

interface DetachedOptions {
  readonly argv: readonly [string, ...string[]];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** File that its output is appended to; discarded if absent. */
  readonly output?: string;
  /** File with its standard input, which is empty otherwise. */
  readonly input?: string;
}

/** A program that was started. `ended` is its exit status once it has ended, -1 after a signal. */
interface Detached {
  readonly pid: number;
  readonly ended: Promise<number>;
}

/** Starts a program in a session of its own, which outlives this process. */
export function startDetached({
  argv: [program, ...args],
  cwd,
  env,
  output,
  input,
}: DetachedOptions): Promise<Detached> {
  const file = output === undefined ? undefined : openSync(output, 'a', 0o600);
  const source = input === undefined ? undefined : openSync(input, 'r');
  return new Promise<Detached>((resolve, reject) => {
    const sink = file ?? 'ignore';
    const child = spawn(program, args, {
      cwd,
      env,
      detached: true,
      stdio: [source ?? 'ignore', sink, sink],
    });
    child.once('error', (error) => reject(notStarted(program, error.message)));
    child.once('spawn', () => {
      const { pid } = child;
      const ended = new Promise<number>((end) => child.once('exit', (code) => end(code ?? -1)));
      child.unref();
      if (pid === undefined) reject(notStarted(program, 'it has no pid'));
      else resolve({ pid, ended });
    });
  }).finally(() => {
    for (const open of [file, source]) if (open !== undefined) closeSync(open);
  });
}
