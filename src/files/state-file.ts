import { accessSync, constants, mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { ok, type Result, unwritable } from '../model/failure.ts';
import { writeWhole } from '../process/whole-file.ts';
import { ensureExcluded } from './exclude.ts';

/** Creates a folder if needed, and checks that it is writable. */
export function checkWritable(dir: string): Result<void> {
  try {
    mkdirSync(dir, { recursive: true, mode: 0o700 });
    accessSync(dir, constants.W_OK | constants.X_OK);
    return ok(undefined);
  } catch (error) {
    return unwritable(dir, error);
  }
}

/** Puts a file for people or their editors into Yardmaster's folder. */
export async function writeStateFile(
  { dir, commonDir }: { readonly dir: string; readonly commonDir: string },
  name: string,
  text: string,
): Promise<Result<void>> {
  const excluded = await ensureExcluded(commonDir);
  if (!excluded.ok) return excluded;
  const writable = checkWritable(dir);
  return writable.ok ? writeFile(join(dir, name), text) : writable;
}

/** Writes a user's file atomically. */
export async function writeFile(file: string, text: string): Promise<Result<void>> {
  try {
    await writeWhole(file, text);
    return ok(undefined);
  } catch (error) {
    return unwritable(dirname(file), error);
  }
}
