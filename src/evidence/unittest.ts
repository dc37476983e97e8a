import { Collector, type Findings, type Reader } from './reader.ts';

const failure = /^(?:FAIL|ERROR): (\S+ \(.+\))$/;
const rule = /^(?:={70}|-{70})$/;

/** Python's unittest. */
export class UnittestReader implements Reader {
  readonly #found = new Collector();
  #rules = 0;

  line(text: string, at: number): void {
    const name = failure.exec(text)?.[1];
    if (name !== undefined && this.#rules > 0) {
      this.#found.open(name, at);
      this.#rules = 0;
    } else if (rule.test(text)) {
      this.#rules += 1;
      // The first rule stands below the name, the second ends the failure.
      if (this.#rules > 1) this.#found.close();
    } else this.#found.add(text);
  }

  end(): Findings {
    return this.#found.end();
  }
}
