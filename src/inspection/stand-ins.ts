import { limits } from '../model/limits.ts';
import { assertionsOf, type Claim } from './asserts.ts';
import { type ChangedText, countsOf, without } from './changed.ts';
import { codeOf, languageOf } from './code.ts';
import type { TestFile } from './read-test.ts';
import { bareLines } from './skips.ts';
import { withoutNames } from './statements.ts';

/** Assertion vocabulary; never taken for names of the product. */
const vocabulary =
  /^(?:true|false|null|undefined|None|True|False|nil|not|never|to[A-Z]\w*|to|be\w*|is\w*|eq\w*|ne|assert\w*|expect\w*|should\w*|any\w*|some|all|in|and|or|await|async)$/;

/** Names removed from or added to the changed sources. A test that follows a rename asserts the same as before. */
function renamedWords(sources: readonly ChangedText[]): ReadonlySet<string> {
  const before = new Set<string>();
  const after = new Set<string>();
  for (const { path, before: was = '', after: is = '' } of sources) {
    const language = languageOf(path);
    if (language === undefined) continue;
    for (const [word] of codeOf(language, was).code.matchAll(/[A-Za-z_$][\w$]*/g)) before.add(word);
    for (const [word] of codeOf(language, is).code.matchAll(/[A-Za-z_$][\w$]*/g)) after.add(word);
  }
  const gone = [...before].filter((word) => !after.has(word));
  const come = [...after].filter((word) => !before.has(word));
  if (gone.length === 0 || come.length === 0) return new Set();
  return new Set([...gone, ...come].filter((word) => !vocabulary.test(word)));
}

