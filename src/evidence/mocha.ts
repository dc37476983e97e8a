import { Collector, type Findings, type Reader } from './reader.ts';

const count = /^ {2}\d+ failing$/;
const failure = /^ {2}\d+\) (.+)$/;
const end = /^npm (?:ERR!|error)\b/;

/** Reads Mocha with any reporter that lists failures at the end. A test name follows the names of its suites. */
export class MochaReader implements Reader {
  readonly #found = new Collector();
  #isList = false;
  /** The name so far, while more lines of it may follow. */
  #name: { readonly parts: string[]; readonly at: number } | undefined;
  #blanks = 0;

  line(text: string, at: number): void {
    if (count.test(text)) this.#isList = true;
    if (!this.#isList) return;
    const named = failure.exec(text);
    if (named !== null) {
      this.#found.close();
      this.#name = { parts: [], at };
      return this.#namePart(named[1] ?? '');
    }
    if (this.#name !== undefined) return this.#namePart(text.trim());
    this.#blanks = text === '' ? this.#blanks + 1 : 0;
    if (this.#blanks > 1 || end.test(text)) this.#found.close();
    else this.#found.add(text);
  }

  end(): Findings {
    return this.#found.end();
  }

  #namePart(part: string): void {
    if (this.#name === undefined) return;
    const isLast = part.endsWith(':') || part === '' || this.#name.parts.length > 20;
    this.#name.parts.push(isLast ? part.slice(0, -1) : part);
    if (!isLast) return;
    this.#found.open(this.#name.parts.join(' > '), this.#name.at);
    this.#name = undefined;
    this.#blanks = 0;
  }
}
