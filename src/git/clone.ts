import { createHash } from 'node:crypto';
import {
  constants,
  copyFileSync,
  createReadStream,
  existsSync,
  lstatSync,
  mkdirSync,
  renameSync,
  writeFileSync,
} from 'node:fs';
import {
  copyFile,
  mkdir,
  open,
  readdir,
  readFile,
  rename,
  rm,
  stat,
  utimes,
  writeFile,
} from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { killSignalOf } from '../model/fault.ts';
import { limits } from '../model/limits.ts';
import { endedBySignal, machineCauseOf } from '../model/machine-cause.ts';
import { Trouble } from '../model/trouble.ts';
import { type Executed, exec } from '../process/exec.ts';
import { writeWholeNow } from '../process/whole-file.ts';
import { dropOperations, locksOf, presentNow, removeLeft, textNow } from './admin.ts';
import { madeIn, makeSettings, SETTINGS, settingsFor } from './clone-settings.ts';
import { gitFailed, nulSeparated, type Output, succeed } from './command.ts';
import { gitOptions } from './env.ts';
import { refFiles } from './ref-files.ts';
import { listRefs } from './refs.ts';
import { type Place, type Repo, readCommit, resolveCommit } from './repo.ts';

/** Facts about the index file of a git that is not ours. */
interface IndexFile {
  /** Tree of all entries, if git has noted it: it does when it commits. */
  readonly tree: string | undefined;
}

const ASSUME_VALID = 0x8000;
const EXTENDED = 0x4000;
const FIXED_BYTES = 40;

/**
 * Reads an index file. Undefined if it is malformed, if an entry has a flag that hides changes of its file, or if it
 * is not whole: such an index must not be used.
 */
export function readIndex(bytes: Buffer, idBytes: number): IndexFile | undefined {
  const version = bytes.length > 12 ? bytes.readUInt32BE(4) : 0;
  if (bytes.toString('latin1', 0, 4) !== 'DIRC' || version < 2 || version > 4) return undefined;
  let at = 12;
  for (let left = bytes.readUInt32BE(8); left > 0; left -= 1) {
    const start = at;
    const flagsAt = at + FIXED_BYTES + idBytes;
    if (flagsAt + 4 > bytes.length) return undefined;
    // Extended flags say that a file is skipped or only intended to be added.
    if ((bytes.readUInt16BE(flagsAt) & (ASSUME_VALID | EXTENDED)) !== 0) return undefined;
    at = flagsAt + 2;
    if (version === 4) while (((bytes[at++] ?? 0) & 0x80) !== 0);
    const end = bytes.indexOf(0, at);
    if (end === -1) return undefined;
    at = version === 4 ? end + 1 : start + ((end - start + 8) & ~7);
  }
  return extensions(bytes, at, idBytes);
}

/** Extensions that git marks as required, such as a split index, have names in lower case. */
function extensions(bytes: Buffer, from: number, idBytes: number): IndexFile | undefined {
  let tree: string | undefined;
  for (let at = from; at + 8 <= bytes.length - idBytes; ) {
    const name = bytes.toString('latin1', at, at + 4);
    const size = bytes.readUInt32BE(at + 4);
    if (/^[a-z]/.test(name)) return undefined;
    if (name === 'TREE') tree = rootOf(bytes.subarray(at + 8, at + 8 + size), idBytes);
    at += 8 + size;
  }
  return { tree };
}

/** The first entry is that of the root: an empty name, the number of files (-1: not known), of subtrees, and the id. */
function rootOf(cache: Buffer, idBytes: number): string | undefined {
  const end = cache.indexOf('\n');
  if (end === -1 || !/^\0\d+ \d+$/.test(cache.toString('latin1', 0, end))) return undefined;
  return cache.toString('hex', end + 1, end + 1 + idBytes);
}

/**
 * Worktree of ours. It has a git of its own, which borrows the repository's objects: index, refs, stash, settings and
 * hooks of an agent are in `clone` and concern nothing else. That lies next to the folder, so that commits survive the
 * removal of the folder. We never run git on it: our own HEAD and index of the folder are in `view`, with the settings
 * of the repository.
 */
