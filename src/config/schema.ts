import { z } from 'zod';
import { optional, valueAt } from '../document/document.ts';
import type { Key } from './key.ts';
import { gateHint, settableKeys } from './keys.ts';

/** File in the state folder that `ym init` writes the schema for editors to. */
export const schemaFile = 'config.schema.json';

const examples: Readonly<Record<string, string>> = {
  model: '{ default: sonnet, by_priority: { P0: opus } }',
  fallback: '{ agent: codex, cooldown: 3 }',
  review: '{ agent: codex, rounds: 3 }',
  critique: '{ agent: codex, rounds: 2 }',
  attempts: '{ best_of: 3, agents: [claude, codex, gemini] }',
  delivery: '{ how: pr, remote: origin }',
  verify: '{ enabled: true, command: "npm test" }',
};

/**
 * The schema of one layer: every key is optional, no other key is accepted. It has only the keys that the layer sets.
 * `gate: none` is removed before the check, so that an error inside a gate is not reported as a value that is neither
 * `none` nor a map.
 */
export function layerSchema(layer: object) {
  const isSet = (key: string): boolean => {
    const path = key.split('.');
    return Object.hasOwn(Object(valueAt(layer, path.slice(0, -1))), path.at(-1) ?? '');
  };
  return schemaOf(
    settableKeys.filter(({ key }) => isSet(key)),
    sectionNames.filter(isSet),
    (schema) => schema,
  );
}

const sectionNames = [...new Set(settableKeys.flatMap(({ key }) => key.split('.').slice(0, -1)))];

function schemaOf(
  keys: readonly Key[],
  sections: readonly string[],
  describe: (schema: z.ZodType, description: string) => z.ZodType,
) {
  const fields = (prefix: string): Record<string, z.ZodType> =>
    Object.fromEntries(
      keys
        .filter(({ key }) => key.startsWith(prefix) && !key.slice(prefix.length).includes('.'))
        .map(({ key, kind, doc, default: value }) => [
          key.slice(prefix.length),
          describe(optional(kind.schema), `${doc}. Default: ${value}.`),
        ]),
    );
  const section = (name: string): z.ZodType => {
    const example = examples[name];
    const map =
      example === undefined ? 'Write a map of keys here.' : `Write a map such as ${example}.`;
    return optional(
      z.strictObject(fields(`${name}.`), { error: name === 'gate' ? gateHint : map }),
    );
  };
  return z.strictObject(
    { ...fields(''), ...Object.fromEntries(sections.map((name) => [name, section(name)])) },
    { error: 'Write the config as a map of keys.' },
  );
}

export function configJsonSchema(): string {
  const plain = schemaOf(settableKeys, sectionNames, (schema, description) =>
    schema.meta({ description }),
  );
  const { gate = z.never() } = plain.shape;
  const whole = plain.extend({ gate: z.union([z.literal('none'), gate]) });
  const schema = z.toJSONSchema(whole, {
    target: 'draft-7',
    io: 'input',
    override: ({ jsonSchema }) => {
      // A list that may be written as one text says so itself, next to what the array in it says.
      if (jsonSchema.anyOf !== undefined && jsonSchema.type === 'array') {
        delete jsonSchema.type;
        delete jsonSchema.items;
      }
    },
  });
  return `${JSON.stringify({ title: 'Yardmaster config', ...schema }, undefined, 2)}\n`;
}
