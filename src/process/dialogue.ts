import { spawn } from 'node:child_process';

interface DialogueOptions {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly onData: (chunk: Buffer) => void;
  /** Called once when the child has ended or failed to start; `signal` ended it, if it was not our own. */
  readonly onEnd: (cause: string, signal?: string) => void;
}

/** Long-lived child that answers on stdout what it is asked on stdin. */
export interface Dialogue {
  say(text: string): void;
  /** True while an answer is pending; only then the child keeps this process alive. */
  waiting(yes: boolean): void;
  /** Closes the child's stdin and waits for its end. */
  end(): Promise<void>;
  kill(): void;
}

/** Time to end after stdin was closed. */
const END_MS = 2_000;

/**
 * Starts the child. Its stderr is not read. It leads its own process group, so Ctrl-C does not reach it while it is
 * needed; it ends when its stdin closes, also when this process dies.
 */
export function dialogue(argv: readonly string[], options: DialogueOptions): Dialogue {
  const [file = '', ...args] = argv;
  const child = spawn(file, args, {
    cwd: options.cwd,
    env: options.env,
    detached: true,
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  let over = false;
  let isEndedByUs = false;
  const gone = new Promise<void>((resolve) => {
    const finish = (cause: string, signal?: string): void => {
      if (over) return;
      over = true;
      options.onEnd(cause, signal);
      resolve();
    };
    child.on('error', (error) => finish(error.message));
    child.on('close', (code, signal) => {
      const foreign = isEndedByUs ? undefined : (signal ?? undefined);
      finish(`ended with ${signal ?? code}`, foreign);
    });
  });
  child.stdout.on('data', options.onData);
  // A write to a dead child fails here; `close` reports its end.
  child.stdin.on('error', () => {});
  const sockets = [child.stdin, child.stdout] as unknown as { ref(): void; unref(): void }[];
  const waiting = (yes: boolean): void => {
    for (const handle of [child, ...sockets]) yes ? handle.ref() : handle.unref();
  };
  waiting(false);
  const kill = (): void => {
    isEndedByUs = true;
    child.kill('SIGKILL');
  };
  return {
    say: (text) => void child.stdin.write(text),
    waiting,
    async end() {
      if (over) return;
      waiting(true);
      child.stdin.end();
      const timer = setTimeout(kill, END_MS);
      await gone;
      clearTimeout(timer);
    },
    kill,
  };
}
