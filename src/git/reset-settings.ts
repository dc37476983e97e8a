import { existsSync } from 'node:fs';
import { copyFile, lstat, mkdir, readdir, rename, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { ifPresent, textOf } from './admin.ts';
import { isFolder, type Own, renewClone, smallText } from './clone.ts';
import { madeIn, makeSettings, SETTINGS } from './clone-settings.ts';
import type { Repo } from './repo.ts';

/** Entries by which git finds settings or hooks elsewhere. A clone is made without them. */
const ABSENT = ['config.worktree', 'commondir', 'info/grafts'];

/**
 * Gives the worktree's own git the settings, excludes, attributes and hooks again that it was made with, because git runs
 * programs that they name. Returns the folder with the old ones; undefined if nothing has changed. No git process.
 */
export async function resetSettings(repo: Repo, own: Own): Promise<string | undefined> {
  const made = madeIn(own);
  if (!existsSync(join(made, 'config'))) {
    await makeSettings(repo, own);
  }
  const kept = await freeFolder(own);
  if (!isFolder(own.clone)) {
    await putAway(own.clone, join(kept, 'git'));
    await renewClone(repo, own);
    return kept;
  }
  await resetPointer(own, kept);
  for (const folder of ['info', 'hooks']) {
    const at = join(own.clone, folder);
    const isRight = isFolder(at);
    const isClean = isRight && (folder !== 'hooks' || (await readdir(at)).length === 0);
    if (!isClean) await putAway(at, join(kept, folder));
    await mkdir(at, { recursive: true });
  }
  for (const name of [...SETTINGS, ...ABSENT]) {
    const [now, before] = [join(own.clone, name), join(made, name)];
    const wanted = await textOf(before);
    if (await holds(now, wanted)) continue;
    await putAway(now, join(kept, name));
    if (wanted !== undefined) await copyFile(before, now);
  }
  return existsSync(kept) ? kept : undefined;
}

/** The file `.git` leads to the clone; a folder in its place would be another git. */
async function resetPointer({ dir, clone }: Own, kept: string): Promise<void> {
  const at = join(dir, '.git');
  const text = `gitdir: ${clone}\n`;
  if (await holds(at, text)) return;
  await putAway(at, join(kept, 'git-of-the-folder'));
  await writeFile(at, text);
}

/** True if a file has this text, and is missing where none is wanted. */
async function holds(file: string, wanted: string | undefined): Promise<boolean> {
  if (wanted === undefined) return (await ifPresent(lstat(file), undefined)) === undefined;
  return (await smallText(file, Buffer.byteLength(wanted) + 1)) === wanted;
}

/** Moves whatever is there; a link itself, not what it leads to. */
async function putAway(from: string, to: string): Promise<void> {
  await mkdir(dirname(to), { recursive: true });
  await ifPresent(rename(from, to), undefined);
}

/** Name for a folder that no earlier call has used. */
async function freeFolder({ view }: Own): Promise<string> {
  const names = new Set(await readdir(view));
  for (let n = 1; ; n += 1) if (!names.has(`replaced-${n}`)) return join(view, `replaced-${n}`);
}
