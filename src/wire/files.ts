import { dirname, join } from 'node:path';
import { checkWritable } from '../app/files.ts';
import type { Place } from '../app/ports.ts';
import { fail, ok, type Result } from '../model/failure.ts';
import { writeWhole } from '../process/whole-file.ts';
import { ensureExcluded } from '../record/exclude.ts';

/** Puts a file for people or their editors into Yardmaster's folder. */
export async function writeStateFile(
  { dir, commonDir }: Place,
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
    const cause = error instanceof Error ? error.message : String(error);
    return fail({ kind: 'state-unwritable', dir: dirname(file), cause });
  }
}
