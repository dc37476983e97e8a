import { limits } from '../model/limits.ts';
import { Trouble } from '../model/trouble.ts';
import type { Change, TreeEntry } from '../port/git.ts';
import type { FoundObject, ObjectReader } from './batch.ts';
import { gitFailed, nulSeparated } from './command.ts';
import { inRepo, needCommit, type Repo } from './repo.ts';

/** Path to compare, as latin1 bytes so that two names that are not UTF-8 stay distinct. */
interface Pair {
  readonly path: string;
  readonly before?: TreeEntry | undefined;
  readonly after?: TreeEntry | undefined;
}

type Entries = ReadonlyMap<string, TreeEntry>;

const FOLDER = '40000';
const NONE: Entries = new Map();

/** No process: reads both sides of each folder that differs. */
export async function changes(
  reader: ObjectReader,
  from: string,
  to: string,
): Promise<readonly Change[]> {
  const [before, after] = await Promise.all([rootOf(reader, from), rootOf(reader, to)]);
  if (before.id === after.id) return [];
  const found: Change[] = [];
  const open: Pair[] = [{ path: '', before, after: after }];
  for (let read = 0; ; read += 1) {
    const pair = open.pop();
    if (pair === undefined) break;
    if (read + open.length + found.length > limits.changedPaths) throw tooMany(from, to);
    const [left, right] = await Promise.all([
      entriesOf(reader, pair.before),
      entriesOf(reader, pair.after),
    ]);
    for (const each of differing(pair.path, left, right)) {
      const change = withoutFolders(each);
      if (change !== undefined) found.push(change);
      if (isFolder(each.before) || isFolder(each.after)) open.push(each);
    }
  }
  return found.sort((a, b) => (a.path < b.path ? -1 : a.path > b.path ? 1 : 0));
}

async function rootOf(reader: ObjectReader, revision: string): Promise<TreeEntry> {
  const found = await reader.info(`${revision}^{tree}`);
  if (found !== undefined) return { id: found.id, mode: FOLDER };
  throw new Trouble(gitFailed(['cat-file', 'tree', revision], 1, `${revision} names no commit`));
}

/** Entries of a folder; empty if the entry is not a folder. */
async function entriesOf(reader: ObjectReader, entry: TreeEntry | undefined): Promise<Entries> {
  if (!isFolder(entry)) return NONE;
  const found = await reader.contents(entry.id);
  const failed = (cause: string) =>
    new Trouble(gitFailed(['cat-file', 'tree', entry.id], 1, cause));
  if (found?.type !== 'tree') throw failed(`the tree ${entry.id} is missing`);
  const entries = parseTree(found);
  if (entries === undefined) throw failed(`the tree ${entry.id} is malformed`);
  return entries;
}

/**
 * Parses `<mode> <name>\0<binary id>` entries. Undefined for a malformed tree, including duplicate names, for which the
 * checkout would be ambiguous.
 */
export function parseTree({ id, body }: Pick<FoundObject, 'id' | 'body'>): Entries | undefined {
  const entries = new Map<string, TreeEntry>();
  const idBytes = id.length / 2;
  for (let at = 0; at < body.length; ) {
    const space = body.indexOf(0x20, at);
    const nul = body.indexOf(0, space);
    const end = nul + 1 + idBytes;
    if (space === -1 || nul === -1 || end > body.length) return undefined;
    const mode = canonical(Number.parseInt(body.toString('latin1', at, space), 8));
    const name = body.toString('latin1', space + 1, nul);
    if (name === '' || name.includes('/') || entries.has(name)) return undefined;
    entries.set(name, { id: body.toString('hex', nul + 1, end), mode });
    at = end;
  }
  return entries;
}

/** Canonical mode; old trees contain others. */
function canonical(mode: number): string {
  const kind = mode & 0o170_000;
  if (kind === 0o040_000) return FOLDER;
  if (kind === 0o120_000) return '120000';
  if (kind !== 0o100_000) return '160000';
  return (mode & 0o100) === 0 ? '100644' : '100755';
}

function differing(folder: string, left: Entries, right: Entries): Pair[] {
  const names = new Set([...left.keys(), ...right.keys()]);
  const pairs: Pair[] = [];
  for (const name of names) {
    const [before, after] = [left.get(name), right.get(name)];
    if (before?.id === after?.id && before?.mode === after?.mode) continue;
    pairs.push({ path: folder === '' ? name : `${folder}/${name}`, before, after });
  }
  return pairs;
}

/** Folders are not reported as changes; a file replaced by a folder counts as removed. */
function withoutFolders({ path, before, after }: Pair): Change | undefined {
  const [was, is] = [isFolder(before) ? undefined : before, isFolder(after) ? undefined : after];
  if (was === undefined && is === undefined) return undefined;
  return {
    path: Buffer.from(path, 'latin1').toString('utf8'),
    before: was,
    after: is,
  };
}

function isFolder(entry: TreeEntry | undefined): entry is TreeEntry {
  return entry?.mode === FOLDER;
}

function tooMany(from: string, to: string): Trouble {
  const cause = `more than ${limits.changedPaths} paths differ`;
  return new Trouble(gitFailed(['diff-tree', from, to], 1, cause));
}

/** No process. Checks the size first, so a huge file is never read. */
export async function blob(repo: Repo, id: string): Promise<Buffer | undefined> {
  const found = await repo.reader.info(id);
  if (found?.type !== 'blob' || found.bytes > limits.blobBytes) return;
  const read = await repo.reader.contents(found.id);
  return read?.body;
}

/** No process. A missing commit is a failure, so its rules are never taken for empty. */
export async function file(repo: Repo, commit: string, path: string): Promise<string | undefined> {
  const at = await needCommit(repo, commit);
  // Git would resolve these relative to its working directory; no tree contains them.
  if (path.split('/').some((part) => part === '' || part === '.' || part === '..')) return;
  const found = await blob(repo, `${at}:${path}`);
  return found?.toString('utf8');
}

/** One git process. */
export async function listing(
  repo: Repo,
  commit: string,
  wanted: (path: string) => boolean,
): Promise<readonly { readonly path: string; readonly id: string }[]> {
  const listed = await inRepo(repo, ['ls-tree', '-r', '-z', '--full-tree', commit]);
  const lines = nulSeparated(listed.stdout);
  const entries = lines.map((line) => {
    const tab = line.indexOf('\t');
    return { path: line.slice(tab + 1), id: line.slice(line.lastIndexOf(' ', tab) + 1, tab) };
  });
  return entries.filter(({ path }) => wanted(path));
}
