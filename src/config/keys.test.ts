import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { fromJSONSchema, type z } from 'zod';
import { settableKeys } from './keys.ts';
import { configJsonSchema, layerSchema } from './schema.ts';

describe('the table of keys', () => {
  it('has each key once', () => {
    expect(new Set(settableKeys.map(({ key }) => key)).size).toBe(settableKeys.length);
  });

  it('describes each key in one line without a period', () => {
    for (const { key, doc, default: text } of settableKeys) {
      expect(doc, key).toMatch(/^[A-Z`].*[^.]$/);
      expect(text, key).not.toBe('');
    }
  });

  it('gives each key a default that its own schema would accept or produce', () => {
    const shown = settableKeys.filter(({ kind }) => ['duration', 'size'].includes(kind.type));
    for (const { key, kind, value, default: text } of shown) {
      if (value !== undefined)
        expect(kind.schema.safeParse(text), key).toMatchObject({ data: value });
    }
  });
});

describe('the JSON Schema for editors', () => {
  const published = readFileSync(new URL('../../schemas/config.json', import.meta.url), 'utf8');
  const schema = fromJSONSchema(JSON.parse(published) as z.core.JSONSchema.BaseSchema);

  it('is what `node scripts/schemas.mjs` writes', () => {
    expect(configJsonSchema()).toBe(published);
  });

  it.each([
    [{}, true],
    [{ jobs: 4, gate: 'none', worktree: { setup: 'npm ci', pool: 'auto' } }, true],
    [{ gate: { commands: ['npm test'], timeout: '10m', slots: 2 } }, true],
    [
      { agents: { mine: { use: 'command', command: ['./a'] } }, limits: { agent_idle: 'off' } },
      true,
    ],
    [{ jobs: 17 }, false],
    [{ jbos: 4 }, false],
    [{ gate: 'maybe' }, false],
    [{ gate: { timeout: 10 } }, false],
    [{ gate: { timeout: 'soon' } }, false],
    [{ limits: { agent_wall: 'off' } }, false],
    [{ agents: { mine: { use: 'claude', command: ['./a'] } } }, false],
  ])('says of %j what a run says', (config, isRight) => {
    expect(schema.safeParse(config).success).toBe(isRight);
    const { gate, ...rest } = { gate: undefined, ...config };
    const layer = gate === 'none' ? rest : config;
    expect(layerSchema(layer).safeParse(layer).success).toBe(isRight);
  });
});
