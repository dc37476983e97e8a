import { limits } from '../model/limits.ts';
import { outcomeOf } from '../model/trouble.ts';
import { type Dialogue, dialogue } from '../process/dialogue.ts';
import { gitOptions } from './env.ts';

export const refWriterArgs: readonly string[] = [
  'update-ref',
  '-m',
  'yardmaster',
  '--create-reflog',
  '--stdin',
  '-z',
];

/** Updates refs through one long-lived `git update-ref` process. */
export interface RefWriter {
  /**
   * Runs `update-ref --stdin -z` instructions as one transaction. False if success is not confirmed: git exits on a
   * refusal, and its message is not read here.
   */
  write(instructions: string): Promise<boolean>;
  close(): Promise<void>;
}

const DONE = 'commit: ok\n';

/** One transaction at a time, in order. */
class LongLivedWriter implements RefWriter {
  readonly #cwd: () => Promise<string>;
  readonly #env: Readonly<Record<string, string>>;
  #child: Dialogue | undefined;
  #output = '';
  #settle: ((done: boolean) => void) | undefined;
  #last: Promise<unknown> = Promise.resolve();

  constructor(cwd: () => Promise<string>, env: Readonly<Record<string, string>>) {
    this.#cwd = cwd;
    this.#env = env;
  }

  write(instructions: string): Promise<boolean> {
    const turn = this.#last.then(() => this.#transact(instructions));
    // A rejection must not reach the next caller.
    this.#last = turn.catch(() => undefined);
    return turn;
  }

  async close(): Promise<void> {
    await this.#last;
    const child = this.#child;
    this.#child = undefined;
    await child?.end();
  }

  async #transact(instructions: string): Promise<boolean> {
    const cwd = await outcomeOf(this.#cwd());
    if (!cwd.ok) return false;
    this.#child ??= this.#start(cwd.value);
    const child = this.#child;
    this.#output = '';
    const timer = setTimeout(() => child.kill(), limits.gitWallMs);
    child.waiting(true);
    try {
      return await new Promise<boolean>((settle) => {
        this.#settle = settle;
        child.say(`start\0${instructions}commit\0`);
      });
    } finally {
      this.#settle = undefined;
      clearTimeout(timer);
      child.waiting(false);
    }
  }

  #start(cwd: string): Dialogue {
    const child: Dialogue = dialogue(['git', ...gitOptions, ...refWriterArgs], {
      cwd,
      env: this.#env,
      onData: (chunk) => {
        this.#output += chunk.toString();
        if (this.#output.endsWith(DONE)) this.#settle?.(true);
      },
      onEnd: () => {
        if (this.#child !== child) return;
        this.#child = undefined;
        this.#settle?.(false);
      },
    });
    return child;
  }
}

/** Resolves `cwd` only when a process is started, so creating a writer is free. */
export function refWriter(
  cwd: () => Promise<string>,
  env: Readonly<Record<string, string>>,
): RefWriter {
  return new LongLivedWriter(cwd, env);
}
