import { fail, ok, type Result } from '../model/failure.ts';
import type { Parsed, Path, Problem } from './document.ts';

const depthMax = 100;

/** A value with its place in the text. */
interface Node {
  readonly value: unknown;
  readonly offset: number;
  /** Values of a vector, list or set. */
  readonly items?: readonly Node[];
  readonly pairs?: ReadonlyMap<string, { readonly key: number; readonly node: Node }>;
}

/** Open collection, tag or discard at one place of the text. A tag and a discard end with the next value. */
interface Frame {
  readonly kind: 'top' | 'map' | 'list' | 'tag' | 'discard';
  readonly offset: number;
  readonly end: string;
  readonly items: Node[];
}

interface Wrong {
  readonly offset: number;
  readonly problem: string;
  readonly remedy: string;
}

/**
 * Reads one EDN value. Keywords and symbols become texts without their colon, sets and lists become lists, and a tagged
 * literal becomes its value. A key that is given twice is refused.
 */
export function readEdn(text: string): Parsed {
  const read = parse(text);
  const lineAt = (offset: number): number => text.slice(0, offset).split('\n').length;
  if (!read.ok) {
    const { offset, problem, remedy } = read.failure;
    const wrong: Problem = { line: lineAt(offset), problem, remedy };
    return fail([wrong]);
  }
  const root = read.value;
  if (root === undefined) return ok({ value: undefined, lineOf: () => undefined });
  return ok({ value: root.value, lineOf: (path) => lineAt(offsetOf(root, path)) });
}

function offsetOf(root: Node, path: Path): number {
  let node = root;
  let offset = root.offset;
  for (const part of path) {
    const pair = node.pairs?.get(String(part));
    const next = pair?.node ?? (typeof part === 'number' ? node.items?.[part] : undefined);
    if (next === undefined) break;
    offset = pair?.key ?? next.offset;
    node = next;
  }
  return offset;
}

