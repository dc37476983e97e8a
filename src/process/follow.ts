import type { CrossedLimit } from '../model/failure.ts';
import type { HowEnded, ProcessLimits } from '../port/processes.ts';
import type { ChildFiles, Claim } from './child-files.ts';
import { isSystemError, seemsRunning } from './identity.ts';
import { printed } from './output.ts';
import type { OutputReader } from './output-reader.ts';

/** Reason why following stopped: the child is gone or must be ended. */
export type Followed =
  | { readonly id: 'gone' }
  | Extract<HowEnded, { readonly id: 'limit' | 'interrupted' }>;

interface Followable {
  readonly claim: Claim;
  readonly files: ChildFiles;
  readonly limits: ProcessLimits;
  /** Passes output lines to the listener; absent without one. */
  readonly outputReader?: OutputReader;
  /** Resolves when the child exits; absent if it is not our own child and must be polled. */
  readonly exited?: Promise<void>;
  /** Aborted to end the child. */
  readonly interrupt: AbortSignal;
  readonly followMs: number;
  readonly keepAlive: boolean;
}

/** Shortest poll interval, for a child that prints so fast that it may cross its limit. */
const soonestMs = 10;

/** Follows a running child until it exits, crosses a limit or is interrupted. Sends no signal. */
export async function follow(child: Followable): Promise<Followed> {
  const watch = new LimitWatch(child);
  // One handler for the child's whole life, so that hours of polling leak nothing.
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
      const { crossed, nextMs } = tryCheck(watch, child.followMs);
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

/** A check that fails, for example because no file can be opened, is repeated later. */
function tryCheck(watch: LimitWatch, followMs: number): Check {
  try {
    return watch.check();
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
 * Compares a child's usage with its limits. Uses the monotonic clock; only times before the first check come from file
 * times.
 */
class LimitWatch {
  readonly #child: Followable;
  readonly #started: number;
  #bytes: number;
  #lastOutput: number;
  #lastCheck: number;
  #finalAt: number | undefined;

  constructor(child: Followable) {
    this.#child = child;
    const now = performance.now();
    const age = Math.max(0, Date.now() - child.claim.at);
    const before = printed(child.files);
    const quiet = before.bytes === 0 ? age : Math.max(0, Math.min(age, Date.now() - before.at));
    this.#started = now - age;
    this.#lastOutput = now - quiet;
    this.#lastCheck = now;
    this.#bytes = before.bytes;
  }

  check(): Check {
    const { limits, files, followMs, outputReader } = this.#child;
    // Read first, so that the file sizes include everything that was read.
    const isBehind = outputReader?.listen() ?? false;
    const now = performance.now();
    const { bytes } = printed(files);
    const rate = (bytes - this.#bytes) / Math.max(1, now - this.#lastCheck);
    if (bytes !== this.#bytes) this.#lastOutput = Math.max(this.#lastOutput, now);
    this.#bytes = bytes;
    this.#lastCheck = now;
    this.#finalAt = outputReader?.isFinal ? (this.#finalAt ?? this.#lastOutput) : undefined;
    const over = (limit: CrossedLimit, value: number): Check => ({
      crossed: { id: 'limit', limit, value },
      nextMs: 0,
    });
    if (bytes > limits.outputBytes) return over('output', limits.outputBytes);
    if (outputReader?.crossed !== undefined) return over('line', outputReader.crossed);
    if (now - this.#started >= limits.wallMs) return over('wall', limits.wallMs);
    const { startMs = 0, idleMs = 0, lingerMs = 0 } = limits;
    if (startMs > 0 && bytes === 0 && now - this.#started >= startMs) return over('start', startMs);
    // After its final message a child is silent: then only `lingerMs` counts.
    const finalAt = lingerMs > 0 ? this.#finalAt : undefined;
    if (finalAt !== undefined && now - finalAt >= lingerMs) return over('linger', lingerMs);
    const quietMs = finalAt === undefined ? now - this.#lastOutput : 0;
    if (idleMs > 0 && quietMs >= idleMs) return over('idle', idleMs);
    if (isBehind) return { nextMs: 0 };
    const toLinger = finalAt === undefined ? followMs : lingerMs - (now - finalAt);
    const toWall = limits.wallMs - (now - this.#started);
    const toOutput = rate > 0 ? (limits.outputBytes - bytes) / rate : followMs;
    return { nextMs: Math.max(soonestMs, Math.min(followMs, toWall, toOutput, toLinger)) };
  }
}