export interface Own {
  readonly dir: string;
  /** Git folder of the agent; it may hold anything. */
  readonly clone: string;
  /** Our git folder for the same files. */
  readonly view: string;
  readonly place: Place;
}

/** Settings that could hide files of the worktree from us. */
const wholeTree: readonly string[] = [
  ...['-c', 'core.sparseCheckout=false', '-c', 'index.sparse=false', '-c', 'core.splitIndex=false'],
  ...['-c', 'core.trustctime=true', '-c', 'core.checkStat=default', '-c', 'core.worktree='],
];

interface TreeCommand {
  readonly args: readonly string[];
  readonly input?: string | Uint8Array;
  /** Index to use instead of the view's. */
  readonly index?: string;
  /** Time limit, if shorter than `limits.gitWallMs`. */
  readonly wallMs?: number;
}

/** Runs git on the files of a worktree, with our own index; whatever its exit status. */
export async function runInTree(
  repo: Repo,
  { dir, view, place }: Own,
  { args, input, index, wallMs }: TreeCommand,
): Promise<Output> {
  const settings = await settingsFor(repo, place);
  return repo.run({
    cwd: dir,
    args: [...wholeTree, ...args],
    env: {
      ...settings.env,
      GIT_DIR: view,
      GIT_WORK_TREE: dir,
      ...(index === undefined ? {} : { GIT_INDEX_FILE: index }),
    },
    input,
    wallMs,
  });
}

/** Runs git on the files of a worktree; a nonzero exit status is a failure. */
export function inTree(repo: Repo, own: Own, command: TreeCommand): Promise<Output> {
  return succeed(() => runInTree(repo, own, command), { cwd: own.dir, args: command.args });
}

/** HEAD of a worktree's own git. */
interface CloneHead {
  readonly branch?: string;
  readonly commit?: string;
}

/** Reads files only; an agent may have left anything there. Empty if HEAD names no commit. */
export async function cloneHead({ clone }: Own): Promise<CloneHead> {
  const text = (await smallText(join(clone, 'HEAD')))?.trim() ?? '';
  const ref = /^ref: (refs\/\S+)$/.exec(text)?.[1];
  if (ref === undefined) return isId(text) ? { commit: text } : {};
  const branch = /^refs\/heads\/(.+)$/.exec(ref)?.[1];
  const on = branch === undefined ? {} : { branch };
  if (ref.split('/').includes('..')) return {};
  const loose = (await smallText(join(clone, ref)))?.trim() ?? '';
  if (isId(loose)) return { ...on, commit: loose };
  const packed = await refFiles(clone, (name) => name === ref || ref.startsWith(`${name}/`));
  const commit = packed?.marks.find(([name]) => name === ref)?.[1] ?? '';
  return isId(commit) ? { ...on, commit } : on;
}

export const isId = (text: string): boolean => /^[0-9a-f]{40}(?:[0-9a-f]{24})?$/.test(text);

/** Commit of a merge that the agent has begun in its own git. */
export async function cloneMerge({ clone }: Own): Promise<string | undefined> {
  const text = (await smallText(join(clone, 'MERGE_HEAD')))?.trim() ?? '';
  return isId(text) ? text : undefined;
}

const SMALL_BYTES = 4096;

/** Start of a regular file as text; undefined for anything else. */
export async function smallText(file: string, most = SMALL_BYTES): Promise<string | undefined> {
  return (await startOf(file, most))?.toString('utf8');
}

/** First bytes of a regular file; undefined for anything else. Follows no link and never blocks on a pipe. */
export async function startOf(file: string, most: number): Promise<Buffer | undefined> {
  const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
  const opened = await attempt(open(file, flags));
  if (opened === undefined) return undefined;
  try {
    const found = await opened.stat();
    if (!found.isFile()) return undefined;
    const size = Math.min(found.size, most);
    const { buffer, bytesRead } = await opened.read(Buffer.alloc(size), 0, size, 0);
    return buffer.subarray(0, bytesRead);
  } finally {
    await opened.close();
  }
}

