import { limits } from '../plan/limits.ts';

/** A failing test or an error that an output names. */
export interface Found {
  readonly name: string;
  readonly message: string;
  /** Number of the line in the output that names it. */
  readonly at: number;
}

export interface Findings {
  /** The first ones, in the order in which they were found. */
  readonly list: readonly Found[];
  /** All of them, those that are not in the list included. */
  readonly total: number;
}

/** Picks the failures of one kind of tool out of an output. It is given every line, and keeps a bounded part of them. */
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

/** Collects failures: one is open at a time, and lines are added to its message. */
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

  /** Adds a line to the message of the open failure. Without one it does nothing. */
  add(line: string): void {
    this.#open?.message.add(line);
  }

  /** Adds a line that comes after all others, such as the place of the failure. */
  addLast(line: string): void {
    this.#open?.message.addLast(line);
  }

  close(): void {
    this.#open = undefined;
  }

  /** Takes the open failure back: it turned out to be none of its own. */
  drop(): void {
    if (this.#open === undefined) return;
    this.#total -= 1;
    if (this.#kept.at(-1) === this.#open) this.#kept.pop();
    this.#open = undefined;
  }

  /** The findings without those whose name was found before; runners print some failures twice. */
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

/** The text of one failure, bounded. Stack frames inside of tools and code frames are left out. */
export class Message {
  readonly #lines: string[] = [];
  readonly #last: string[] = [];
  #left = 0;
  /** Inside of the properties that Node prints behind the last frame of a stack. */
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

/** The last lines before something happened. */
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

  /** Returns the lines and forgets them. */
  take(): readonly string[] {
    const lines = this.#lines;
    this.#lines = [];
    return lines;
  }
}

/** A stack frame in the runtime or in a package, which says nothing about the project. */
const toolFrame =
  /^\s*(?:at )?(?:node:internal\/|new (?:Safe)?Promise \(|Array\.map \(<anonymous>\))|^\s*at (?:.*\()?node:|^\s*at .*[/\\]node_modules[/\\]|^\s*at (?:\w*\/\/)?(?:java\.base\/|jdk\.|org\.junit\.|sun\.reflect\.|org\.gradle\.|org\.apache\.maven\.)/;

function isToolFrame(line: string): boolean {
  return toolFrame.test(line);
}

export function indentOf(line: string): number {
  return line.length - line.trimStart().length;
}

/** One line of an output, at most so long that it still can be read. */
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
