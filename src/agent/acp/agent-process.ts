import { spawn } from 'node:child_process';
import { constants } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import { bounds } from './event.ts';

/** Exit status as a shell reports it, or why the process did not start. */
export type AgentExit = { readonly exit: number } | { readonly cause: string };

export interface AgentProcess {
  write(text: string): void;
  /** Resolves when the process has exited and its output was read. */
  readonly exited: Promise<AgentExit>;
  /** Resolves when the output is closed; true if the process is still running. */
  readonly outputClosed: Promise<boolean>;
  /** Closes the input, then sends SIGTERM, then SIGKILL. Resolves at the exit. */
  end(patienceMs: number): Promise<AgentExit>;
}

/**
 * Starts the agent in our process group, so that ending the group ends both. Standard error and the environment, with
 * the mark that identifies descendants, are passed on.
 */
export function startAgent(
  argv: readonly string[],
  cwd: string,
  hear: (chunk: Buffer) => void,
): AgentProcess {
  const [file = '', ...args] = argv;
  const child = spawn(file, args, { cwd, stdio: ['pipe', 'pipe', 'inherit'] });
  const { stdin, stdout } = child;
  stdout.on('data', hear);
  // Writing to an agent that just died fails here; its exit is reported anyway.
  stdin.on('error', () => undefined);
  const closed = new Promise<void>((done) => stdout.once('close', () => done()));
  const gone = new Promise<AgentExit>((done) => {
    child.once('error', (error) => {
      if (child.pid === undefined) done({ cause: error.message });
    });
    child.once('exit', (code, signal) => {
      void Promise.race([closed, delay(bounds.drainMs, undefined, { ref: false })]).then(() => {
        // A process the agent left behind may keep the pipe open.
        stdout.destroy();
        done({ exit: code ?? 128 + (signal === null ? 0 : constants.signals[signal]) });
      });
    });
  });
  return {
    write: (text) => void stdin.write(text),
    exited: gone,
    outputClosed: closed.then(async () => !(await within(gone, bounds.silencedMs))),
    async end(patienceMs) {
      stdin.end();
      if (await within(gone, patienceMs)) return gone;
      child.kill('SIGTERM');
      if (await within(gone, bounds.killMs)) return gone;
      child.kill('SIGKILL');
      return gone;
    },
  };
}

async function within(gone: Promise<AgentExit>, ms: number): Promise<boolean> {
  const timer = new AbortController();
  const late = delay(ms, false, { signal: timer.signal }).catch(() => false);
  const isGone = await Promise.race([gone.then(() => true), late]);
  timer.abort();
  return isGone;
}
