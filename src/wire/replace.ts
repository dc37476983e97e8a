import { dirname } from 'node:path';
import { fail, ok, type Result } from '../model/failure.ts';
import { writeWhole } from '../process/whole-file.ts';

/** Writes a user's file atomically. */
export async function replaceFile(file: string, text: string): Promise<Result<void>> {
  try {
    await writeWhole(file, text);
    return ok(undefined);
  } catch (error) {
    const cause = error instanceof Error ? error.message : String(error);
    return fail({ kind: 'state-unwritable', dir: dirname(file), cause });
  }
}
