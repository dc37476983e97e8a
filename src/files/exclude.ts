import { readFile, realpath } from 'node:fs/promises';
import { join } from 'node:path';
import { ok, type Result, unwritable } from '../model/failure.ts';
import { writeWhole } from '../process/whole-file.ts';

const LINE = '.yardmaster/';
const SAME = new Set([LINE, '/.yardmaster/', '.yardmaster', '/.yardmaster']);

/**
 * Keeps the state folder out of `git status` with a line in the repository's own exclude file, which is never
 * committed. Existing lines stay. Idempotent.
 */
export async function ensureExcluded(commonDir: string): Promise<Result<void>> {
  const named = join(commonDir, 'info', 'exclude');
  try {
    // Replaces the target of a symbolic link, not the link.
    const file = await orAbsent(realpath(named));
    const text = file === undefined ? '' : await readFile(file, 'utf8');
    if (text.split('\n').some((line) => SAME.has(line.trim()))) return ok(undefined);
    const gap = text === '' || text.endsWith('\n') ? '' : '\n';
    await writeWhole(file ?? named, `${text}${gap}${LINE}\n`);
    return ok(undefined);
  } catch (error) {
    return unwritable(join(commonDir, 'info'), error);
  }
}

async function orAbsent<T>(found: Promise<T>): Promise<T | undefined> {
  try {
    return await found;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  }
}
