import type { CrossedLimit } from '../model/failure.ts';
import type { ChildFiles, Claim } from './child-files.ts';
import { isSystemError, seemsRunning } from './identity.ts';
import { printed } from './output.ts';
import type { OutputReader } from './output-reader.ts';
import type { HowEnded, ProcessLimits } from './processes.ts';

/** Why following stopped: the child is gone, or it has to be ended for this reason. */
export type Followed =
  | { readonly id: 'gone' }
  | Extract<HowEnded, { readonly id: 'limit' | 'interrupted' }>;

export interface Followable {
  readonly claim: Claim;
  readonly files: ChildFiles;
  readonly limits: ProcessLimits;
  /** Hands on what the child prints; absent where nobody listens. */
  readonly outputReader?: OutputReader;
  /** Resolves the moment the child is gone; absent where it is not our own child and has to be asked for. */
  readonly exited?: Promise<void>;
  /** Aborted when somebody wants the child to end. */
  readonly interrupt: AbortSignal;
  readonly followMs: number;
  readonly keepAlive: boolean;
}

/** Between two looks at a child that prints so fast that it may cross its limit before the next regular one. */
const soonestMs = 10;

/** Follows a running child until it is gone, crosses a limit or is to be ended. Sends no signal itself. */
export async function follow(child: Followable): Promise<Followed> {
  const watch = new LimitWatch(child);
  // One reaction for the whole life of the child: it may be looked at for hours, and each look must leave nothing behind.
  let gone = false;
  let wake = (): void => undefined;
  void child.exited?.then(() => {
    gone = true;
    wake();
  });
  const interrupted = (): void => wake();
  child.interrupt.addEventListener('abort', interrupted);
  try {
    for (;;) {
      if (gone || (child.exited === undefined && !seemsRunning(child.claim))) return { id: 'gone' };
      if (child.interrupt.aborted) return { id: 'interrupted' };
      const { crossed, nextMs } = checkAgain(watch, child.followMs);
      if (crossed !== undefined) return crossed;
      await new Promise<void>((next) => {
        const timer = setTimeout(next, nextMs);
        if (!child.keepAlive) timer.unref();
        wake = () => {
          clearTimeout(timer);
          next();
        };
      });
    }
  } finally {
    child.interrupt.removeEventListener('abort', interrupted);
  }
}

/** A look that fails, say because no more files may be opened, is made up for by the next one. */
function checkAgain(watch: LimitWatch, followMs: number): Check {
  try {
    return watch.look();
  } catch (error) {
    if (isSystemError(error)) return { nextMs: followMs };
    throw error;
  }
}

interface Check {
  readonly crossed?: Extract<HowEnded, { readonly id: 'limit' }>;
  readonly nextMs: number;
}

/**
 * Compares what a child has used with what it may use. Durations within this process are taken from a clock that
 * nobody sets; only what happened before we looked first comes from the times of files.
 */
class LimitWatch {
  readonly #child: Followable;
  readonly #started: number;
  #bytes: number;
  #lastOutput: number;
  #lastLook: number;
  #lastWord: number | undefined;

  constructor(child: Followable) {
    this.#child = child;
    const now = performance.now();
    const age = Math.max(0, Date.now() - child.claim.at);
    const before = printed(child.files);
    const quiet = before.bytes === 0 ? age : Math.max(0, Math.min(age, Date.now() - before.at));
    this.#started = now - age;
    this.#lastOutput = now - quiet;
    this.#lastLook = now;
    this.#bytes = before.bytes;
  }

  look(): Check {
    const { limits, files, followMs, outputReader } = this.#child;
    // Listened to first: then whatever was heard had been printed when the files are asked for their size.
    const isBehind = outputReader?.listen() ?? false;
    const now = performance.now();
    const { bytes } = printed(files);
    const rate = (bytes - this.#bytes) / Math.max(1, now - this.#lastLook);
    if (bytes !== this.#bytes) this.#lastOutput = Math.max(this.#lastOutput, now);
    this.#bytes = bytes;
    this.#lastLook = now;
    this.#lastWord = outputReader?.isLastWord ? (this.#lastWord ?? this.#lastOutput) : undefined;
    const over = (limit: CrossedLimit, value: number): Check => ({
      crossed: { id: 'limit', limit, value },
      nextMs: 0,
    });
    if (bytes > limits.outputBytes) return over('output', limits.outputBytes);
    if (outputReader?.crossed !== undefined) return over('line', outputReader.crossed);
    if (now - this.#started >= limits.wallMs) return over('wall', limits.wallMs);
    const { startMs = 0, idleMs = 0, lingerMs = 0 } = limits;
    if (startMs > 0 && bytes === 0 && now - this.#started >= startMs) return over('start', startMs);
    // After its last word a child is expected to be silent: only how long it stays counts then.
    const spoken = lingerMs > 0 ? this.#lastWord : undefined;
    if (spoken !== undefined && now - spoken >= lingerMs) return over('linger', lingerMs);
    const quietMs = spoken === undefined ? now - this.#lastOutput : 0;
    if (idleMs > 0 && quietMs >= idleMs) return over('idle', idleMs);
    if (isBehind) return { nextMs: 0 };
    const toLinger = spoken === undefined ? followMs : lingerMs - (now - spoken);
    const toWall = limits.wallMs - (now - this.#started);
    const toOutput = rate > 0 ? (limits.outputBytes - bytes) / rate : followMs;
    return { nextMs: Math.max(soonestMs, Math.min(followMs, toWall, toOutput, toLinger)) };
  }
}
