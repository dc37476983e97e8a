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

/**
 * Replaces a file as a whole: a reader, or a crash at any moment, finds the old one or the new one. The folder is made
 * where it is missing. A file that is there keeps its mode; a new one, and its folder, are for the owner alone where
 * that is asked for. Throws what the file system throws, and leaves no temporary file then.
 */
export async function writeWhole(
  file: string,
  text: string,
  { secret } = { secret: false },
): Promise<void> {
  const folder = dirname(file);
  await mkdir(folder, { recursive: true, mode: secret ? 0o700 : 0o777 });
  const draft = join(folder, `.${basename(file)}.${randomBytes(6).toString('hex')}.tmp`);
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

/** The new name itself is only safe once its folder is. */
async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/**
 * The same without letting anything else happen meanwhile, so that two writes of one file cannot overtake each other.
 * Where it is not durable, that is enough against the end of a process, not against that of the machine. The file, and
 * a folder that has to be made, are for the owner alone.
 */
export function writeWholeNow(
  file: string,
  text: string,
  { durable }: { readonly durable: boolean },
): void {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  const draft = join(dirname(file), `.${basename(file)}.${randomBytes(6).toString('hex')}`);
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
