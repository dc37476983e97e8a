import { lstat, readFile, readlink, rm, rmdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Failure } from '../model/failure.ts';
import { machineCauseOf } from '../model/machine-cause.ts';
import { outcomeOf, take } from '../model/trouble.ts';
import type { Change, TreeEntry } from '../port/git.ts';
import { ifPresent, isMissing, realDir } from './admin.ts';
import { nulSeparated, succeed } from './command.ts';
import type { Repo } from './repo.ts';
import { changes } from './trees.ts';

interface Undo {
  readonly from: string;
  readonly to: string;
  /** Index file that may be overwritten. */
  readonly scratch: string;
}

/**
 * Returns the files that a killed git wrote, or began to write, on its way from one commit to another to the old
 * commit. A file belongs to git if it is missing or a beginning of its old or new content; every other one, and every
 * file whose index entry is not the old one, is the user's and stays.
 */
export async function undoCheckout(
  repo: Repo,
  { dir }: { readonly dir: string },
  { from, to, scratch }: Undo,
): Promise<void> {
  const changed = await changes(repo.reader, from, to);
  const listed = await succeed(repo.run, { cwd: dir, args: ['ls-files', '-t', '-s', '-z'] });
  const index = indexOf(nulSeparated(listed.stdout));
  const mine = changed.filter(
    ({ path, before, after }) =>
      !isModule(before) && !isModule(after) && isSame(index.get(path), before),
  );
  const restored: string[] = [];
  const root = await realDir(dir);
  for (const change of mine) {
    const half = await isHalfDone(repo, root, change);
    if (!half) continue;
    if (change.before === undefined) await removeFile(root, change.path);
    else restored.push(change.path);
  }
  const free = await withoutFolders(root, restored);
  if (free.length === 0) return;
  const env = { GIT_INDEX_FILE: scratch };
  const clean = async (): Promise<void> => {
    for (const file of [scratch, `${scratch}.lock`]) await rm(file, { force: true });
  };
  await clean();
  await succeed(repo.run, { cwd: dir, args: ['read-tree', from], env });
  const args = ['checkout-index', '-f', '-q', '-z', '--stdin'];
  const input = free.map((path) => `${path}\0`).join('');
  try {
    await succeed(repo.run, { cwd: dir, args, env, input });
  } finally {
    await clean();
  }
}

/** Index entries by path. Entries that sparse checkout leaves out of the folder, and unmerged ones, match nothing. */
function indexOf(lines: readonly string[]): ReadonlyMap<string, TreeEntry> {
  const entries = lines.flatMap((line) => {
    const [, tag, mode, id, stage, path] = /^(\S+) (\d+) ([0-9a-f]+) (\d)\t(.*)$/s.exec(line) ?? [];
    if (mode === undefined || id === undefined || path === undefined) return [];
    const isPlain = tag !== 'S' && stage === '0';
    return [[path, isPlain ? { mode, id } : { mode: '', id: '' }] as const];
  });
  return new Map(entries);
}

const isModule = (entry: TreeEntry | undefined): boolean => entry?.mode === '160000';

function isSame(one: TreeEntry | undefined, other: TreeEntry | undefined): boolean {
  return one?.id === other?.id && one?.mode === other?.mode;
}

/** True if the file is not as it was before and nothing in it is the user's. */
async function isHalfDone(repo: Repo, root: string, change: Change): Promise<boolean> {
  const { path, before, after } = change;
  const file = join(root, path);
  // A link that the user put in the place of a folder leads elsewhere.
  if ((await realDir(dirname(file))) !== dirname(file)) return false;
  const found = await contentOf(file);
  if (found === 'other') return false;
  if (found === undefined) return true;
  if (before !== undefined && isSameKind(found, before)) {
    const old = await isBeginning(repo, path, before, found.bytes);
    if (old === 'whole') return false;
  }
  for (const entry of [after, before]) {
    if (entry === undefined || isLink(entry) !== found.isLink) continue;
    const begun = await isBeginning(repo, path, entry, found.bytes);
    if (begun !== 'no') return true;
  }
  return false;
}

interface Content {
  readonly bytes: Buffer;
  readonly isLink: boolean;
  readonly isExecutable: boolean;
}

async function contentOf(file: string): Promise<Content | 'other' | undefined> {
  const found = await ifPresent(lstat(file), undefined);
  if (found === undefined) return undefined;
  const isExecutable = (found.mode & 0o100) !== 0;
  if (found.isSymbolicLink()) {
    return { bytes: Buffer.from(await readlink(file)), isLink: true, isExecutable: false };
  }
  return found.isFile() ? { bytes: await readFile(file), isLink: false, isExecutable } : 'other';
}

const isLink = ({ mode }: TreeEntry): boolean => mode === '120000';

function isSameKind({ isLink: link, isExecutable }: Content, entry: TreeEntry): boolean {
  return isLink(entry) === link && isExecutable === (entry.mode === '100755');
}

/**
 * Compares with the blob, then with what the user's filters make of it. A missing blob or filter program matches
 * nothing; a git that could not answer is a failure, or its half-written file would count as the user's.
 */
async function isBeginning(
  repo: Repo,
  path: string,
  { id }: TreeEntry,
  bytes: Buffer,
): Promise<'no' | 'part' | 'whole'> {
  const blob = await outcomeOf(repo.reader.contents(id));
  if (!blob.ok && isKilled(blob.failure)) return take(blob);
  const raw = blob.ok && blob.value !== undefined ? compared(bytes, blob.value.body) : 'no';
  if (raw === 'whole') return raw;
  const place = await repo.place();
  const args = ['cat-file', '--filters', `--path=${path}`, id];
  const shown = await outcomeOf(succeed(repo.run, { cwd: place.root, args }));
  if (!shown.ok && isKilled(shown.failure)) return take(shown);
  const filtered = shown.ok ? compared(bytes, shown.value.stdout) : 'no';
  return filtered === 'no' ? raw : filtered;
}

const isKilled = (failure: Failure): boolean =>
  failure.kind === 'git-failed' && machineCauseOf(failure.stderr) === 'signal';

function compared(bytes: Buffer, whole: Buffer): 'no' | 'part' | 'whole' {
  if (bytes.length > whole.length || !whole.subarray(0, bytes.length).equals(bytes)) return 'no';
  return bytes.length === whole.length ? 'whole' : 'part';
}

/** Removes a file and the folders that it leaves empty. */
async function removeFile(root: string, path: string): Promise<void> {
  await rm(join(root, path), { force: true });
  for (let folder = dirname(path); folder !== '.'; folder = dirname(folder)) {
    if (!(await isRemoved(join(root, folder)))) return;
  }
}

async function isRemoved(folder: string): Promise<boolean> {
  try {
    await rmdir(folder);
    return true;
  } catch (error) {
    if (isMissing(error)) return true;
    if (error instanceof Error && 'code' in error) return false;
    throw error;
  }
}

/** Leaves out paths at which a folder with files of the user is. */
async function withoutFolders(root: string, paths: readonly string[]): Promise<readonly string[]> {
  const free: string[] = [];
  for (const path of paths) {
    const found = await ifPresent(lstat(join(root, path)), undefined);
    if (found?.isDirectory() !== true) free.push(path);
  }
  return free;
}
