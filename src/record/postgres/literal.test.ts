import { describe, expect, it } from 'vitest';
import { literal, type Parameter } from './literal.ts';

describe('a value in a statement', () => {
  it.each<[Parameter, string]>([
    [null, 'NULL'],
    [0, '0'],
    [-7, '-7'],
    [9_007_199_254_740_991, '9007199254740991'],
    ['', "''"],
    ['plain', "'plain'"],
    ["it's", "'it''s'"],
    ["'; DROP TABLE event; --", "'''; DROP TABLE event; --'"],
    ['back\\slash', " E'back\\\\slash'"],
    ['{"a":"b"}', `'{"a":"b"}'`],
    [[], "'{}'"],
    [[null, null], "'{NULL,NULL}'"],
    [[1, null, 3], 'ARRAY[1,NULL,3]::bigint[]'],
    [['a', null], "ARRAY['a',NULL]::text[]"],
    [["it's", '{"x":[1]}'], `ARRAY['it''s','{"x":[1]}']::text[]`],
  ])('%j is %s', (value, text) => {
    expect(literal(value)).toBe(text);
  });

  it('has no NUL, which would end the statement', () => {
    expect(literal('a\0b')).toBe("'a\uFFFDb'");
    expect(literal(['\0'])).toBe("ARRAY['\uFFFD']::text[]");
  });
});
