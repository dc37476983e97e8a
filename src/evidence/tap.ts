import { CollectingReader, indentOf, Recent } from './reader.ts';

const notOk = /^(\s*)not ok\b(?:\s+\d+)?(?:\s+-)?\s*(.*)$/;
const isOk = /^\s*ok\b/;
const subtest = /^(\s*)# Subtest: (.*)$/;
/** Directives that make a failed test not count. */
const directive = /(?:^|\s)#\s*(?:TODO|SKIP)\b/i;
const sum = /^# (?:tests|suites|pass|fail|cancelled|skipped|todo|duration_ms)\b/;
/** Facts that repeat the error or say nothing. */
const dull =
  /^(?:duration_ms|type|failureType|code|name|exitCode|signal|operator|expected|actual|severity|stack)$/;

type State =
  | { readonly id: 'outside' }
  /** After a failed test: deeper indented lines and comments belong to it. */
  | { readonly id: 'below'; readonly indent: number }
  /** Inside the YAML block of a failed test. */
  | { readonly id: 'facts'; readonly indent: number; readonly isShown: boolean };

/** Reads TAP: node:test with `--test-reporter=tap`, mocha, tape, tap, bats. */
export class TapReader extends CollectingReader {
  readonly #comments = new Recent(20);
  readonly #suites: string[] = [];
  #state: State = { id: 'outside' };

  line(text: string, at: number): void {
    const failed = notOk.exec(text);
    if (failed !== null) return this.#open(failed[1] ?? '', failed[2] ?? '', at);
    switch (this.#state.id) {
      case 'outside':
        return this.#outside(text);
      case 'below':
        return this.#below(text, this.#state.indent);
      case 'facts':
        return this.#fact(text, this.#state);
    }
  }

  #open(indent: string, name: string, at: number): void {
    if (directive.test(name)) {
      this.#state = { id: 'outside' };
      return this.found.close();
    }
    const path = this.#suites.slice(0, indent.length / 4);
    this.found.open([...path, name].join(' > '), at);
    this.#state = { id: 'below', indent: indent.length };
  }

  #outside(text: string): void {
    const named = subtest.exec(text);
    if (named !== null) {
      const depth = (named[1] ?? '').length / 4;
      this.#suites.splice(depth);
      this.#suites[depth] = named[2] ?? '';
    } else if (isOk.test(text)) this.#comments.take();
    else if (text.startsWith('#')) this.#comments.add(text.slice(2).replace(/\\#/g, '#'));
  }

  #below(text: string, indent: number): void {
    if (text.trim() === '---') {
      this.#state = { id: 'facts', indent: indentOf(text), isShown: false };
    } else if (text.startsWith('#') && !sum.test(text) && !subtest.test(text)) {
      this.found.add(text.slice(1));
    } else if (text !== '' && indentOf(text) > indent && !subtest.test(text)) {
      this.found.add(text);
    } else {
      this.#leave();
      this.#outside(text);
    }
  }

  #fact(text: string, { indent, isShown }: Extract<State, { id: 'facts' }>): void {
    if (text.trim() === '...' && indentOf(text) === indent) return this.#leave();
    const [, key, value = ''] =
      indentOf(text) === indent ? (/^\s*(\w+):\s?(.*)$/.exec(text) ?? []) : [];
    if (key === undefined) {
      if (isShown) this.found.add(text);
      return;
    }
    if (key === 'failureType' && value.includes('subtestsFailed')) {
      this.found.drop();
      return;
    }
    this.#state = { id: 'facts', indent, isShown: !dull.test(key) };
    // A test file that could not be run explains why on standard error, which comes before it as comments.
    if (key === 'error' && value.includes('test failed')) {
      for (const line of this.#comments.take()) this.found.add(line);
    } else if (key === 'error') this.found.add(unquoted(value, text));
    else if (key === 'location') this.found.addLast(`at ${unquoted(value, '')}`);
    else if (!dull.test(key)) this.found.add(text);
  }

  #leave(): void {
    this.found.close();
    this.#comments.take();
    this.#state = { id: 'outside' };
  }
}

/** Value of a YAML fact; empty for one that continues as a block. */
function unquoted(value: string, line: string): string {
  if (/^[|>][-+]?$/.test(value)) return '';
  const inside = /^'(.*)'$/.exec(value) ?? /^"(.*)"$/.exec(value);
  return `${' '.repeat(indentOf(line))}${inside?.[1] ?? value}`;
}
