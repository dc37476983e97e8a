import {
  closeSync,
  constants,
  type Dirent,
  existsSync,
  openSync,
  readdirSync,
  readSync,
} from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { limits } from '../model/limits.ts';

/** Name and commit of a ref; of a symbolic ref, its text. */
type Mark = readonly [ref: string, id: string];

/** Parsed `packed-refs`, with the file's state when it was read. */
export interface Packed {
  readonly seen: string;
  readonly marks: readonly Mark[];
}

/** Refs read from files; `packed` is passed to the next call. */
interface RefFiles {
  readonly marks: readonly Mark[];
  readonly packed: Packed;
}

/**
 * Reads loose and packed refs from files, since a snapshot is taken before and after every turn and must not cost a
 * process. Undefined if git must be asked: reftable, too many refs, or a read error. A symbolic ref is fingerprinted by
 * its target name.
 */
export async function refFiles(
  commonDir: string,
  isWatched: (ref: string) => boolean,
  last?: Packed,
): Promise<RefFiles | undefined> {
  try {
    if (existsSync(join(commonDir, 'reftable'))) return undefined;
    const packed = await packedRefs(join(commonDir, 'packed-refs'), isWatched, last);
    const loose = packed === undefined ? undefined : looseRefs(commonDir, isWatched);
    if (packed === undefined || loose === undefined) return undefined;
    const marks = new Map([...packed.marks, ...loose]);
    return { marks: [...marks], packed };
  } catch (error) {
    if (error instanceof Error && 'code' in error) return undefined;
    throw error;
  }
}

async function packedRefs(
  file: string,
  isWatched: (ref: string) => boolean,
  last: Packed | undefined,
): Promise<Packed | undefined> {
  if (!existsSync(file)) return { seen: '', marks: [] };
  const found = await stat(file);
  if (!found.isFile() || found.size > limits.gitOutputBytes) return undefined;
  const seen = `${found.ino} ${found.size} ${found.mtimeMs} ${found.ctimeMs}`;
  if (last?.seen === seen) return last;
  const lines = (await readFile(file, 'utf8')).split('\n');
  const marks = lines.flatMap((line) => {
    const [, id, ref] = /^([0-9a-f]+) (refs\/.+)$/.exec(line) ?? [];
    return id === undefined || ref === undefined || !isWatched(ref) ? [] : [[ref, id] as const];
  });
  return { seen, marks };
}

/** Synchronous: there are few, and promises would cost more. */
function looseRefs(
  commonDir: string,
  isWatched: (ref: string) => boolean,
): readonly Mark[] | undefined {
  const marks: Mark[] = [];
  const folders = ['refs'];
  // Iterating an array also visits entries pushed on the way.
  for (const folder of folders) {
    for (const entry of readdirSync(join(commonDir, folder), { withFileTypes: true })) {
      const ref = `${folder}/${entry.name}`;
      if (marks.length + folders.length > limits.looseRefs) return undefined;
      if (!isWatched(ref) || entry.name.endsWith('.lock')) continue;
      if (entry.isDirectory()) folders.push(ref);
      else marks.push([ref, markOf(join(commonDir, ref), entry)]);
    }
  }
  return marks;
}

const refBytes = 1024;

/** Never blocks on a special file and reads a bounded number of bytes. */
function markOf(file: string, entry: Dirent): string {
  if (!entry.isFile()) return 'special';
  const descriptor = openSync(file, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    const text = Buffer.alloc(refBytes);
    return text.toString('latin1', 0, readSync(descriptor, text, 0, refBytes, 0)).trim();
  } finally {
    closeSync(descriptor);
  }
}
