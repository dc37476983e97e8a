import { spawn } from 'node:child_process';
import { constants } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import { bounds } from './event.ts';

/** How the agent's process ended: with a status as a shell reports it, or it was never started. */
export type AgentExit = { readonly exit: number } | { readonly cause: string };

/** The agent's own process, as the client's child. */
export interface AgentProcess {
  write(text: string): void;
  /** Resolves when it has ended and what it printed has been heard. */
  readonly exited: Promise<AgentExit>;
  /** Resolves when nothing more will come out of it; true if it lives on nevertheless. */
  readonly outputClosed: Promise<boolean>;
  /** Ends its input, then asks it to go, then makes it go. Resolves when it is gone. */
  end(patienceMs: number): Promise<AgentExit>;
}

/**
 * Starts the agent. It stays in our process group, so that whoever ends the group ends both; its standard error is
 * ours. The environment is passed on whole, with the mark by which descendants are found.
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
  // Writing to an agent that has just died fails here and shows as its end.
  stdin.on('error', () => undefined);
  const closed = new Promise<void>((done) => stdout.once('close', () => done()));
  const gone = new Promise<AgentExit>((done) => {
    child.once('error', (error) => {
      if (child.pid === undefined) done({ cause: error.message });
    });
    child.once('exit', (code, signal) => {
      void Promise.race([closed, delay(bounds.drainMs, undefined, { ref: false })]).then(() => {
        // Something the agent left behind may hold the pipe; it must not hold us.
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
