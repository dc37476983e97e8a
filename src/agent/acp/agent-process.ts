import { spawn } from 'node:child_process';
import { constants } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import { bounds } from './event.ts';

/** Exit status as a shell reports it, or why the process did not start. */
type AgentExit = { readonly exit: number } | { readonly cause: string };

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

interface LineSink {
  line(text: string): void;
  /** A line over the limit: its first bytes and its whole length. */
  tooLong(head: string, bytes: number): void;
}

export interface LineSplitter {
  push(chunk: Buffer): void;
  /** Emits the rest after the last line end. */
  end(): void;
}

const headBytes = 1024;
const lineEnd = 10;

/** Splits bytes into lines and buffers at most `limit` bytes. */
export function lineSplitter(limit: number, sink: LineSink): LineSplitter {
  let parts: Buffer[] = [];
  let bytes = 0;
  let head: string | undefined;

  function take(piece: Buffer): void {
    bytes += piece.length;
    if (head !== undefined) return;
    parts.push(piece);
    if (bytes <= limit) return;
    head = Buffer.concat(parts.map((part) => part.subarray(0, headBytes)))
      .subarray(0, headBytes)
      .toString('utf8');
    parts = [];
  }

  function finish(): void {
    const text = Buffer.concat(parts).toString('utf8');
    const long = head;
    const length = bytes;
    parts = [];
    bytes = 0;
    head = undefined;
    if (long !== undefined) sink.tooLong(long, length);
    else if (text.trim() !== '') sink.line(text);
  }

  return {
    push(chunk) {
      let from = 0;
      for (;;) {
        const at = chunk.indexOf(lineEnd, from);
        take(chunk.subarray(from, at === -1 ? chunk.length : at));
        if (at === -1) return;
        finish();
        from = at + 1;
      }
    },
    end: finish,
  };
}
