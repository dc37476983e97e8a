import { limits } from '../model/limits.ts';
import { cutLine, type Findings, indentOf, Message, type Reader, Recent } from './reader.ts';

const failed = /^(\s*)✖ (.+ \(\d[\d.]*m?s\))(.*)$/;
const suite = /^(\s*)▶ (.*)$/;
const place = /^test at (.+:\d+:\d+)$/;
const indentWidth = 2;

interface Entry {
  readonly name: string;
  readonly at: number;
  readonly message: Message;
  place?: string | undefined;
  /** True if the list at the end contains it. */
  isListed: boolean;
  isSuite: boolean;
}

interface Open {
  readonly entry: Entry;
  readonly indent: number;
  /** Receives the lines; discarded if the entry already has a message. */
  readonly message: Message;
}

/**
 * Reads node:test with the spec or dot reporter. A failure is printed in place, inside its suites, and again in a list
 * at the end with its location. Not every version prints the message in both.
 */
export class NodeSpecReader implements Reader {
  /** By name and duration, which tells tests of the same name apart. */
  readonly #entries = new Map<string, Entry>();
  readonly #before = new Recent(20);
  readonly #suites: string[] = [];
  #beyond = 0;
  #open: Open | undefined;
  #isAtTheEnd = false;
  #place: string | undefined;

  line(text: string, at: number): void {
    const mark = text.trimStart().charAt(0);
    const header = mark === '✖' ? failed.exec(text) : null;
    if (header !== null) return this.#failure(header, at);
    if (text === '✖ failing tests:' || text === 'Failed tests:') this.#isAtTheEnd = true;
    else if (mark === '✔' || mark === '﹣') this.#leave();
    else if (text.startsWith('test at ')) this.#place = place.exec(text)?.[1];
    else if (mark === '▶') this.#suite(text);
    else if (this.#open !== undefined) this.#below(text, this.#open);
    else if (mark !== '' && !/^[.X]*$/.test(text)) this.#before.add(text);
  }

  end(): Findings {
    const reported = [...this.#entries.values()].filter(
      ({ isListed, isSuite, message }) => !isSuite && (isListed || !message.isEmpty),
    );
    const list = reported.map((entry) => ({
      name: cutLine(entry.name),
      at: entry.at,
      message: [entry.message.text(), ...(entry.place === undefined ? [] : [`at ${entry.place}`])]
        .filter((part) => part !== '')
        .join('\n'),
    }));
    return { list, total: reported.length + this.#beyond };
  }

  #failure(header: RegExpExecArray, at: number): void {
    const [, space = '', key = '', rest = ''] = header;
    const before = this.#before.take();
    this.#leave();
    if (/#\s*(?:TODO|SKIP)\b/.test(rest)) return;
    const name = key.replace(/ \([^()]*\)$/, '');
    const entry = this.#entries.get(key) ?? this.#keep(key, name, space.length, at);
    if (entry === undefined) return;
    const isNew = entry.message.isEmpty;
    entry.isListed ||= this.#isAtTheEnd;
    entry.place ??= this.#place;
    this.#place = undefined;
    // A test file that could not be run explains why on standard error.
    if (isNew && /\.[cm]?[jt]sx?$/.test(name)) for (const line of before) entry.message.add(line);
    this.#open = { indent: space.length, entry, message: isNew ? entry.message : new Message() };
  }

  #keep(key: string, name: string, indent: number, at: number): Entry | undefined {
    if (this.#entries.size >= limits.evidenceFailures) {
      if (this.#isAtTheEnd) this.#beyond += 1;
      return undefined;
    }
    const path = this.#isAtTheEnd ? [] : this.#suites.slice(0, indent / indentWidth);
    const entry = {
      name: [...path, name].join(' > '),
      at,
      message: new Message(),
      isListed: false,
      isSuite: false,
    };
    this.#entries.set(key, entry);
    return entry;
  }

  #suite(text: string): void {
    this.#leave();
    const [, space = '', name = ''] = suite.exec(text) ?? [];
    this.#suites.splice(space.length / indentWidth);
    this.#suites.push(name);
  }

  #below(text: string, { entry, indent, message }: Open): void {
    if (text === '' || indentOf(text) > indent) {
      if (/^\s*'\d+ subtests? failed'$/.test(text)) entry.isSuite = true;
      else if (text.trim() !== "'test failed'") message.add(text);
      return;
    }
    this.#leave();
    this.#before.add(text);
  }

  #leave(): void {
    this.#open = undefined;
    this.#before.take();
  }
}
