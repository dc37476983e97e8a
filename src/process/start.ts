import { spawn } from 'node:child_process';
import type { Wrapped } from './wrapper.ts';

export interface Started {
  readonly pid: number;
  /** Resolves when it exits. */
  readonly exited: Promise<void>;
  /** Set when it exits; null if a signal ended it. */
  readonly code: number | null | undefined;
  /** Kills its whole process group. */
  kill(): void;
}

export interface Surroundings {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly stdio: number[];
}

/** Starts a wrapper in its own session. Errors such as too many processes are returned, not thrown. */
export function startWrapper(
  { file, args }: Wrapped,
  { cwd, env, stdio }: Surroundings,
  keepAlive: boolean,
): Promise<Started | { readonly cause: string }> {
  const child = spawn(file, args, { cwd, env: { ...env }, stdio, detached: true });
  return new Promise((done) => {
    child.once('error', (error) => done({ cause: error.message }));
    const { pid } = child;
    if (pid === undefined) return;
    let code: number | null | undefined;
    const exited = new Promise<void>((leave) => {
      child.once('exit', (exit) => {
        code = exit;
        leave();
      });
    });
    if (!keepAlive) child.unref();
    done({
      pid,
      exited,
      get code() {
        return code;
      },
      kill() {
        // Until `exit` is reported the pid cannot be reused.
        if (code === undefined) process.kill(-pid, 'SIGKILL');
      },
    });
  });
}
