import { spawn } from 'node:child_process';
import type { Wrapped } from './wrapper.ts';

/** A wrapper that is our own child. */
export interface Started {
  readonly pid: number;
  /** Resolves the moment it is gone. */
  readonly exited: Promise<void>;
  /** Set once it is gone; null where a signal ended it. */
  readonly code: number | null | undefined;
  /** Ends it and all in its group at once. */
  kill(): void;
}

export interface Surroundings {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly stdio: number[];
}

/** Starts a wrapper in a session of its own. Trouble such as too many processes is a cause, not an exception. */
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
        // Until `exit` is reported the pid cannot belong to anybody else.
        if (code === undefined) process.kill(-pid, 'SIGKILL');
      },
    });
  });
}
