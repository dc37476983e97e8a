import { accessSync, constants, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { unwritable } from '../model/failure.ts';
import { Trouble } from '../model/trouble.ts';
import { writeWhole } from '../process/whole-file.ts';

/** Creates a folder if needed, and checks that it is writable. */
export function checkWritable(dir: string): void {
  try {
    mkdirSync(dir, { recursive: true, mode: 0o700 });
    accessSync(dir, constants.W_OK | constants.X_OK);
  } catch (error) {
    throw new Trouble(unwritable(dir, error));
  }
}

/** Creates a folder if needed, and writes and removes a file in it: permissions alone do not show a read-only disk. */
export async function checkWriting(dir: string): Promise<void> {
  checkWritable(dir);
  const probe = join(dir, `.ym-${process.pid}.tmp`);
  try {
    writeFileSync(probe, 'x');
    rmSync(probe);
  } catch (error) {
    throw new Trouble(unwritable(dir, error));
  }
}

/** Puts a file for people or their editors into Yardmaster's folder. */
export async function writeStateFile(dir: string, name: string, text: string): Promise<void> {
  checkWritable(dir);
  return writeFile(join(dir, name), text);
}

/** Writes a user's file atomically. */
export async function writeFile(file: string, text: string): Promise<void> {
  try {
    await writeWhole(file, text);
  } catch (error) {
    throw new Trouble(unwritable(dirname(file), error));
  }
}
