import { describe, expect, it } from 'vitest';
import { keysBelow, refusalOf, settableKeys, typeOf } from './keys.ts';
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

describe('typeOf', () => {
  it.each([
    ['jobs', 'number'],
    ['gate.commands', 'list'],
    ['agents', 'map'],
    ['agents.mine', 'map'],
    ['agents.mine.command', 'list'],
    ['agents.mine.use', 'text'],
    ['agents.mine.env.TOKEN', 'text'],
    ['agents.mine.other', undefined],
    ['agents.', undefined],
    ['agents.mine.use.x', undefined],
    ['gates', undefined],
    ['worktree', undefined],
    ['', undefined],
  ])('knows %s as %s', (key, type) => {
    expect(typeOf(key)).toBe(type);
  });
});

describe('refusalOf', () => {
  it('offers the nearest key', () => {
    expect(refusalOf('gate.timout').remedy).toBe('Did you mean "gate.timeout"?');
    expect(refusalOf('zzzzzz').remedy).toContain('ym config list');
  });

  it('says of keys to come that they have no effect yet', () => {
    expect(refusalOf('model.default').problem).toContain('not supported yet by this version');
  });
});
