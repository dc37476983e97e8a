import { constants } from 'node:buffer';
import type { LineListener } from './processes.ts';

const lineFeed = 0x0a;
const carriageReturn = 0x0d;

/**
 * Cuts bytes that come in pieces into lines and hands those to a listener. A line is decoded as a whole, so that no
 * character is cut in two. Of a line that has not ended yet no more is kept than a line may have. From the first line on
 * that has more, nothing is handed on.
 */
export class LineSplitter {
  /** The most that one line may have, in bytes. */
  readonly bound: number;
  readonly #listener: LineListener;
  /** What has come of a line whose end has not. */
  #begun: Buffer[] = [];
  #begunBytes = 0;
  #isLastWord = false;
  #isCrossed = false;

  constructor(listener: LineListener, lineBytes = 0) {
    this.#listener = listener;
    // A text cannot be longer than that, whatever anybody allows.
    const most = constants.MAX_STRING_LENGTH;
    this.bound = lineBytes > 0 ? Math.min(lineBytes, most) : most;
  }

  /** Whether the line that was heard last may be the last word. */
  get isLastWord(): boolean {
    return this.#isLastWord;
  }

  /** Whether there was a line that is too long. */
  get isCrossed(): boolean {
    return this.#isCrossed;
  }

  /**
   * Takes bytes and may keep none of the memory they lie in. Returns how many it took: it stops after the line with
   * which the time is up. The others have to be offered again.
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

  /** No more bytes will come: what has no line end is a line too. */
  end(): void {
    if (this.#begunBytes > 0) this.#line(Buffer.alloc(0), 0, 0);
  }

  #keep(piece: Buffer): void {
    this.#begunBytes += piece.length;
    // One more than it may have: that one may turn out to belong to the line's end.
    if (this.#begunBytes > this.bound + 1) this.#cross();
    else this.#begun.push(Buffer.from(piece));
  }

  #line(bytes: Buffer, from: number, to: number): void {
    if (this.#begunBytes === 0) return this.#hand(bytes, from, to);
    // Judged before it is put together: a piece may hold as much as all that may be kept.
    this.#keep(bytes.subarray(from, to));
    const whole = Buffer.concat(this.#begun);
    this.#forget();
    if (!this.#isCrossed) this.#hand(whole, 0, whole.length);
  }

  #hand(bytes: Buffer, from: number, end: number): void {
    const to = end > from && bytes[end - 1] === carriageReturn ? end - 1 : end;
    if (to - from > this.bound) return this.#cross();
    this.#isLastWord = this.#listener.line(bytes.toString('utf8', from, to));
  }

  #cross(): void {
    this.#isCrossed = true;
    this.#forget();
  }

  #forget(): void {
    this.#begun = [];
    this.#begunBytes = 0;
  }
}
