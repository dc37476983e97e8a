import { randomBytes } from 'node:crypto';
import {
  closeSync,
  fsyncSync,
  mkdirSync,
  openSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs';
import { mkdir, open, rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';

/** Path of a temporary file in the folder of the file that it will replace. */
export const draftOf = (file: string): string =>
  join(dirname(file), `.${basename(file)}.${randomBytes(6).toString('hex')}.tmp`);

/** True for the name of such a file; a process that is killed while it writes leaves one. */
export const isDraft = (name: string): boolean => /^\..+\.[0-9a-f]{12}\.tmp$/.test(name);

/**
 * Atomically replaces a file: a reader, or a crash, finds the old or the new content. Creates missing folders. An
 * existing file keeps its mode; with `secret` a new file and folder are for the owner only. Throws file system errors
 * and then leaves no temporary file.
 */
export async function writeWhole(
  file: string,
  text: string,
  { secret } = { secret: false },
): Promise<void> {
  const folder = dirname(file);
  await mkdir(folder, { recursive: true, mode: secret ? 0o700 : 0o777 });
  const draft = draftOf(file);
  const before = statSync(file, { throwIfNoEntry: false })?.mode;
  try {
    const handle = await open(draft, 'wx', secret ? 0o600 : 0o666);
    try {
      if (before !== undefined) await handle.chmod(before & 0o777);
      await handle.writeFile(text);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(draft, file);
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  }
  await syncFolder(folder);
}

/** A rename is durable only after its folder is synced. */
async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/**
 * Synchronous variant, so that two writes of one file cannot overtake each other. Without `durable` it survives a crash
 * of the process but not of the machine. File and new folders are for the owner only.
 */
export function writeWholeNow(
  file: string,
  text: string,
  { durable }: { readonly durable: boolean },
): void {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  const draft = draftOf(file);
  try {
    const handle = openSync(draft, 'wx', 0o600);
    try {
      writeAll(handle, Buffer.from(text));
      if (durable) fsyncSync(handle);
    } finally {
      closeSync(handle);
    }
    renameSync(draft, file);
  } catch (error) {
    rmSync(draft, { force: true });
    throw error;
  }
}

function writeAll(handle: number, bytes: Buffer): void {
  for (let at = 0; at < bytes.length; ) at += writeSync(handle, bytes, at);
}
