import { fail, ok } from '../model/failure.ts';
import { lineFinder, type Parsed, type Path, type Problem } from './document.ts';

/** Reads JSON as the standard has it: no comments, no trailing commas, no key twice. */
export function readJson(text: string): Parsed {
  const scan = new Scan(text);
  scan.run();
  if (scan.problems.length > 0) return fail(scan.problems);
  return ok({ value: JSON.parse(text), lineOf: (path) => scan.lineOf(path) });
}

const token =
  /[ \t\r\n]*(?:([{}[\],:])|("(?:[ !#-[\]-\u{10ffff}]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*")|(-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null)(?![\w.+-]))/uy;

interface Frame {
  readonly path: string;
  readonly keys: Set<string> | undefined;
  /** Of the item being read. */
  at: string;
  count: number;
}

type Awaited =
  | 'a value'
  | 'a value or ]'
  | 'a key'
  | 'a key or }'
  | ':'
  | 'a comma or the closing bracket'
  | 'the end';

/**
 * One pass over the tokens, which finds what `JSON.parse` does not tell: where it went wrong, keys that stand twice,
 * and the place of every value.
 */
class Scan {
  readonly problems: Problem[] = [];
  readonly #text: string;
  readonly #lineAt: (offset: number) => number;
  readonly #offsets = new Map<string, number>();
  readonly #frames: Frame[] = [];
  #awaited: Awaited = 'a value';

  constructor(text: string) {
    this.#text = text;
    this.#lineAt = lineFinder(text);
  }

  lineOf(path: Path): number | undefined {
    for (let length = path.length; length >= 0; length -= 1) {
      const offset = this.#offsets.get(path.slice(0, length).map(step).join(''));
      if (offset !== undefined) return this.#lineAt(offset);
    }
    return undefined;
  }

  run(): void {
    let end = 0;
    const last = this.#text.trimEnd().length;
    while (end < last) {
      token.lastIndex = end;
      const found = token.exec(this.#text);
      const start = end + (/^\s*/.exec(this.#text.slice(end, end + 1_000))?.[0].length ?? 0);
      if (found === null) return this.#wrong(start);
      end = token.lastIndex;
      const [all, mark, text] = found;
      const fits =
        mark === undefined
          ? this.#scalar(text, end - all.trimStart().length)
          : this.#mark(mark, end - 1);
      if (!fits) return this.#wrong(start);
    }
    if (this.#awaited !== 'the end') this.#wrong(last);
  }

  #wrong(offset: number): void {
    const found = this.#text[offset];
    const problem =
      found === undefined
        ? `the JSON ends too early; ${this.#awaited} was awaited`
        : `the JSON cannot be read at "${this.#text.slice(offset, offset + 20).split('\n')[0]}"; ${this.#awaited} was awaited`;
    const remedy =
      'JSON wants double quotes, and neither comments nor a comma after the last item.';
    this.problems.push({ line: this.#lineAt(offset), problem, remedy });
  }

  #scalar(text: string | undefined, offset: number): boolean {
    const frame = this.#frames.at(-1);
    if (this.#awaited === 'a key' || this.#awaited === 'a key or }') {
      if (text === undefined || frame === undefined) return false;
      this.#key(frame, String(JSON.parse(text)), offset);
      return true;
    }
    if (!this.#place(offset)) return false;
    this.#done();
    return true;
  }

  #key(frame: Frame, key: string, offset: number): void {
    if (frame.keys?.has(key)) {
      const line = this.#lineAt(offset);
      const problem = `the key "${key}" stands here twice`;
      this.problems.push({ line, problem, remedy: 'Keep one of the two.' });
    }
    frame.keys?.add(key);
    frame.at = frame.path + step(key);
    this.#offsets.set(frame.at, offset);
    this.#awaited = ':';
  }

  #mark(mark: string, offset: number): boolean {
    const awaited = this.#awaited;
    if (mark === '{' || mark === '[') {
      const path = this.#frames.at(-1)?.at ?? '';
      if (!this.#place(offset)) return false;
      const keys = mark === '{' ? new Set<string>() : undefined;
      this.#frames.push({ path: this.#frames.at(-1)?.at ?? path, keys, at: '', count: 0 });
      this.#awaited = mark === '{' ? 'a key or }' : 'a value or ]';
      return true;
    }
    if (mark === ':') {
      this.#awaited = 'a value';
      return awaited === ':';
    }
    const frame = this.#frames.at(-1);
    if (frame === undefined) return false;
    const isObject = frame.keys !== undefined;
    if (mark === ',') {
      this.#awaited = isObject ? 'a key' : 'a value';
      return awaited === 'a comma or the closing bracket';
    }
    if (isObject !== (mark === '}')) return false;
    if (
      awaited !== 'a comma or the closing bracket' &&
      awaited !== (isObject ? 'a key or }' : 'a value or ]')
    )
      return false;
    this.#frames.pop();
    this.#done();
    return true;
  }

  /** Notes where a value begins, if one may stand here. A value with a key is found by its key. */
  #place(offset: number): boolean {
    if (this.#awaited !== 'a value' && this.#awaited !== 'a value or ]') return false;
    const frame = this.#frames.at(-1);
    if (frame === undefined) this.#offsets.set('', offset);
    else if (frame.keys === undefined) {
      frame.at = frame.path + step(frame.count);
      frame.count += 1;
      this.#offsets.set(frame.at, offset);
    }
    return true;
  }

  #done(): void {
    this.#awaited = this.#frames.length === 0 ? 'the end' : 'a comma or the closing bracket';
  }
}

const step = (part: PropertyKey): string => `/${JSON.stringify(String(part))}`;