/** Undefined if the file system refuses, for whatever reason. */
async function attempt<T>(work: Promise<T>): Promise<T | undefined> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof Error && 'code' in error) return undefined;
    throw error;
  }
}

const PACK = `
alternate=$1 revisions=$2
shift 2
{
  GIT_ALTERNATE_OBJECT_DIRECTORIES=$alternate git "$@" pack-objects --revs --thin --stdout -q <<END ||
$revisions
END
    echo "pack-objects: $?" >&2
} | git "$@" unpack-objects -q --strict
`;

/**
 * Copies a commit of the worktree's own git, with everything that it needs, into the repository. Git checks every
 * object on the way. False if the commit is incomplete or damaged. Three processes; none if the repository has it.
 */
export async function bringIn(repo: Repo, own: Own, commit: string): Promise<boolean> {
  const known = await resolveCommit(repo, commit);
  if (known === commit) return true;
  const objects = join(own.clone, 'objects');
  if (!isFolder(own.clone) || !isFolder(objects)) return false;
  // Before the commit: once the repository has the commit, this function returns early.
  await bringLfsObjects(own.clone, own.place.commonDir);
  const alternate = `"${objects.replaceAll(/[\\"]/g, '\\$&')}"`;
  const revisions = `${commit}\n^${viewHead(own)}`;
  const argv = ['sh', '-c', PACK, 'sh', alternate, revisions];
  const done = await exec([...argv, ...gitOptions], {
    cwd: own.dir,
    env: { ...repo.env, GIT_DIR: own.view },
    wallMs: limits.gitWallMs,
    outputBytes: limits.tailBytes,
  });
  const there = await resolveCommit(repo, commit);
  if (there !== undefined) return true;
  // A full disk or a killed git is not the agent's fault, and the commit can be brought in later.
  const message = messageOf(done);
  if (machineCauseOf(message) === undefined) return false;
  throw new Trouble(gitFailed(['unpack-objects'], 1, message));
}

/** Output of the two git processes, with the signal that ended one of them. */
function messageOf(done: Executed): string {
  if (done.id === 'not-started') return done.cause;
  const packed = Number(/^pack-objects: (\d+)$/m.exec(done.stderr)?.[1] ?? 0);
  const signal = killSignalOf(done) ?? killSignalOf({ exit: packed });
  return signal === undefined ? done.stderr : `${done.stderr}\n${endedBySignal(signal)}`;
}

export const isFolder = (path: string): boolean =>
  presentNow(() => lstatSync(path))?.isDirectory() ?? false;

/** Our HEAD of a worktree is always detached. */
export function viewHead({ view }: Pick<Own, 'view'>): string {
  return textNow(join(view, 'HEAD'))?.trim() ?? '';
}

/** Branch that the worktree was made for; empty if none. */
export function branchFor({ view }: Own): string {
  return textNow(join(view, 'branch'))?.trim() ?? '';
}

/** Files of a merge in progress. */
const MERGE = ['MERGE_HEAD', 'MERGE_MSG', 'MERGE_MODE', 'AUTO_MERGE'] as const;

/**
 * Shows our HEAD, index and merge in the worktree's own git, on the branch that it was made for. The rest of that git
 * stays as the agent left it. One that was removed or damaged is made again.
 */
