/** Comparisons with a whole value, and where that value begins. */
const comparison =
  /\.(?:toEqual|toStrictEqual|toMatchObject|deepEqual|deepStrictEqual|toContainEqual)\(/g;
const pieces = /"(?:\\[\s\S]|[^"\\])*"|`[^`]*`|[\w$.]+|[^\s\w$"`]/g;

/** What an assertion compares, and the value that it compares it with. */
export interface Compared {
  readonly what: string;
  readonly value: readonly string[];
}

/** An assertion taken apart; none where it compares with no list and no object. */
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
 * Whether one value holds all that another holds, in the same order. Whoever adds a field or an entry to what a test
 * expects asks for more, not for less.
 */
export function holds(larger: readonly string[], smaller: readonly string[]): boolean {
  let at = 0;
  for (const piece of larger) if (piece === smaller[at]) at += 1;
  return at === smaller.length;
}
