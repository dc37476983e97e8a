import type { Claim } from './asserts.ts';
import type { ChangedText } from './changed.ts';
import { countsOf } from './changed.ts';
import { type Extracted, extractedFunctions, renamedWords } from './moves.ts';
import type { TestFile } from './read-test.ts';
import { withoutNames } from './statements.ts';

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
