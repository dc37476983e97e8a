// Checks values against the published JSON Schemas, as another program would; it knows the keywords that they use.
import { expect } from 'vitest';
import type { AttemptFile, BatchFile, ManifestFile, RunFile } from '../../src/files/run-file.ts';
import { jsonSchemas } from '../../src/files/schemas.ts';
import type { Event } from '../../src/model/event.ts';

interface Schema {
  readonly $ref?: string;
  readonly type?: string;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly minimum?: number;
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: Schema | false;
  readonly oneOf?: readonly Schema[];
  readonly anyOf?: readonly Schema[];
  readonly definitions?: Readonly<Record<string, Schema>>;
}

function published<T>(name: string) {
  const root = JSON.parse(jsonSchemas()[name] ?? '') as Schema;
  const problems = (value: unknown) => problemsOf(root, root, value, '');
  return {
    root,
    problems,
    parse(value: unknown): T {
      expect(problems(value)).toEqual([]);
      return value as T;
    },
  };
}

export const eventSchema = published<Event>('event.json');
export const runSchema = published<RunFile>('run.json');
export const manifestSchema = published<ManifestFile>('manifest.json');
export const attemptSchema = published<AttemptFile>('attempt.json');
export const batchSchema = published<BatchFile>('batch.json');

function problemsOf(root: Schema, schema: Schema, value: unknown, path: string): string[] {
  const under = (part: Schema, of = value, at = path) => problemsOf(root, part, of, at);
  if (schema.$ref !== undefined) {
    const found = root.definitions?.[schema.$ref.replace('#/definitions/', '')];
    return found === undefined ? [`${schema.$ref} is not defined`] : under(found);
  }
  const members = schema.oneOf ?? schema.anyOf;
  if (members !== undefined) {
    const fitting = members.filter((member) => under(member).length === 0).length;
    const fits = schema.oneOf === undefined ? fitting > 0 : fitting === 1;
    return fits ? [] : [`${path}: ${fitting} members fit ${JSON.stringify(value)}`];
  }
  const words = 'const' in schema ? [schema.const] : schema.enum;
  if (words !== undefined && !words.includes(value)) return [`${path} is none of ${words}`];
  if (schema.type !== undefined && !isOfType(schema.type, value))
    return [`${path} is no ${schema.type}`];
  if (typeof value === 'number' && value < (schema.minimum ?? value)) return [`${path}: ${value}`];
  if (Array.isArray(value))
    return value.flatMap((each, at) => under(schema.items ?? {}, each, `${path}/${at}`));
  if (typeof value !== 'object' || value === null) return [];
  const missing = (schema.required ?? []).filter((key) => !(key in value));
  const wrong = Object.entries(value).flatMap(([key, each]) => {
    const part = schema.properties?.[key] ?? schema.additionalProperties;
    if (part === false) return [`${path}/${key} is not allowed`];
    return under(part ?? {}, each, `${path}/${key}`);
  });
  return [...missing.map((key) => `${path}/${key} is missing`), ...wrong];
}

function isOfType(type: string, value: unknown): boolean {
  if (type === 'integer') return Number.isSafeInteger(value);
  if (type === 'array') return Array.isArray(value);
  if (type === 'object')
    return typeof value === 'object' && value !== null && !Array.isArray(value);
  return typeof value === type;
}
