import { describe, expect, it } from 'vitest';
import { type PostgresAddress, storeAddress } from './store-address.ts';

function postgres(text: string): PostgresAddress {
  const address = storeAddress(text);
  if (address?.kind !== 'postgres') throw new Error(`Not an address: ${text}`);
  return address;
}

describe('the address of a store', () => {
  it('is the word sqlite', () => {
    expect(storeAddress('sqlite')).toEqual({ kind: 'sqlite' });
  });

  it('is that of a Postgres database, with the schema yardmaster', () => {
    expect(postgres('postgres://ada@db.example.com:6432/yard')).toEqual({
      kind: 'postgres',
      url: 'postgres://ada@db.example.com:6432/yard',
      schema: 'yardmaster',
      shown: 'postgres://ada@db.example.com:6432/yard',
      secrets: [],
    });
    expect(postgres('postgresql://db/yard').url).toBe('postgresql://db/yard');
  });

  it('names another schema, which the driver does not see', () => {
    const { url, schema, shown } = postgres('postgres://db/yard?schema=shop&sslmode=disable');
    expect(schema).toBe('shop');
    expect(url).toBe('postgres://db/yard?sslmode=disable');
    expect(shown).toBe('postgres://db/yard?schema=shop&sslmode=disable');
  });

  it('may not set options of the connection, or hold a percent sign that is no code', () => {
    expect(storeAddress('postgres://db/yard?options=-csearch_path%3Dpublic')).toBeUndefined();
    expect(storeAddress('postgres://ada:100%@db/yard')).toBeUndefined();
    expect(postgres('postgres://ada:100%25@db/yard').secrets).toEqual(['100%', '100%25']);
  });

  it('reaches a server through a socket', () => {
    expect(postgres('postgres:///yard?host=/run/postgresql').url).toBe(
      'postgres:///yard?host=/run/postgresql',
    );
  });

  it('is shown without passwords, which are kept apart for redaction', () => {
    const { url, shown, secrets } = postgres(
      'postgres://ada:open%20sesame@db/yard?password=two&sslpassword=three&schema=shop',
    );
    expect(url).toContain('open%20sesame');
    expect(shown).toBe('postgres://ada@db/yard?schema=shop');
    expect(secrets).toEqual(['open sesame', 'open%20sesame', 'two', 'three']);
  });

  it.each([
    '',
    'SQLITE',
    'yard.db',
    'sqlite://yard.db',
    'mysql://db/yard',
    'http://db/yard',
    'postgres:yard',
    'postgres://',
    'postgres://db',
    'postgres://db/',
    'postgres://db:port/yard',
    'postgres://db/yard?schema=',
    'postgres://db/yard?schema=Shop',
    'postgres://db/yard?schema=a-b',
    'postgres://db/yard?schema=a;drop',
    'postgres://db/yard?schema=1st',
    'postgres://db/yard?schema=pg_catalog',
    `postgres://db/yard?schema=${'s'.repeat(41)}`,
  ])('is not %j', (text) => {
    expect(storeAddress(text)).toBeUndefined();
  });
});