const definitions = [
  /\b(?:function|def|func|fn|fun)\s+(?:\([^)]*\)\s*)?([A-Za-z_$][\w$]*)/,
  /\b(?:const|let)\s+([A-Za-z_$][\w$]*)\s*(?::[^=]*)?=\s*(?:async\s*)?(?:\(|\w+\s*=>|function\b)/,
  /\b(?:private|public|protected|static|void)\s+(?:[\w<>[\]]+\s+){0,4}([A-Za-z_$][\w$]*)\s*\(/,
  /^([A-Za-z_][\w]*)\s*\(\)\s*\{/,
];

/** New function with its assertions and the number of calls to it. */
interface Extracted {
  readonly asserts: ReadonlySet<string>;
  readonly calls: number;
}

/** New functions that hold assertions. Several tests may call one instead of repeating its assertion. */
function extractedFunctions(changed: readonly ChangedText[]): readonly Extracted[] {
  const read = changed.map(({ path, before = '', after = '' }) => {
    const language = languageOf(path) ?? 'other';
    const code = codeOf(language, after);
    return { code, added: without(bareLines(code), bareLines(codeOf(language, before))) };
  });
  const words = countsOf(
    read.flatMap(({ added }) => added.flatMap((line) => line.match(/[A-Za-z_$][\w$]*/g) ?? [])),
  );
  return read.flatMap(({ code, added }) => {
    const functions = functionsIn(code.text, new Set(added));
    const claims = functions.length === 0 ? [] : assertionsOf(code);
    return functions.flatMap(({ name, start, end }): Extracted[] => {
      const inside = claims.filter(({ at }) => at > start && at < end);
      const calls = (words.get(name) ?? 0) - 1;
      if (inside.length === 0 || calls < 1) return [];
      return [{ asserts: new Set(inside.map(({ key }) => key)), calls }];
    });
  });
}

function functionsIn(
  text: string,
  heads: ReadonlySet<string>,
): readonly { readonly name: string; readonly start: number; readonly end: number }[] {
  const lines = text.split('\n');
  const starts: number[] = [];
  let offset = 0;
  for (const line of lines) {
    starts.push(offset);
    offset += line.length + 1;
  }
  return lines.flatMap((line, at) => {
    const name = heads.has(line.trim()) ? definedBy(line.trim()) : undefined;
    if (name === undefined) return [];
    const depth = line.length - line.trimStart().length;
    const rest = lines.slice(at + 1, at + 1 + limits.functionLines);
    const length = rest.findIndex(
      (next) => next.trim() !== '' && next.length - next.trimStart().length <= depth,
    );
    const last = at + (length === -1 ? rest.length : length) + 1;
    return [{ name, start: starts[at] ?? 0, end: starts[last] ?? text.length }];
  });
}

function definedBy(line: string): string | undefined {
  if (line.length > limits.statementChars) return undefined;
  for (const pattern of definitions) {
    const name = pattern.exec(line)?.[1];
    if (name !== undefined) return name;
  }
  return undefined;
}

/** Drops lost assertions that are covered by renamed names, extended values or new helper functions. */
export function withoutStandIns<T extends Claim>(
  lost: readonly T[],
  files: readonly TestFile[],
  sources: readonly ChangedText[],
): readonly T[] {
  if (lost.length === 0) return lost;
  const known = new Set(files.flatMap(({ asserted }) => asserted.before.map(({ key }) => key)));
  const fresh = files
    .flatMap(({ asserted }) => asserted.after.map(({ key }) => key))
    .filter((key) => !known.has(key));
  const isRenamed = renaming(fresh, renamedWords(sources));
  const isGrown = growing(fresh);
  const isTaken = taking(extractedFunctions([...files.map(({ file }) => file), ...sources]));
  return lost.filter(({ key }) => !isRenamed(key) && !isGrown(key) && !isTaken(key));
}

/** True if something replaces one more lost assertion; uses it up. */
type StandsIn = (key: string) => boolean;

function renaming(fresh: readonly string[], names: ReadonlySet<string>): StandsIn {
  const shapes = countsOf(fresh.map((key) => withoutNames(key, names)));
  return (key) => {
    const shape = withoutNames(key, names);
    const times = shapes.get(shape) ?? 0;
    shapes.set(shape, times - 1);
    return times > 0;
  };
}

function growing(fresh: readonly string[]): StandsIn {
  const values = new Map<string, (readonly string[])[]>();
  for (const key of fresh) {
    const compared = comparedBy(key);
    if (compared === undefined) continue;
    values.set(compared.what, [...(values.get(compared.what) ?? []), compared.value]);
  }
  return (key) => {
    const compared = comparedBy(key);
    const among = compared === undefined ? [] : (values.get(compared.what) ?? []);
    const at = among.findIndex((value) => compared !== undefined && holds(value, compared.value));
    if (at !== -1) among.splice(at, 1);
    return at !== -1;
  };
}

function taking(functions: readonly Extracted[]): StandsIn {
  const used = new Map<string, number>();
  return (key) => {
    const times = (used.get(key) ?? 0) + 1;
    used.set(key, times);
    return functions.some(({ asserts, calls }) => asserts.has(key) && calls >= times);
  };
}

/** Matchers that compare with a whole value. */
const comparison =
  /\.(?:toEqual|toStrictEqual|toMatchObject|deepEqual|deepStrictEqual|toContainEqual)\(/g;
const pieces = /"(?:\\[\s\S]|[^"\\])*"|`[^`]*`|[\w$.]+|[^\s\w$"`]/g;

/** Compared expression and expected value of an assertion. */
export interface Compared {
  readonly what: string;
  readonly value: readonly string[];
}

/** Splits an assertion; undefined unless it compares with a list or object. */
function comparedBy(key: string): Compared | undefined {
  const found = [...key.matchAll(comparison)].at(-1);
  if (found === undefined) return undefined;
  const at = found.index + found[0].length;
  const value = key.slice(at);
  return /[[{]/.test(value)
    ? { what: key.slice(0, at), value: value.match(pieces) ?? [] }
    : undefined;
}

/**
 * True if one value contains all pieces of another in order. A test that expects an additional field or entry asserts
 * more, not less.
 */
export function holds(larger: readonly string[], smaller: readonly string[]): boolean {
  let at = 0;
  for (const piece of larger) if (piece === smaller[at]) at += 1;
  return at === smaller.length;
}
