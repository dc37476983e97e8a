import { type Dirent, lstatSync, readdirSync, readlinkSync, statSync } from 'node:fs';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { setImmediate } from 'node:timers/promises';

/** Fingerprint of each file and folder by path. Writing, replacing or moving a file changes its fingerprint. */
export type Manifest = ReadonlyMap<string, string>;

interface Survey {
  readonly manifest: Manifest;
  readonly bytes: number;
  /** True if a file has another hard link, through which it could be changed. */
  readonly hasHardLinks: boolean;
  /** True if a symbolic link points to a folder outside, in which files could be changed. */
  readonly leadsOut: boolean;
  /** True if a symbolic link contains the name of the root folder. */
  readonly namesItself: boolean;
}

/** Files between two pauses that let other work of this process run. */
const atOnce = 2_000;

/**
 * Fingerprints everything below some paths without reading contents: ctime cannot be set, so every edit shows. For
 * folders only inode and mode count, since their entries are listed themselves.
 */
export async function survey(root: string, paths: readonly string[]): Promise<Survey> {
  const manifest = new Map<string, string>();
  const seen = { bytes: 0, hasHardLinks: false, leadsOut: false, namesItself: false };
  const queue = [...paths];
  for (let path = queue.pop(); path !== undefined; path = queue.pop()) {
    const full = join(root, path);
    const stat = lstatSync(full, { throwIfNoEntry: false });
    if (stat === undefined) continue;
    const { mode, ino, size, mtimeMs, ctimeMs } = stat;
    if (stat.isDirectory()) {
      manifest.set(path, `d ${mode} ${ino}`);
      const entries: Dirent[] = readdirSync(full, { withFileTypes: true });
      for (const { name } of entries) queue.push(`${path}/${name}`);
    } else {
      manifest.set(path, `f ${mode} ${ino} ${size} ${mtimeMs} ${ctimeMs}`);
      seen.bytes += size;
      if (stat.isFile() && stat.nlink > 1) seen.hasHardLinks = true;
      if (stat.isSymbolicLink()) {
        const target = readlinkSync(full);
        if (isFolderElsewhere(root, full, target)) seen.leadsOut = true;
        if (target.includes(basename(root))) seen.namesItself = true;
      }
    }
    if (manifest.size % atOnce === 0) await setImmediate();
  }
  return { manifest, ...seen };
}

function isFolderElsewhere(root: string, link: string, target: string): boolean {
  const leads = resolve(dirname(link), target);
  if (!relative(root, leads).startsWith('..')) return false;
  return statSync(leads, { throwIfNoEntry: false })?.isDirectory() === true;
}

/**
 * True if a folder above one of the paths, within the root, is a link. An agent or a commit may have put it there, and
 * what is done to such a path is done elsewhere.
 */
export function isBehindLink(root: string, paths: readonly string[]): boolean {
  const folders = new Set(paths.flatMap(above));
  return [...folders].some(
    (folder) => lstatSync(join(root, folder), { throwIfNoEntry: false })?.isSymbolicLink() === true,
  );
}

/** Topmost paths at which two manifests differ. */
export function changedPaths(before: Manifest, after: Manifest): readonly string[] {
  const paths = new Set([...before.keys(), ...after.keys()]);
  const changed = [...paths].filter((path) => before.get(path) !== after.get(path)).sort();
  const all = new Set(changed);
  return changed.filter((path) => !above(path).some((folder) => all.has(folder)));
}

function above(path: string): readonly string[] {
  const parts = path.split('/');
  return parts.slice(1).map((_, at) => parts.slice(0, at + 1).join('/'));
}
