import { accessSync, constants, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { ok, type Result, unwritable } from '../model/failure.ts';
import { writeWhole } from '../process/whole-file.ts';

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

/** Creates a folder if needed, and writes and removes a file in it: permissions alone do not show a read-only disk. */
export async function checkWriting(dir: string): Promise<Result<void>> {
  const writable = checkWritable(dir);
  if (!writable.ok) return writable;
  const probe = join(dir, `.ym-${process.pid}.tmp`);
  try {
    writeFileSync(probe, 'x');
    rmSync(probe);
    return ok(undefined);
  } catch (error) {
    return unwritable(dir, error);
  }
}

/** Puts a file for people or their editors into Yardmaster's folder. */
export async function writeStateFile(
  dir: string,
  name: string,
  text: string,
): Promise<Result<void>> {
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
