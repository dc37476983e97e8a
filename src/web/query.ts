import { ok, type Result, usage } from '../model/failure.ts';

export type Query = (name: string) => string | undefined;

/** A whole number of the query; undefined if it is absent. */
export function numberIn(query: Query, name: string): Result<number | undefined> {
  const text = query(name);
  if (text === undefined) return ok(undefined);
  if (/^\d{1,12}$/.test(text)) return ok(Number(text));
  return usage(`"${text}" is no number for "${name}"`, 'Send a whole number.');
}

/** Several numbers of the query, by name. Absent ones are left out. */
export function numbersIn<Name extends string>(
  query: Query,
  ...names: readonly Name[]
): Result<{ readonly [Key in Name]?: number }> {
  const found: { [Key in Name]?: number } = {};
  for (const name of names) {
    const number = numberIn(query, name);
    if (!number.ok) return number;
    if (number.value !== undefined) found[name] = number.value;
  }
  return ok(found);
}

/** Minutes from local time to UTC, as browsers report them; 0 if absent. */
export function offsetIn(query: Query): Result<number> {
  const text = query('offset') ?? '0';
  if (/^-?\d{1,3}$/.test(text)) return ok(Number(text));
  return usage(`"${text}" is no number of minutes for "offset"`, 'Send a whole number.');
}
