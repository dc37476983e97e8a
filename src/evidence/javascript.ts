import { CollectingReader } from './reader.ts';

const vitestFailure = /^ FAIL {2}(\S.*)$/;
const unhandled = /^⎯+ (Unhandled (?:Rejection|Error)|Uncaught Exception) ⎯+$/;
const vitestEnd = /^⎯+\[\d+\/\d+\]⎯|^⎯{5,}$|^ (?:Test Files|Snapshots|Tests) {2}/;
/** Source lines around the failure, with line numbers. */
const codeFrame = /^\s*(?:>\s*)?(?:\d+\s*)?\|/;

/** Reads Vitest. Tests that fail with the same error are listed together before it. */
export class VitestReader extends CollectingReader {
  #isHead = false;

  line(text: string, at: number): void {
    if (!this.found.isOpen && !text.startsWith(' FAIL ') && !text.startsWith('⎯')) return;
    const named = vitestFailure.exec(text) ?? unhandled.exec(text);
    if (named !== null) {
      if (this.#isHead) this.found.add('Fails with the same error as the next one.');
      this.found.open(named[1] ?? '', at);
      this.#isHead = true;
    } else if (vitestEnd.test(text)) {
      this.found.close();
      this.#isHead = false;
    } else if (!codeFrame.test(text)) {
      this.found.add(text);
      this.#isHead = false;
    }
  }
}

const jestFile = /^(FAIL|PASS|RUNS) (\S.*?)(?: \(\d[\d.]* m?s\))?$/;
const jestFailure = /^ {2}● (.+)$/;
const jestEnd = /^Test Suites: |^Summary of all failing tests$/;

/** Reads Jest. The list at the end of a long run repeats the failures and is skipped. */
export class JestReader extends CollectingReader {
  #file: string | undefined;

  line(text: string, at: number): void {
    if (!this.found.isOpen && !/^(?:FAIL |PASS | {2}●)/.test(text)) return;
    const named = jestFailure.exec(text);
    const of = jestFile.exec(text);
    if (of !== null) {
      this.found.close();
      this.#file = of[1] === 'FAIL' ? of[2] : undefined;
    } else if (named !== null && this.#file !== undefined && named[1] !== 'Console') {
      this.found.open(`${this.#file} › ${named[1]}`, at);
    } else if (named !== null || jestEnd.test(text)) this.found.close();
    else if (!codeFrame.test(text)) this.found.add(text);
  }
}

const mochaCount = /^ {2}\d+ failing$/;
const mochaFailure = /^ {2}\d+\) (.+)$/;
const mochaEnd = /^npm (?:ERR!|error)\b/;

/** Reads Mocha with any reporter that lists failures at the end. A test name follows the names of its suites. */
export class MochaReader extends CollectingReader {
  #isList = false;
  /** The name so far, while more lines of it may follow. */
  #name: { readonly parts: string[]; readonly at: number } | undefined;
  #blanks = 0;

  line(text: string, at: number): void {
    if (mochaCount.test(text)) this.#isList = true;
    if (!this.#isList) return;
    const named = mochaFailure.exec(text);
    if (named !== null) {
      this.found.close();
      this.#name = { parts: [], at };
      return this.#namePart(named[1] ?? '');
    }
    if (this.#name !== undefined) return this.#namePart(text.trim());
    this.#blanks = text === '' ? this.#blanks + 1 : 0;
    if (this.#blanks > 1 || mochaEnd.test(text)) this.found.close();
    else this.found.add(text);
  }

  #namePart(part: string): void {
    if (this.#name === undefined) return;
    const isLast = part.endsWith(':') || part === '' || this.#name.parts.length > 20;
    this.#name.parts.push(isLast ? part.slice(0, -1) : part);
    if (!isLast) return;
    this.found.open(this.#name.parts.join(' > '), this.#name.at);
    this.#name = undefined;
    this.#blanks = 0;
  }
}
