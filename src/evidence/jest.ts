import { Collector, type Findings, type Reader } from './reader.ts';
import { codeFrame } from './vitest.ts';

const file = /^(FAIL|PASS|RUNS) (\S.*?)(?: \(\d[\d.]* m?s\))?$/;
const failure = /^ {2}● (.+)$/;
const end = /^Test Suites: |^Summary of all failing tests$/;

/** Reads Jest. The list at the end of a long run repeats the failures and is skipped. */
export class JestReader implements Reader {
  readonly #found = new Collector();
  #file: string | undefined;

  line(text: string, at: number): void {
    if (!this.#found.isOpen && !/^(?:FAIL |PASS | {2}●)/.test(text)) return;
    const named = failure.exec(text);
    const of = file.exec(text);
    if (of !== null) {
      this.#found.close();
      this.#file = of[1] === 'FAIL' ? of[2] : undefined;
    } else if (named !== null && this.#file !== undefined && named[1] !== 'Console') {
      this.#found.open(`${this.#file} › ${named[1]}`, at);
    } else if (named !== null || end.test(text)) this.#found.close();
    else if (!codeFrame.test(text)) this.#found.add(text);
  }

  end(): Findings {
    return this.#found.end();
  }
}
