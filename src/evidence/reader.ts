import { limits } from '../model/limits.ts';

/** A failing test or an error found in an output. */
export interface Found {
  readonly name: string;
  readonly message: string;
  readonly at: number;
}

export interface Findings {
  /** The first failures, in order. */
  readonly list: readonly Found[];
  /** Number of all failures, unlisted ones included. */
  readonly total: number;
}

/** Extracts the failures of one kind of tool. It gets every line and keeps a bounded part. */
export interface Reader {
  line(text: string, at: number): void;
  /** Called once, after the last line. */
  end(): Findings;
}

interface Open {
  name: string;
  readonly at: number;
  readonly message: Message;
}

/** Collects failures. One is open at a time, and lines are added to its message. */
export class Collector {
  readonly #kept: Open[] = [];
  #total = 0;
  #open: Open | undefined;

  get isOpen(): boolean {
    return this.#open !== undefined;
  }

  open(name: string, at: number): void {
    this.#open = { name: name.trim(), at, message: new Message() };
    this.#total += 1;
    if (this.#kept.length < limits.evidenceFailures) this.#kept.push(this.#open);
  }

  /** Adds a line to the open failure, if any. */
  add(line: string): void {
    this.#open?.message.add(line);
  }

  /** Adds a line after all others, such as the place of the failure. */
  addLast(line: string): void {
    this.#open?.message.addLast(line);
  }

  close(): void {
    this.#open = undefined;
  }

  /** Removes the open failure. */
  drop(): void {
    if (this.#open === undefined) return;
    this.#total -= 1;
    if (this.#kept.at(-1) === this.#open) this.#kept.pop();
    this.#open = undefined;
  }

  /** Drops repeated names, because runners print some failures twice. */
  end(): Findings {
    const seen = new Set<string>();
    const list = this.#kept.flatMap(({ name, at, message }) => {
      if (seen.has(name)) return [];
      seen.add(name);
      return [{ name: cutLine(name), at, message: message.text() }];
    });
    return { list, total: this.#total - (this.#kept.length - list.length) };
  }
}

/** A reader whose failures come one after the other. */
export abstract class CollectingReader implements Reader {
  protected readonly found = new Collector();

  abstract line(text: string, at: number): void;

  end(): Findings {
    return this.found.end();
  }
}

/** Bounded text of one failure, without stack frames of tools and without code frames. */
export class Message {
  readonly #lines: string[] = [];
  readonly #last: string[] = [];
  #left = 0;
  /** True inside the properties that Node prints after a stack. */
  #isProperties = false;

  get isEmpty(): boolean {
    return this.#lines.every((line) => line.trim() === '');
  }

  add(line: string): void {
    if (this.#isProperties) {
      this.#isProperties = !/^\s*\}$/.test(line);
      return;
    }
    this.#isProperties = /^\s*at .* \{$/.test(line);
    if (isToolFrame(line) || (line.trim() === '' && this.#lines.at(-1)?.trim() === '')) return;
    if (this.#lines.length < limits.evidenceMessageLines) this.#lines.push(line.trimEnd());
    else if (line.trim() !== '') this.#left += 1;
  }

  addLast(line: string): void {
    this.#last.push(line);
  }

  text(): string {
    const lines = unindented(withoutBlankEnds(this.#lines));
    const more = this.#left === 0 ? [] : [`[${this.#left} more lines]`];
    return [...lines, ...more, ...this.#last].map(cutLine).join('\n');
  }
}

/** Ring buffer of the latest lines. */
export class Recent {
  readonly #most: number;
  #lines: string[] = [];

  constructor(most: number) {
    this.#most = most;
  }

  add(line: string): void {
    this.#lines.push(line);
    if (this.#lines.length > this.#most) this.#lines.shift();
  }

  /** Returns the lines and clears the buffer. */
  take(): readonly string[] {
    const lines = this.#lines;
    this.#lines = [];
    return lines;
  }
}

/** A stack frame of the runtime or a package. */
const toolFrame =
  /^\s*(?:at )?(?:node:internal\/|new (?:Safe)?Promise \(|Array\.map \(<anonymous>\))|^\s*at (?:.*\()?node:|^\s*at .*[/\\]node_modules[/\\]|^\s*at (?:\w*\/\/)?(?:java\.base\/|jdk\.|org\.junit\.|sun\.reflect\.|org\.gradle\.|org\.apache\.maven\.)/;

function isToolFrame(line: string): boolean {
  return toolFrame.test(line);
}

export function indentOf(line: string): number {
  return line.length - line.trimStart().length;
}

export function cutLine(line: string): string {
  const most = limits.evidenceLineChars;
  return line.length > most ? `${line.slice(0, most)}…` : line;
}

function withoutBlankEnds(lines: readonly string[]): readonly string[] {
  const isFull = (line: string): boolean => line.trim() !== '';
  const first = lines.findIndex(isFull);
  return first < 0 ? [] : lines.slice(first, lines.findLastIndex(isFull) + 1);
}

function unindented(lines: readonly string[]): readonly string[] {
  const indents = lines.filter((line) => line !== '').map(indentOf);
  const common = indents.length === 0 ? 0 : Math.min(...indents);
  return lines.map((line) => line.slice(common));
}

/** Words that test runners, compilers and shells print on failures. */
const failureWords =
  /\bnot ok\b|\bFAIL(?:ED|URE)?\b|✗|✖|✕|×|✘|\berror\b|Error\b|\bpanic|\bexpected\b|\bassert|Traceback|\bconflict\b|\bfatal\b|not found|denied|cannot /i;

/** Totals such as "# fail 0" or "0 errors". */
const empty =
  /\b0 (?:errors?|failed|failures?|failing)\b|\b(?:errors?|fail(?:ed|ures?|ing)?)[: ]+0\b/i;

/** Lines that a package manager adds to a failure. */
const packageManager = /^(?:npm (?:ERR!|error|warn)|error Command failed|ELIFECYCLE)/i;

/** True if the line looks like a failure of any tool. */
export function isSign(line: string): boolean {
  return failureWords.test(line) && !empty.test(line) && !packageManager.test(line);
}

/** The first and last lines of an output that look like failures. */
export class Signs {
  readonly #first: string[] = [];
  readonly #last: string[] = [];

  line(text: string): void {
    if (!isSign(text)) return;
    const half = limits.evidenceSigns / 2;
    if (this.#first.length < half) this.#first.push(cutLine(text.trim()));
    else {
      this.#last.push(text);
      if (this.#last.length > half) this.#last.shift();
    }
  }

  end(): readonly string[] {
    return [...this.#first, ...this.#last.map((line) => cutLine(line.trim()))];
  }
}
