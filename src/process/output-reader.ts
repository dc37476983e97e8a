import { closeSync, openSync, readSync } from 'node:fs';
import { setImmediate as othersTurn } from 'node:timers/promises';
import type { LineListener, ProcessLimits } from '../port/processes.ts';
import type { ChildFiles } from './child-files.ts';
import { isSystemError } from './identity.ts';
import { LineSplitter } from './lines.ts';
import { ownOutput } from './output.ts';

/** Time slice after which other work of this process runs. */
const sliceMs = 5;
/** Read chunk size. */
const chunkBytes = 64 * 1024;

/**
 * Passes a child's stdout to its listener, each line once, whatever fails in between. Reads no more than the output
 * limit and buffers one chunk and one line.
 */
export class OutputReader {
  readonly #files: Pick<ChildFiles, 'out' | 'err'>;
  readonly #listener: LineSplitter;
  readonly #outputBytes: number;
  readonly #chunk = Buffer.allocUnsafe(chunkBytes);
  #position = 0;

  constructor(
    files: Pick<ChildFiles, 'out' | 'err'>,
    limits: Pick<ProcessLimits, 'lineBytes' | 'outputBytes'>,
    listener: LineListener,
  ) {
    this.#files = files;
    this.#listener = new LineSplitter(listener, limits.lineBytes);
    this.#outputBytes = limits.outputBytes;
  }

  get isFinal(): boolean {
    return this.#listener.isFinal;
  }

  /** Line limit, if a line has crossed it. */
  get crossed(): number | undefined {
    return this.#listener.isCrossed ? this.#listener.bound : undefined;
  }

  /** Passes on new lines for one time slice. True if there may be more; unreadable output is retried later. */
  listen(): boolean {
    try {
      return this.#read(this.#outputBytes);
    } catch (error) {
      if (isSystemError(error)) return false;
      throw error;
    }
  }

  /** Passes on the rest for a child that is gone. Throws on read errors and may be called again. */
  async finish(): Promise<void> {
    const { bytes, isWhole } = ownOutput(this.#files, this.#outputBytes);
    while (this.#read(bytes)) await othersTurn();
    if (isWhole) this.#listener.end();
  }

  /** True if the time slice ended before everything was read. */
  #read(end: number): boolean {
    if (this.#listener.isCrossed || this.#position >= end) return false;
    const until = performance.now() + sliceMs;
    const hasTime = (): boolean => performance.now() < until;
    const handle = openIfThere(this.#files.out);
    if (handle === undefined) return false;
    try {
      while (this.#position < end && !this.#listener.isCrossed) {
        const room = Math.min(chunkBytes, end - this.#position);
        const bytes = readSync(handle, this.#chunk, 0, room, this.#position);
        if (bytes === 0) return false;
        this.#position += this.#listener.take(this.#chunk.subarray(0, bytes), hasTime);
        if (!hasTime()) return true;
      }
      return false;
    } finally {
      closeSync(handle);
    }
  }
}

function openIfThere(file: string): number | undefined {
  try {
    return openSync(file, 'r');
  } catch (error) {
    if (isSystemError(error) && error.code === 'ENOENT') return undefined;
    throw error;
  }
}
