import { createHash } from 'node:crypto';
import { lstat, readdir, readFile, readlink, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { limits } from '../model/limits.ts';
import type { Listing } from '../port/guard.ts';

export type Mark = readonly [name: string, mark: string];

export const UNKNOWN = 'unknown';
const GONE = 'gone';

/** Sorted, so that two lists are cut at the same names. */
export function listing(marks: readonly Mark[], most: number): Listing {
  const sorted = [...marks].sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
  const kept = sorted.slice(0, most);
  const last = kept.at(-1);
  return {
    marks: Object.fromEntries(kept),
    ...(kept.length < sorted.length && last !== undefined ? { upTo: last[0] } : {}),
  };
}

export async function folderMarks(
  folder: string,
  nameOf: (name: string) => string,
): Promise<readonly Mark[]> {
  const names = await attempt(() => readdir(folder), { missing: [], unknown: undefined });
  if (names === undefined) return [[nameOf('.'), UNKNOWN]];
  const some = names.sort().slice(0, limits.watchedFiles + 1);
  return marksOf(some.map((name) => [nameOf(name), join(folder, name)] as const));
}

interface MarkOptions {
  /** Files up to this size are hashed, larger ones compared by size and mtime. */
  readonly bytes: number;
  /** Fingerprints a link's target instead of the link. */
  readonly follow: boolean;
  /** Selects the relevant part of the text. */
  readonly read: (text: string) => string;
}

/** A link's target may be in the checkout, where landings change it. */
const asItIs: MarkOptions = { bytes: limits.watchedBytes, follow: false, read: (text) => text };

/** Fingerprints what a link leads to: people keep their settings in a repository and link to it. */
export const followed: MarkOptions = { ...asItIs, follow: true };

type Named = readonly (readonly [name: string, file: string])[];

/** Missing files are left out. */
export async function marksOf(files: Named, how: MarkOptions = asItIs): Promise<readonly Mark[]> {
  const marks = await Promise.all(
    files.map(async ([name, file]) => [name, await fileMark(file, how)] as const),
  );
  return marks.flatMap(([name, mark]) => (mark === undefined ? [] : [[name, mark] as const]));
}

/** Hashes small files, so that rewriting one without a change does not count. */
export async function fileMark(
  file: string,
  { bytes, follow, read }: MarkOptions,
): Promise<string | undefined> {
  return attempt(
    async () => {
      const found = follow ? await stat(file) : await lstat(file);
      const mode = (found.mode & 0o7777).toString(8);
      if (found.isSymbolicLink()) return `link ${await readlink(file)}`;
      if (found.isDirectory()) return `folder ${mode}`;
      // Reading a pipe would block.
      if (!found.isFile()) return `special ${mode}`;
      if (found.size > bytes) return `${mode} ${found.size} ${found.mtimeMs}`;
      const text = read(await readFile(file, 'latin1'));
      return `${mode} ${createHash('sha256').update(text, 'latin1').digest('hex')}`;
    },
    { missing: undefined, unknown: UNKNOWN },
  );
}

/** Does not read the files, since there may be many. A deleted file has a fingerprint too. */
export function statMarks(files: Named): Promise<readonly Mark[]> {
  return Promise.all(
    files.map(async ([name, file]) => {
      const mark = await attempt(
        async () => {
          const { mode, size, mtimeMs } = await lstat(file);
          return `${mode.toString(8)} ${size} ${mtimeMs}`;
        },
        { missing: GONE, unknown: UNKNOWN },
      );
      return [name, mark] as const;
    }),
  );
}

/** Text of a small file; undefined if it cannot be read. */
export async function textOf(file: string): Promise<string | undefined> {
  return attempt(
    async () => {
      const found = await stat(file);
      if (!found.isFile() || found.size > limits.watchedSettingsBytes) return undefined;
      return await readFile(file, 'utf8');
    },
    { missing: undefined, unknown: undefined },
  );
}

/** Result of `read`, or the substitute for a missing or unreadable file. */
export async function attempt<T, M, U>(
  read: () => Promise<T>,
  instead: { readonly missing: M; readonly unknown: U },
): Promise<T | M | U> {
  try {
    return await read();
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    return code === 'ENOENT' || code === 'ENOTDIR' ? instead.missing : instead.unknown;
  }
}