export async function showInClone(repo: Repo, own: Own): Promise<void> {
  const { dir, clone, view } = own;
  const isWhole = existsSync(join(view, 'clone-made')) && isFolder(join(clone, 'objects'));
  if (!isWhole || !isFolder(clone)) return renewClone(repo, own);
  const [head, branch] = [viewHead(own), branchFor(own)];
  for (const lock of locksOf(clone)) await removeLeft(lock);
  await dropOperations(clone);
  await tellRefs(repo, own);
  if (branch !== '') {
    await place(own, clone, `refs/heads/${branch}`, `${head}\n`);
    await removeLeft(join(clone, 'refs', 'heads', `${branch}.lock`));
  }
  await place(own, dir, '.git', `gitdir: ${clone}\n`);
  await place(own, clone, 'HEAD', branch === '' ? `${head}\n` : `ref: refs/heads/${branch}\n`);
  for (const name of ['index', ...MERGE]) {
    await removeLeft(join(clone, name));
    if (!existsSync(join(view, name))) continue;
    await copyFile(join(view, name), join(clone, name), constants.COPYFILE_EXCL);
  }
  writeFileSync(join(view, 'index-shown'), stateOf(join(clone, 'index')));
}

/** Identifies a version of a regular file; empty for anything else, and for a file that is too large for an index. */
function stateOf(file: string): string {
  const found = presentNow(() => lstatSync(file));
  return found?.isFile() && found.size <= limits.indexBytes
    ? `${found.ino} ${found.size} ${found.mtimeMs} ${found.ctimeMs}`
    : '';
}

/** False if the agent has not used its git since we wrote the index. */
export function hasNewIndex({ clone, view }: Own): boolean {
  return stateOf(join(clone, 'index')) !== textNow(join(view, 'index-shown'));
}

/**
 * Makes our view that of a commit of the agent's, if its index holds exactly this commit and hides nothing. So git need
 * not compare every file again. No git process.
 */
export async function takeIndex(repo: Repo, own: Own, commit: string): Promise<boolean> {
  const { clone, view } = own;
  const file = join(clone, 'index');
  const state = stateOf(file);
  if (state === '') return false;
  const info = await readCommit(repo, commit);
  const bytes = await readFile(file);
  if (readIndex(bytes, commit.length / 2)?.tree !== info.tree) return false;
  // Git compares contents of files that are not older than the index, so the copy must not be newer than the original.
  const seconds = Math.floor((await stat(file)).mtimeMs / 1000);
  await writeFile(join(view, 'draft'), bytes);
  await utimes(join(view, 'draft'), seconds, seconds);
  await rename(join(view, 'draft'), join(view, 'index'));
  for (const name of MERGE) await removeLeft(join(view, name));
  writeWholeNow(join(view, 'HEAD'), `${commit}\n`, { durable: false });
  await writeFile(join(view, 'index-shown'), state);
  return true;
}

/** Lists files of the index in the worktree's own git. Empty if it is no index any more. One git process. */
export async function inAgentIndex(
  repo: Repo,
  own: Own,
  args: readonly string[],
): Promise<readonly string[]> {
  const file = join(own.clone, 'index');
  if (stateOf(file) === '') return [];
  const index = join(own.view, 'agent-index');
  await copyFile(file, index);
  const call = { args: ['ls-files', '-z', ...args], index };
  const listed = await runInTree(repo, own, call).finally(() => rm(index, { force: true }));
  return listed.exit === 0 ? nulSeparated(listed.stdout) : [];
}

/**
 * Writes a file that an agent can write too. Whatever is in its place is replaced, and so are links in place of its
 * folders: nothing outside of `folder` is touched. The draft is where no agent can put a link.
 */
async function place({ view }: Own, folder: string, path: string, text: string): Promise<void> {
  const parts = path.split('/');
  for (let depth = 1; depth <= parts.length; depth += 1) {
    const at = join(folder, ...parts.slice(0, depth));
    const found = presentNow(() => lstatSync(at));
    const isRight = depth === parts.length ? found?.isFile() : found?.isDirectory();
    if (found !== undefined && !isRight) await rm(at, { recursive: true });
    if (depth < parts.length && !isRight) mkdirSync(at);
  }
  const draft = join(view, 'draft');
  writeFileSync(draft, text, { mode: 0o600 });
  renameSync(draft, join(folder, path));
}

/**
 * Makes the worktree's own git from nothing: no index flag, setting, hook, exclude, ref or stash of an earlier attempt
 * survives. It knows the branches and tags of the repository as they are now. No git process, unless the repository's
 * settings changed.
 */