const blank = /(?:[\s,]+|;[^\n]*)+/y;
const word = /[^\s,;"()[\]{}\\]+/y;
const character = /\\(?:u[0-9a-fA-F]{4}|[a-z]+|[\s\S])/y;
const brackets: Readonly<Record<string, string>> = { '{': '}', '[': ']', '(': ')', '#{': '}' };

function parse(text: string): Result<Node | undefined, Wrong> {
  const top: Frame = { kind: 'top', offset: 0, end: '', items: [] };
  const stack: Frame[] = [top];
  let at = 0;
  for (;;) {
    at = matchEnd(blank, text, at);
    if (at >= text.length) break;
    const [second] = top.items;
    if (stack.length === 1 && second !== undefined && !text.startsWith('#_', at)) {
      return wrong(at, 'a second value begins here', 'Keep one value per file.');
    }
    const step = stepAt(text, at, stack);
    if (!step.ok) return step;
    at = step.value;
    if (stack.length > depthMax) {
      const remedy = `Nest values at most ${depthMax} deep.`;
      return wrong(at, 'the nesting is too deep', remedy);
    }
  }
  const open = stack.at(-1) ?? top;
  if (open !== top) {
    return wrong(open.offset, 'what begins here is not complete', 'Close it, or remove it.');
  }
  return ok(top.items[0]);
}

/** Reads the token at `at` into the stack. Returns the offset after it. */
function stepAt(text: string, at: number, stack: Frame[]): Result<number, Wrong> {
  const char = text[at] ?? '';
  const opening = text.startsWith('#{', at) ? '#{' : char;
  const end = brackets[opening];
  if (end !== undefined) {
    stack.push({ kind: opening === '{' ? 'map' : 'list', offset: at, end, items: [] });
    return ok(at + opening.length);
  }
  if (text.startsWith('#_', at)) {
    stack.push({ kind: 'discard', offset: at, end: '', items: [] });
    return ok(at + 2);
  }
  if (')]}'.includes(char)) return closeAt(char, at, stack);
  if (char === '"') {
    const string = stringAt(text, at);
    if (!string.ok) return string;
    give(stack, { value: string.value.value, offset: at });
    return ok(string.value.end);
  }
  if (char === '\\') {
    const after = matchEnd(character, text, at);
    if (after === at) return unreadable(text, at);
    give(stack, { value: characterOf(text.slice(at + 1, after)), offset: at });
    return ok(after);
  }
  const after = matchEnd(word, text, at);
  const token = text.slice(at, after);
  if (/^#:?[A-Za-z]/.test(token)) {
    stack.push({ kind: 'tag', offset: at, end: '', items: [] });
    return ok(after);
  }
  const value = token === '' ? undefined : wordValue(token);
  if (value === undefined) return unreadable(text, at);
  give(stack, { value, offset: at });
  return ok(after);
}

/** Hands a value to what is open: a discard drops it, a tag passes it on. */
function give(stack: Frame[], node: Node): void {
  while (stack.at(-1)?.kind === 'tag') stack.pop();
  if (stack.at(-1)?.kind === 'discard') stack.pop();
  else stack.at(-1)?.items.push(node);
}

function closeAt(char: string, at: number, stack: Frame[]): Result<number, Wrong> {
  const frame = stack.at(-1);
  if (frame === undefined || frame.end !== char) {
    return wrong(at, `"${char}" closes nothing that is open`, 'Check the brackets before it.');
  }
  stack.pop();
  if (frame.kind !== 'map') {
    const { items, offset } = frame;
    give(stack, { value: items.map(({ value }) => value), offset, items });
    return ok(at + 1);
  }
  const map = mapOf(frame);
  if (!map.ok) return map;
  give(stack, map.value);
  return ok(at + 1);
}

function mapOf({ items, offset }: Frame): Result<Node, Wrong> {
  const pairs = new Map<string, { key: number; node: Node }>();
  for (let at = 0; at < items.length; at += 2) {
    const key = items[at];
    const node = items[at + 1];
    if (key === undefined || node === undefined) {
      const place = key?.offset ?? offset;
      return wrong(place, 'this key has no value', 'Give a map pairs of a key and a value.');
    }
    const name = typeof key.value === 'object' ? JSON.stringify(key.value) : String(key.value);
    if (pairs.has(name)) {
      return wrong(key.offset, 'the same key is given twice', 'Keep one of the two.');
    }
    pairs.set(name, { key: key.offset, node });
  }
  const entries = [...pairs].map(([name, { node }]) => [name, node.value] as const);
  return ok({ value: Object.fromEntries(entries), offset, pairs });
}

const escapes: Readonly<Record<string, string>> = {
  t: '\t',
  r: '\r',
  n: '\n',
  b: '\b',
  f: '\f',
  '\\': '\\',
  '"': '"',
};

function stringAt(
  text: string,
  at: number,
): Result<{ readonly value: string; readonly end: number }, Wrong> {
  const parts: string[] = [];
  let from = at + 1;
  for (let i = from; i < text.length; i += 1) {
    const char = text[i];
    if (char === '"') {
      parts.push(text.slice(from, i));
      return ok({ value: parts.join(''), end: i + 1 });
    }
    if (char !== '\\') continue;
    const code = /^u[0-9a-fA-F]{4}/.exec(text.slice(i + 1, i + 6))?.[0];
    const plain = escapes[text[i + 1] ?? ''];
    if (code === undefined && plain === undefined) {
      const shown = JSON.stringify(text.slice(i, i + 2));
      const remedy = 'Write a backslash as two, or use \\n, \\t, \\" or \\u with four digits.';
      return wrong(i, `the string has ${shown}, which is no known escape`, remedy);
    }
    parts.push(text.slice(from, i), plain ?? characterOf(code ?? ''));
    i += code?.length ?? 1;
    from = i + 1;
  }
  return wrong(at, 'the string is not closed', 'Close it with a double quote.');
}

const characters: ReadonlyMap<string, string> = new Map([
  ['newline', '\n'],
  ['space', ' '],
  ['tab', '\t'],
  ['return', '\r'],
]);

/** `name` is what follows the backslash. */
function characterOf(name: string): string {
  if (/^u[0-9a-fA-F]{4}$/.test(name))
    return String.fromCharCode(Number.parseInt(name.slice(1), 16));
  return characters.get(name) ?? name;
}

const constants: ReadonlyMap<string, unknown> = new Map<string, unknown>([
  ['nil', null],
  ['true', true],
  ['false', false],
]);

/** The value of a word; undefined if it is none. A whole number that is too large stays a text. */
function wordValue(token: string): unknown {
  if (constants.has(token)) return constants.get(token);
  if (/^[+-]?\d+N?$/.test(token)) {
    const number = Number.parseInt(token, 10);
    return Number.isSafeInteger(number) ? number : token.replace(/N$/, '');
  }
  if (/^[+-]?\d+(?:\.\d*)?(?:[eE][+-]?\d+)?M?$/.test(token)) return Number.parseFloat(token);
  if (/^[+-]?\d/.test(token)) return undefined;
  const name = token.startsWith(':') ? token.slice(1) : token;
  return /^[^:#^`~@'][^^`~@]*$/.test(name) ? name : undefined;
}

function matchEnd(pattern: RegExp, text: string, at: number): number {
  pattern.lastIndex = at;
  return pattern.test(text) ? pattern.lastIndex : at;
}

function unreadable(text: string, at: number): Result<never, Wrong> {
  const rest = text.slice(at, at + 20).split('\n')[0] ?? '';
  return wrong(at, `the EDN cannot be read at ${JSON.stringify(rest)}`, 'Check quotes here.');
}

function wrong(offset: number, problem: string, remedy: string): Result<never, Wrong> {
  return fail({ offset, problem, remedy });
}
