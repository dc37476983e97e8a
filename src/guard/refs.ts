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
import { limits } from '../plan/limits.ts';
import type { Mark } from './marks.ts';

/** What git packed, as it was when the file was last seen to change. */
export interface Packed {
  readonly seen: string;
  readonly marks: readonly Mark[];
}

/** The refs as git keeps them in files, and the packed ones for the next time. */
export interface RefFiles {
  readonly marks: readonly Mark[];
  readonly packed: Packed;
}

/**
 * Reads the refs from their files: loose ones below `refs`, the others in `packed-refs`. A look at them is made before
 * and after every turn, and costs no process this way. Undefined where git must be asked: it keeps refs in another
 * shape, there are too many, or something is in the way. A name that stands for another ref has that as its mark.
 */
export async function refFiles(
  commonDir: string,
  isWatched: (ref: string) => boolean,
  last: Packed | undefined,
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

/** In one go: there are few, and each by itself would cost several times as much. */
function looseRefs(
  commonDir: string,
  isWatched: (ref: string) => boolean,
): readonly Mark[] | undefined {
  const marks: Mark[] = [];
  const folders = ['refs'];
  // A list that grows while it is walked is visited to its new end.
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

/** Whatever somebody put there, it is neither waited for nor read whole. */
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
