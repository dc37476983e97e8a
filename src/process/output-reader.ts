import { closeSync, openSync, readSync } from 'node:fs';
import { setImmediate as othersTurn } from 'node:timers/promises';
import type { ChildFiles } from './child-files.ts';
import { isSystemError } from './identity.ts';
import { LineSplitter } from './lines.ts';
import { ownOutput } from './output.ts';
import type { LineListener, ProcessLimits } from './processes.ts';

/** How long lines are handed on before everything else in this process has its turn. */
const sliceMs = 5;
/** What is read at once. */
const chunkBytes = 64 * 1024;

/**
 * Reads the standard output of a child for its listener, from the start and each line once, however often it is called
 * and whatever goes wrong in between. It reads as far as a child may print, and holds a chunk and one line at most.
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

  get isLastWord(): boolean {
    return this.#listener.isLastWord;
  }

  /** The bound that a line has crossed, if one did. */
  get crossed(): number | undefined {
    return this.#listener.isCrossed ? this.#listener.bound : undefined;
  }

  /** Hands on what is new, for a moment. Returns whether there may be more; what cannot be read now is read later. */
  listen(): boolean {
    try {
      return this.#read(this.#outputBytes);
    } catch (error) {
      if (isSystemError(error)) return false;
      throw error;
    }
  }

  /** Hands on all the rest of a child that is gone. Throws where it cannot be read, and can be called again. */
  async finish(): Promise<void> {
    const { bytes, isWhole } = ownOutput(this.#files, this.#outputBytes);
    while (this.#read(bytes)) await othersTurn();
    if (isWhole) this.#listener.end();
  }

  /** True when its time is up before everything is read. */
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
