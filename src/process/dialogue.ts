import { spawn } from 'node:child_process';

export interface DialogueOptions {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly onData: (chunk: Buffer) => void;
  /** Called once, when the child has ended or could not be started. */
  readonly onEnd: (cause: string) => void;
}

/** A long-lived child that answers on standard output what it is asked on standard input. */
export interface Dialogue {
  say(text: string): void;
  /** Whether an answer is waited for: only then does the child keep this process alive. */
  waiting(yes: boolean): void;
  /** Closes the child's input and resolves when it has ended. */
  end(): Promise<void>;
  kill(): void;
}

/** How long a child may take to end after its input was closed. */
const END_MS = 2_000;

/**
 * Starts such a child. Its errors are not read: what matters is whether an answer comes. It leads a process group of
 * its own, so a Ctrl-C in the terminal does not end it while it is still needed; it ends when its input closes, which
 * also happens when this process dies.
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
  const gone = new Promise<void>((resolve) => {
    const finish = (cause: string): void => {
      if (over) return;
      over = true;
      options.onEnd(cause);
      resolve();
    };
    child.on('error', (error) => finish(error.message));
    child.on('close', (code, signal) => finish(`ended with ${signal ?? code}`));
  });
  child.stdout.on('data', options.onData);
  // Writing to a child that has just died fails here and shows as its end.
  child.stdin.on('error', () => {});
  const sockets = [child.stdin, child.stdout] as unknown as { ref(): void; unref(): void }[];
  const waiting = (yes: boolean): void => {
    for (const handle of [child, ...sockets]) yes ? handle.ref() : handle.unref();
  };
  waiting(false);
  return {
    say: (text) => void child.stdin.write(text),
    waiting,
    async end() {
      if (over) return;
      waiting(true);
      child.stdin.end();
      const timer = setTimeout(() => child.kill('SIGKILL'), END_MS);
      await gone;
      clearTimeout(timer);
    },
    kill: () => void child.kill('SIGKILL'),
  };
}
