import { Collector, type Findings, type Reader } from './reader.ts';

const failure = /^ FAIL {2}(\S.*)$/;
const unhandled = /^⎯+ (Unhandled (?:Rejection|Error)|Uncaught Exception) ⎯+$/;
const end = /^⎯+\[\d+\/\d+\]⎯|^⎯{5,}$|^ (?:Test Files|Snapshots|Tests) {2}/;
/** The code around the place, with its numbers. */
export const codeFrame = /^\s*(?:>\s*)?(?:\d+\s*)?\|/;

/** Vitest. Tests that fail with the same error are listed one below the other in front of it. */
export class VitestReader implements Reader {
  readonly #found = new Collector();
  #isHead = false;

  line(text: string, at: number): void {
    if (!this.#found.isOpen && !text.startsWith(' FAIL ') && !text.startsWith('⎯')) return;
    const named = failure.exec(text) ?? unhandled.exec(text);
    if (named !== null) {
      if (this.#isHead) this.#found.add('Fails with the same error as the next one.');
      this.#found.open(named[1] ?? '', at);
      this.#isHead = true;
    } else if (end.test(text)) {
      this.#found.close();
      this.#isHead = false;
    } else if (!codeFrame.test(text)) {
      this.#found.add(text);
      this.#isHead = false;
    }
  }

  end(): Findings {
    return this.#found.end();
  }
}
