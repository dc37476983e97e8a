import { describe, expect, it } from 'vitest';
import { keysBelow } from './dotted.ts';
import { settableKeys } from './keys.ts';
import { layerSchema } from './schema.ts';

/** Dotted keys of the schema, found by what it says about a key that no section has. */
function schemaKeys(): string[] {
  return Object.keys(layerSchema.shape).flatMap((top) => {
    const below = keysBelow(top);
    if (top === 'agents' || below.length === 0) return [top];
    const accepted = below.filter((key) => {
      const checked = layerSchema.safeParse({ [top]: { [key]: null } });
      return checked.success;
    });
    return [...(top === 'gate' ? [top] : []), ...accepted.map((key) => `${top}.${key}`)];
  });
}

describe('settableKeys', () => {
  it('lists exactly what the schema takes', () => {
    expect(settableKeys.map(({ key }) => key).sort()).toEqual(schemaKeys().sort());
  });

  it('describes each key in one line without a period', () => {
    for (const { key, doc, default: text } of settableKeys) {
      expect(doc, key).toMatch(/^[A-Z].*[^.]$/);
      expect(text, key).not.toBe('');
    }
  });
});
