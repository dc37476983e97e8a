import { constants } from 'node:buffer';
import { closeSync, openSync, readSync } from 'node:fs';
import { setImmediate as othersTurn } from 'node:timers/promises';
import type { LineListener, ProcessLimits } from '../port/processes.ts';
import type { ChildFiles } from './child-files.ts';
import { isSystemError } from './identity.ts';
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

const lineFeed = 0x0a;
const carriageReturn = 0x0d;

/**
 * Splits chunks of bytes into lines for a listener. Decodes whole lines, so no character is cut. Buffers at most one
 * line of allowed length; after the first line that is too long nothing is passed on.
 */
export class LineSplitter {
  /** Longest allowed line in bytes. */
  readonly bound: number;
  readonly #listener: LineListener;
  /** Beginning of an incomplete line. */
  #partial: Buffer[] = [];
  #partialBytes = 0;
  #isFinal = false;
  #isCrossed = false;

  constructor(listener: LineListener, lineBytes = 0) {
    this.#listener = listener;
    // A string cannot be longer, whatever the limit.
    const most = constants.MAX_STRING_LENGTH;
    this.bound = lineBytes > 0 ? Math.min(lineBytes, most) : most;
  }

  /** True if the listener took the last line for the final message. */
  get isFinal(): boolean {
    return this.#isFinal;
  }

  /** True if a line was too long. */
  get isCrossed(): boolean {
    return this.#isCrossed;
  }

  /**
   * Takes bytes without retaining the buffer. Returns how many it consumed: it stops after the line at which the time
   * is up.
   */
  take(bytes: Buffer, hasTime = (): boolean => true): number {
    for (let at = 0; !this.#isCrossed && at < bytes.length; ) {
      const end = bytes.indexOf(lineFeed, at);
      if (end === -1) {
        this.#keep(bytes.subarray(at));
        break;
      }
      this.#line(bytes, at, end);
      at = end + 1;
      if (!hasTime()) return at;
    }
    return bytes.length;
  }

  /** End of input: an incomplete line is a line too. */
  end(): void {
    if (this.#partialBytes > 0) this.#line(Buffer.alloc(0), 0, 0);
  }

  #keep(piece: Buffer): void {
    this.#partialBytes += piece.length;
    // One extra byte: it may be the carriage return of the line end.
    if (this.#partialBytes > this.bound + 1) this.#reject();
    else this.#partial.push(Buffer.from(piece));
  }

  #line(bytes: Buffer, from: number, to: number): void {
    if (this.#partialBytes === 0) return this.#passOn(bytes, from, to);
    // Checked before concatenation, since a chunk may be as long as the limit.
    this.#keep(bytes.subarray(from, to));
    const whole = Buffer.concat(this.#partial);
    this.#forget();
    if (!this.#isCrossed) this.#passOn(whole, 0, whole.length);
  }

  #passOn(bytes: Buffer, from: number, end: number): void {
    const to = end > from && bytes[end - 1] === carriageReturn ? end - 1 : end;
    if (to - from > this.bound) return this.#reject();
    this.#isFinal = this.#listener.line(bytes.toString('utf8', from, to));
  }

  #reject(): void {
    this.#isCrossed = true;
    this.#forget();
  }

  #forget(): void {
    this.#partial = [];
    this.#partialBytes = 0;
  }
}
