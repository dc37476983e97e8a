import { Collector, type Findings, type Reader } from './reader.ts';

const output = /^---- (.+) std(?:out|err) ----$/;
const result = /^test (.+?)(?: - should panic)? \.\.\. FAILED$/;
const end = /^(?:failures:|test result: |error: test failed)/;
const nextest =
  /^\s+(?:TRY \d+ )?(?:FAIL|SIG[A-Z]+|ABORT|TIMEOUT|LEAK-FAIL) \[[^\]]*\](?: \([^)]*\))? +(\S.*)$/;
const nextestOutput = /^(?:---|─+) (?:STDOUT|STDERR|TRY \d+ STD\w+): +(.+?) (?:-+|─+)$/;
const nextestPart = /^\s+(?:stdout|stderr) [─-]+$/;
const nextestLine = /^\s+(?:PASS|SLOW|SETUP|Summary|Canceling|Cancelling|Starting)\b|^[─-]{8,}$/;
const harness = /^\s*(?:running \d+ tests?|test .* \.\.\. FAILED|failures:|test result: .*)$/;
const compileError = /^(error(?:\[E\d+\])?): (.+)$/;
const place = /^\s*--> (\S.*)$/;

/** Test whose output follows in nextest; empty for the last named one. */
function partOf(text: string, isRule: boolean): string | undefined {
  if (isRule) return nextestOutput.exec(text)?.[1];
  return text.includes(' ──') && nextestPart.test(text) ? '' : undefined;
}

/** Reads cargo test, cargo nextest and rustc errors. */
export class CargoReader implements Reader {
  readonly #tests = new Collector();
  readonly #errors = new Collector();
  /** Failed tests, with their line, whose output was not found yet. */
  readonly #silent = new Map<string, number>();
  #isTrace = false;
  /** Nextest's test whose output follows. */
  #part: string | undefined;
  #error: { readonly code: string; readonly text: string } | undefined;

  line(text: string, at: number): void {
    this.#compiler(text, at);
    const isRule = text.startsWith('---') || text.startsWith('──');
    const named = isRule ? output.exec(text)?.[1] : undefined;
    const part = partOf(text, isRule);
    const failed = text.endsWith('FAILED') ? result.exec(text)?.[1] : undefined;
    const next = text.includes('s] ') ? nextest.exec(text)?.[1] : undefined;
    if (named !== undefined) this.#open(named, at);
    else if (part !== undefined) this.#openPart(part, at);
    else if (next !== undefined) this.#openPart(next, at);
    else if (failed !== undefined) this.#silence(failed, at);
    else if (nextestLine.test(text) || (end.test(text) && this.#part === undefined)) {
      this.#tests.close();
      this.#part = undefined;
    } else if (this.#isName(text)) return;
    else this.#message(text);
  }

  end(): Findings {
    for (const [name, at] of this.#silent) this.#tests.open(name, at);
    const [tests, errors] = [this.#tests.end(), this.#errors.end()];
    return { list: [...errors.list, ...tests.list], total: errors.total + tests.total };
  }

  #open(name: string, at: number): void {
    this.#silent.delete(name);
    this.#part = undefined;
    this.#isTrace = false;
    this.#tests.open(name, at);
  }

  /** Nextest names a test once per stream and again in its summary. */
  #openPart(name: string, at: number): void {
    this.#isTrace = false;
    const title = name === '' ? this.#part : name;
    if (title === undefined || (title === this.#part && this.#tests.isOpen)) return;
    for (const known of this.#silent.keys())
      if (title.endsWith(` ${known}`)) this.#silent.delete(known);
    this.#part = title;
    this.#tests.open(title, at);
  }

  #silence(name: string, at: number): void {
    const isPart = this.#part?.endsWith(` ${name}`) === true;
    if (!isPart && this.#silent.size < 1_000) this.#silent.set(name, at);
  }

  /** True if the line only repeats the test name, as in the test program's own list. */
  #isName(text: string): boolean {
    return this.#part?.endsWith(` ${text.trim()}`) === true;
  }

  #message(text: string): void {
    if (text === 'stack backtrace:') this.#isTrace = true;
    else if (text === '') this.#isTrace = false;
    if (this.#isTrace || /^\s*note: /.test(text) || harness.test(text)) return;
    this.#tests.add(text);
  }

  /** A rustc error has its place on the next line; other tools print similar first lines. */
  #compiler(text: string, at: number): void {
    const [, code, what] = (text.startsWith('error') ? compileError.exec(text) : null) ?? [];
    const where = this.#error === undefined ? undefined : place.exec(text)?.[1];
    if (code !== undefined) {
      this.#errors.close();
      this.#error = { code, text: what ?? '' };
    } else if (where !== undefined && this.#error !== undefined) {
      this.#errors.open(`${where} ${this.#error.code}`, at);
      this.#errors.add(this.#error.text);
      this.#error = undefined;
    } else {
      this.#error = undefined;
      if (text === '') this.#errors.close();
      else this.#errors.add(text);
    }
  }
}
