import { constants } from 'node:buffer';
import type { LineListener } from '../port/processes.ts';

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
