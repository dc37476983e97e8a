import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Failure, fail, ok, type Result } from '../model/failure.ts';
import { isObject, Misfit, read, type Shape } from '../model/shape.ts';
import { fileSchema, ManifestFile, RunFile } from './run-file.ts';

const shapes = { 'run.json': RunFile, 'manifest.json': ManifestFile };

/** Checks that the files of a run are JSON of this version and fit their shapes. */
export function checkRunFiles(dir: string): Result<void> {
  for (const [name, shape] of Object.entries(shapes)) {
    const problem = problemOf(dir, join(dir, name), shape);
    if (problem !== undefined) return fail(problem);
  }
  return ok(undefined);
}

function problemOf(dir: string, file: string, shape: Shape): Failure | undefined {
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
  const fitting = read(shape, stored);
  return fitting instanceof Misfit ? corrupt(`${file} ${fitting}`) : undefined;
}
