import { describe, expect, it } from 'vitest';
import { parseJson } from './json.ts';

describe('parseJson', () => {
  it('returns the value, or undefined for a text that is not JSON', () => {
    expect(parseJson(' [1, "a"] ')).toEqual([1, 'a']);
    expect(parseJson('null')).toBeNull();
    expect(parseJson('[1,]')).toBeUndefined();
    expect(parseJson('')).toBeUndefined();
  });

  it('does not throw on deep nesting', () => {
    expect(() => parseJson('['.repeat(200_000))).not.toThrow();
  });
});
