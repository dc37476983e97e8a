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
export function comparedBy(key: string): Compared | undefined {
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
