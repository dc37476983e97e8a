/** Where the records of a project are: in the file of its git folder, or in a schema of a Postgres database. */
export type StoreAddress =
  | { readonly kind: 'sqlite' }
  | {
      readonly kind: 'postgres';
      /** With everything that a connection needs, also a password. Never printed. */
      readonly url: string;
      readonly schema: string;
      readonly shown: string;
      /** Passwords in `url`. */
      readonly secrets: readonly string[];
    };

export type PostgresAddress = Extract<StoreAddress, { kind: 'postgres' }>;

const defaultSchema = 'yardmaster';
const secretParameters = ['password', 'sslpassword'];

/** Reads `sqlite` or `postgres://user@host/database?schema=name`. Undefined if it is neither. */
export function storeAddress(text: string): StoreAddress | undefined {
  if (text === 'sqlite') return { kind: 'sqlite' };
  if (!/^postgres(?:ql)?:\/\//.test(text) || !URL.canParse(text)) return undefined;
  const url = new URL(text);
  if (!/^\/[^/]/.test(url.pathname)) return undefined;
  // The driver would take these in place of ours, which name the schema and the time limits.
  if (url.searchParams.has('options')) return undefined;
  const schema = url.searchParams.get('schema') ?? defaultSchema;
  if (!/^[a-z_][a-z0-9_]{0,39}$/.test(schema) || schema.startsWith('pg_')) return undefined;
  const hidden = secretParameters.map((name) => url.searchParams.get(name) ?? '');
  const password = decoded(url.password);
  if (password === undefined) return undefined;
  const secrets = [...new Set([password, url.password, ...hidden])].filter((one) => one !== '');
  const shown = new URL(url);
  shown.password = '';
  for (const name of secretParameters) drop(shown, name);
  drop(url, 'schema');
  return { kind: 'postgres', url: url.href, schema, shown: shown.href, secrets };
}

/** Undefined if a `%` begins no code. */
function decoded(text: string): string | undefined {
  return /%(?![0-9a-f]{2})/i.test(text) ? undefined : decodeURIComponent(text);
}

/** Any change of the parameters writes all of them again, so a parameter that is not there is left alone. */
function drop({ searchParams }: URL, name: string): void {
  if (searchParams.has(name)) searchParams.delete(name);
}
