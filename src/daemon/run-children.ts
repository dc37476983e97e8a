import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Submission } from '../model/daemon.ts';
import { fail, ok, type Result, unwritable } from '../model/failure.ts';
import { limits } from '../model/limits.ts';
import type { Owner } from '../model/run.ts';
import { startDetached } from '../process/detached.ts';
import { isRunning, readText, signalProcess, startOf } from '../process/identity.ts';
import type { ProcessState } from './run-facts.ts';

type Environment = Readonly<Record<string, string | undefined>>;

interface RunChildrenOptions {
  readonly dir: string;
  readonly host: string;
  readonly program: readonly [string, ...string[]];
  /** Called when a process has ended that this daemon started. */
  onEnd(): void;
}

/** Processes that drive submitted runs. Each has a session of its own and outlives the daemon, which then adopts it. */
export class RunChildren {
  readonly #options: RunChildrenOptions;
  readonly #dir: string;
  readonly #exits = new Map<number, number>();

  constructor(options: RunChildrenOptions) {
    this.#options = options;
    this.#dir = join(options.dir, 'runs');
  }

  async start(
    { number, root, input }: Submission,
    words: readonly string[],
    env: Environment,
  ): Promise<Result<Owner>> {
    try {
      mkdirSync(this.#dir, { recursive: true, mode: 0o700 });
    } catch (error) {
      return fail(unwritable(this.#dir, error));
    }
    const [program, ...args] = this.#options.program;
    const argv = [program, ...args, ...words] as const;
    const output = this.#output(number);
    const started = await startDetached({
      argv,
      cwd: root,
      env,
      output,
      input,
    });
    const { pid, ended } = started;
    this.#exits.delete(number);
    void ended.then((exit) => {
      this.#exits.set(number, exit);
      this.#options.onEnd();
    });
    return ok({ pid, startedAt: startOf(pid) ?? '', host: this.#options.host });
  }

  state({ number, owner }: Pick<Submission, 'number' | 'owner'>): ProcessState {
    if (owner === undefined) return { id: 'gone' };
    const exit = this.#exits.get(number);
    if (exit !== undefined) return { id: 'gone', exit };
    return isRunning(owner) ? { id: 'alive' } : { id: 'gone' };
  }

  terminate(owner: Owner): void {
    signalProcess(owner, 'SIGTERM');
  }

  /** End of what the process of a submission printed. */
  output(number: number): string {
    return (readText(this.#output(number)) ?? '').slice(-limits.tailBytes);
  }

  /** Keeps the standard input of a run in a file, because its process may start later. */
  keepInput(number: number, text: string): Result<string> {
    const file = join(this.#dir, `${number}.in`);
    try {
      mkdirSync(this.#dir, { recursive: true, mode: 0o700 });
      writeFileSync(file, text, { mode: 0o600 });
      return ok(file);
    } catch (error) {
      return fail(unwritable(this.#dir, error));
    }
  }

  /** Removes the files of a submission that ended long ago. */
  forget(number: number): void {
    this.#exits.delete(number);
    for (const file of [this.#output(number), join(this.#dir, `${number}.in`)]) {
      rmSync(file, { force: true });
    }
  }

  #output(number: number): string {
    return join(this.#dir, `${number}.log`);
  }
}
