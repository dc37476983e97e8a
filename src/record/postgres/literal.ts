import pg from 'pg';

export type Parameter = string | number | null | readonly (string | number | null)[];

export function literal(value: Parameter): string {
  if (Array.isArray(value)) return arrayLiteral(value);
  if (value === null) return 'NULL';
  if (typeof value === 'number') return String(value);
  // A query ends at its first NUL, and no text of the database contains one.
  return pg.escapeLiteral(String(value).replaceAll('\0', '\uFFFD'));
}

/** A list without any value has no type of its own; as a text it gets that of the parameter. */
function arrayLiteral(values: readonly (string | number | null)[]): string {
  const some = values.find((value) => value !== null);
  if (some === undefined) return `'{${values.map(() => 'NULL').join(',')}}'`;
  const type = typeof some === 'number' ? 'bigint' : 'text';
  return `ARRAY[${values.map(literal).join(',')}]::${type}[]`;
}
