import { createHash } from 'node:crypto';
import { createReadStream, existsSync } from 'node:fs';
import { copyFile, mkdir, readdir, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';

/**
 * Copies what Git LFS has stored in an agent's own git into the repository: commits hold only pointers to it. A file is
 * taken if its content has the hash that it is named after.
 */
export async function bringLfsObjects(clone: string, commonDir: string): Promise<void> {
  const from = join(clone, 'lfs', 'objects');
  if (!existsSync(from)) return;
  const entries = await readdir(from, { recursive: true, withFileTypes: true });
  for (const { name } of entries.filter((entry) => entry.isFile())) {
    if (!/^[0-9a-f]{64}$/.test(name)) continue;
    const path = join(name.slice(0, 2), name.slice(2, 4), name);
    const to = join(commonDir, 'lfs', 'objects', path);
    if (!existsSync(to) && existsSync(join(from, path))) await take(join(from, path), to, name);
  }
}

async function take(from: string, to: string, name: string): Promise<void> {
  await mkdir(dirname(to), { recursive: true });
  const draft = `${to}.part`;
  await copyFile(from, draft);
  const hash = createHash('sha256');
  await pipeline(createReadStream(draft), hash);
  if (hash.digest('hex') === name) await rename(draft, to);
  else await rm(draft);
}