export async function renewClone(repo: Repo, own: Own): Promise<void> {
  const { clone } = own;
  const { commonDir } = own.place;
  await makeSettings(repo, own);
  const refs = await refsFor(repo, own.place);
  await removeLeft(join(own.view, 'clone-made'));
  await removeLeft(clone);
  for (const folder of ['objects/info', 'objects/pack', 'refs/heads', 'hooks', 'info']) {
    mkdirSync(join(clone, folder), { recursive: true });
  }
  const objects = join(commonDir, 'objects');
  writeFileSync(join(clone, 'objects/info/alternates'), `${quoted(objects)}\n`);
  if (refs !== '') writeFileSync(join(clone, 'packed-refs'), refs);
  writeFileSync(join(own.view, 'refs-shown'), refs);
  for (const name of SETTINGS) {
    presentNow(() => copyFileSync(join(madeIn(own), name), join(clone, name)));
  }
  presentNow(() => copyFileSync(join(commonDir, 'shallow'), join(clone, 'shallow')));
  // Last: a clone without this mark is made again.
  writeFileSync(join(own.view, 'clone-made'), '');
  return showInClone(repo, own);
}

/** A path in `alternates` that starts with a quotation mark is read as a C string. */
const quoted = (path: string): string =>
  path.startsWith('"') ? `"${path.replaceAll(/[\\"]/g, '\\$&')}"` : path;

/** Shows refs of the repository that have moved since, such as the target, unless the agent has moved its own. */
async function tellRefs(repo: Repo, tree: Own): Promise<void> {
  const { clone, view } = tree;
  const now = await refsFor(repo, tree.place);
  const shown = textNow(join(view, 'refs-shown')) ?? '';
  if (shown === now) return;
  const before = byName(shown);
  const own = new Map((await refFiles(clone, () => true))?.marks ?? []);
  for (const [ref, id] of byName(now)) {
    const isOld = before.get(ref) !== id && own.get(ref) === before.get(ref);
    const isInTheWay = [...own.keys()].some(
      (other) => other.startsWith(`${ref}/`) || ref.startsWith(`${other}/`),
    );
    if (isOld && !isInTheWay) await place(tree, clone, ref, `${id}\n`);
  }
  writeFileSync(join(view, 'refs-shown'), now);
}

const byName = (packed: string): ReadonlyMap<string, string> =>
  new Map(
    packed.split('\n').map((line) => {
      const space = line.indexOf(' ');
      return [line.slice(space + 1), line.slice(0, space)];
    }),
  );

/** Refs that an attempt must not or need not see. Branches of other attempts are shown: a task may be to merge one. */
const isHidden = (ref: string): boolean =>
  /^refs\/(?:yard|stash|replace|bisect|worktree|rewritten)(?:\/|$)/.test(ref);

/** Text of a `packed-refs` file with the refs of the repository. */
async function refsFor(repo: Repo, place: Place): Promise<string> {
  const read = place.reftable
    ? undefined
    : await refFiles(place.commonDir, (name) => !isHidden(name), packedBefore.get(repo));
  if (read !== undefined) {
    packedBefore.set(repo, read.packed);
    const marks = read.marks.filter(([, id]) => isId(id));
    return marks.map(([ref, id]) => `${id} ${ref}\n`).join('');
  }
  const listed = await listRefs(repo, 'refs/');
  const seen = listed.filter(({ ref }) => !isHidden(ref));
  return seen.map(({ ref, commit }) => `${commit} ${ref}\n`).join('');
}

const packedBefore = new WeakMap<
  Repo,
  NonNullable<Awaited<ReturnType<typeof refFiles>>>['packed']
>();

/**
 * Copies what Git LFS has stored in an agent's own git into the repository: commits hold only pointers to it. A file is
 * taken if its content has the hash that it is named after.
 */
async function bringLfsObjects(clone: string, commonDir: string): Promise<void> {
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
