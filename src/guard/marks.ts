import { createHash } from 'node:crypto';
import { lstat, readdir, readFile, readlink, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { limits } from '../plan/limits.ts';
import type { Listing } from './guard.ts';

export type Mark = readonly [name: string, mark: string];

export const UNKNOWN = 'unknown';
const GONE = 'gone';

/** Sorted, so that it is the same names which are left out of two lists. */
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

/** How a file is looked at. */
interface MarkOptions {
  /** A file up to this size is compared by its contents, a larger one by size and time. */
  readonly bytes: number;
  /** Where a link leads counts, not the link. */
  readonly follow: boolean;
  /** What of the contents counts. */
  readonly read: (text: string) => string;
}

/** What a link leads to may be in the checkout, where it changes with landings. */
const asItIs: MarkOptions = { bytes: limits.watchedBytes, follow: false, read: (text) => text };

type Named = readonly (readonly [name: string, file: string])[];

/** Files that are not there have no mark. */
export async function marksOf(files: Named, how: MarkOptions = asItIs): Promise<readonly Mark[]> {
  const marks = await Promise.all(
    files.map(async ([name, file]) => [name, await fileMark(file, how)] as const),
  );
  return marks.flatMap(([name, mark]) => (mark === undefined ? [] : [[name, mark] as const]));
}

/** Small files by what is in them, so that one which was written again without a change is the same. */
async function fileMark(
  file: string,
  { bytes, follow, read }: MarkOptions,
): Promise<string | undefined> {
  return attempt(
    async () => {
      const found = follow ? await stat(file) : await lstat(file);
      const mode = (found.mode & 0o7777).toString(8);
      if (found.isSymbolicLink()) return `link ${await readlink(file)}`;
      if (found.isDirectory()) return `folder ${mode}`;
      // Reading a pipe would wait for somebody to write to it.
      if (!found.isFile()) return `special ${mode}`;
      if (found.size > bytes) return `${mode} ${found.size} ${found.mtimeMs}`;
      const text = read(await readFile(file, 'latin1'));
      return `${mode} ${createHash('sha256').update(text, 'latin1').digest('hex')}`;
    },
    { missing: undefined, unknown: UNKNOWN },
  );
}

/** Without a look into the files: there may be many. One that is gone is as good a state as any. */
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

/** The text of a small file, or undefined where there is none to read. */
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

/** What came of it, or what stands for a file that is not there, or for one that cannot be read. */
async function attempt<T, M, U>(
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
