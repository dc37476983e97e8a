import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Failure, fail, ok, type Result } from '../model/failure.ts';
import { isObject } from '../model/shape.ts';
import { fileSchema } from './run-file.ts';

/** Each file of a run, with the field without which the rest means nothing. */
const keys = { 'run.json': 'id', 'manifest.json': 'run' };

/** Checks that the files of a run can be read: JSON objects of this version that name their run. */
export function checkRunFiles(dir: string): Result<void> {
  for (const [name, key] of Object.entries(keys)) {
    const problem = problemOf(dir, join(dir, name), key);
    if (problem !== undefined) return fail(problem);
  }
  return ok(undefined);
}

function problemOf(dir: string, file: string, key: string): Failure | undefined {
  const corrupt = (detail: string): Failure => ({ kind: 'store-corrupt', file: dir, detail });
  let stored: unknown;
  try {
    stored = JSON.parse(readFileSync(file, 'utf8'));
  } catch (error) {
    return corrupt(`${file}: ${error instanceof Error ? error.message : String(error)}`);
  }
  if (!isObject(stored)) return corrupt(`${file} does not contain an object`);
  const { schema: found } = stored;
  if (typeof found !== 'number') return corrupt(`${file} has no version number in "schema"`);
  if (found !== fileSchema) return { kind: 'store-newer', file, found, known: fileSchema };
  return typeof stored[key] === 'string' ? undefined : corrupt(`${file} has no "${key}"`);
}
