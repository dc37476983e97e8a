import { limits } from '../model/limits.ts';
import { CollectingReader, cutLine, type Findings, Message, type Reader } from './reader.ts';

const section = /^_{3,} (.+?) _{3,}$/;
const part = /^={3,} (.+?) ={3,}$/;
const summary = /^(?:FAILED|ERROR) (\S.*?)(?: - (.*))?$/;
/** The failing line, the error and the place, without the source of the test. */
const relevantLine = /^(?:>|E\s|\S+:\d+: )|^(?:\w*Error|Traceback|Hint)\b/;

interface Section {
  readonly title: string;
  readonly at: number;
  readonly message: Message;
  isNamed: boolean;
}

/** Reads pytest. Sections have the errors and the summary has the full names; either may be turned off. */
export class PytestReader implements Reader {
  readonly #sections: Section[] = [];
  readonly #found: { name: string; at: number; message: string }[] = [];
  #part = '';
  #open: Section | undefined;
  #beyond = 0;

  line(text: string, at: number): void {
    const begun = part.exec(text)?.[1];
    if (begun !== undefined) {
      this.#part = begun;
      this.#open = undefined;
    } else if (this.#part === 'FAILURES' || this.#part === 'ERRORS') this.#inSection(text, at);
    else if (this.#part === 'short test summary info') this.#inSummary(text, at);
  }

  end(): Findings {
    const unnamed = this.#sections
      .filter(({ isNamed }) => !isNamed)
      .map(({ title, at, message }) => ({ name: cutLine(title), at, message: message.text() }));
    const list = [...this.#found, ...unnamed];
    return { list, total: list.length + this.#beyond };
  }

  #inSection(text: string, at: number): void {
    const title = section.exec(text)?.[1];
    if (title !== undefined) {
      this.#open = { title, at, message: new Message(), isNamed: false };
      if (this.#sections.length < limits.evidenceFailures) this.#sections.push(this.#open);
    } else if (/^-+ Captured /.test(text)) this.#open = undefined;
    else if (relevantLine.test(text)) this.#open?.message.add(text);
  }

  #inSummary(text: string, at: number): void {
    const [, name, reason] = summary.exec(text) ?? [];
    if (name === undefined) return;
    if (this.#found.length >= limits.evidenceFailures) {
      this.#beyond += 1;
      return;
    }
    const match = this.#sections.find((one) => !one.isNamed && isOf(one.title, name));
    if (match !== undefined) match.isNamed = true;
    const message = match?.message.text() ?? '';
    this.#found.push({
      name: cutLine(name),
      at: match?.at ?? at,
      message: message === '' ? cutLine(reason ?? '') : message,
    });
  }
}

/** True if a section is about the test or file with this name. */
function isOf(title: string, name: string): boolean {
  const [file = '', ...path] = name.split('::');
  const what = title.replace(/^ERROR at (?:setup|teardown) of |^ERROR collecting /, '');
  return path.length === 0 ? what === file : what === path.join('.');
}

const unittestFailure = /^(?:FAIL|ERROR): (\S+ \(.+\))$/;
const unittestRule = /^(?:={70}|-{70})$/;

export class UnittestReader extends CollectingReader {
  #rules = 0;

  line(text: string, at: number): void {
    const name = unittestFailure.exec(text)?.[1];
    if (name !== undefined && this.#rules > 0) {
      this.found.open(name, at);
      this.#rules = 0;
    } else if (unittestRule.test(text)) {
      this.#rules += 1;
      // The first unittestRule stands below the name, the second ends the unittestFailure.
      if (this.#rules > 1) this.found.close();
    } else this.found.add(text);
  }
}
