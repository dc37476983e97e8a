import { existsSync, lstatSync } from 'node:fs';
import { lstat, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { cloneOf, viewOf } from '../model/branch.ts';
import { limits } from '../model/limits.ts';
import { Trouble } from '../model/trouble.ts';
import type { Uncaptured, WorktreeStatus } from '../port/git.ts';
import {
  clearLocks,
  dropOperations,
  exists,
  ifPresent,
  locksOf,
  presentNow,
  removeLeft,
  textNow,
  textOf,
} from './admin.ts';
import {
  branchFor,
  bringIn,
  cloneHead,
  cloneMerge,
  hasNewIndex,
  inAgentIndex,
  inTree,
  type Own,
  renewClone,
  runInTree,
  showInClone,
  takeIndex,
  viewHead,
} from './clone.ts';
import { gitFailed, withoutNul } from './command.ts';
import { mergeBase } from './history.ts';
import { needCommit, type Repo } from './repo.ts';
import { allButSetAside, forgetSetAside, restoreSetAside } from './set-aside.ts';
import { uncapturedCommits } from './strays.ts';

/**
 * Checks that `dir` is a worktree of this repository before a command runs in it: our view of it must be there, and the
 * folder must not have been replaced by a link, or a reset would hit whatever the link leads to.
 */
export async function own(repo: Repo, dir: string): Promise<Own> {
  const place = await repo.place();
  const view = viewOf(dir);
  const common = textNow(join(view, 'commondir'))?.trim();
  const isOurs = common === place.commonDir && viewHead({ view }) !== '';
  if (!isOurs) throw broken(dir, `is not a worktree of ${place.commonDir}`);
  const found = presentNow(() => lstatSync(dir));
  if (found === undefined) throw broken(dir, 'was removed');
  if (!found.isDirectory()) throw broken(dir, 'was replaced by something that is not a folder');
  return { dir, clone: cloneOf(dir), view, place };
}

const broken = (dir: string, what: string) =>
  new Trouble({ kind: 'worktree-failed', cause: `${dir} ${what}` });

/** Two git processes; one if the folder is empty. */
export async function point(
  repo: Repo,
  dir: string,
  commit: string,
  branch?: string,
): Promise<void> {
  const found = await own(repo, dir);
  const target = await needCommit(repo, commit);
  await fill(repo, found, target);
  if (isFor(found, branch)) {
    await restoreSetAside(repo, found, target);
  }
  return show(repo, found, branch);
}

/** Writes the files of the agent's last commit again after it removed the folder; its git is next to it. */
export async function restore(repo: Repo, dir: string): Promise<void> {
  const found = await own(repo, dir);
  await followHead(repo, found);
  const head = viewHead(found);
  await fill(repo, found, head);
  await restoreSetAside(repo, found, head);
  return showInClone(repo, found);
}

/** Makes the files those of the commit, and removes what git does not ignore. */
async function fill(repo: Repo, own: Own, commit: string): Promise<void> {
  await tidy(own);
  // Only the worktree's own git is there: nothing to clean.
  const isEmpty = (await readdir(own.dir)).every((name) => name === '.git');
  const args = ['checkout', '-q', '-f', '--detach', commit, '--'];
  await inTree(repo, own, { args });
  // `-ff` also removes repositories that an agent created inside the worktree.
  if (!isEmpty) await inTree(repo, own, { args: ['clean', '-ffdq'] });
}

/** Shows our HEAD in the worktree's own git, which is created again if the branch is another one. */
export async function show(repo: Repo, own: Own, branch: string | undefined): Promise<void> {
  if (isFor(own, branch)) return showInClone(repo, own);
  await forgetSetAside(own);
  await writeFile(join(own.view, 'branch'), `${branch ?? ''}\n`);
  return renewClone(repo, own);
}

const isFor = (own: Own, branch: string | undefined): boolean =>
  branch !== undefined && branchFor(own) === branch;

/** Removes locks and unfinished operations from our view. */
export async function tidy({ view }: Own): Promise<void> {
  await clearLocks(locksOf(view));
  await dropOperations(view);
  for (const name of ['MERGE_HEAD', 'MERGE_MSG', 'MERGE_MODE', 'AUTO_MERGE']) {
    await removeLeft(join(view, name));
  }
}

/** Status as git prints it, without asking git about repositories inside the worktree. */
const STATUS = ['status', '--porcelain=v2', '-z', '--no-renames', '--ignore-submodules=dirty'];

interface Found {
  readonly own: Own;
  readonly head: string;
  readonly branch?: string;
  /** Changed paths as latin1 bytes, so that names that are not UTF-8 survive. */
  readonly changed: readonly string[];
  /** Repositories that the agent made inside the worktree. */
  readonly embedded: readonly string[];
  /** Ignored paths as latin1 bytes, if they were asked for; folders end in a slash. */
  readonly ignored: readonly string[];
}

/** `all` lists every untracked file, `normal` a new folder as one, and `ignored` also what git ignores. */
type How = 'all' | 'normal' | 'ignored';

/**
 * Follows the HEAD of the worktree's own git, then compares the files. One git process; three if the agent has made
 * commits, five if it also used its index otherwise.
 */
async function look(repo: Repo, dir: string, how: How): Promise<Found> {
  const found = await own(repo, dir);
  await followHead(repo, found);
  const listed = await statusEntries(repo, found, how);
  const paths = listed.filter((entry) => !isIgnored(entry)).map(pathOf);
  const isEmbedded = (path: string): boolean => how === 'all' && path.endsWith('/');
  const forced = await forcedIn(repo, found);
  const { branch } = await cloneHead(found);
  return {
    own: found,
    head: viewHead(found),
    branch,
    changed: [...paths.filter((path) => !isEmbedded(path)), ...forced],
    embedded: paths
      .filter(isEmbedded)
      .map((path) => Buffer.from(path.slice(0, -1), 'latin1').toString()),
    ignored: listed.filter(isIgnored).map(pathOf),
  };
}

const isIgnored = (entry: string): boolean => entry.startsWith('! ');

/** Paths that differ from our HEAD and index, and ignored ones, as git prints them in latin1 bytes. */
async function statusEntries(repo: Repo, own: Own, how: How): Promise<readonly string[]> {
  const filled = await exists(join(own.view, 'index'));
  const counted = await allButSetAside(own);
  const untracked = `--untracked-files=${how === 'all' ? 'all' : 'normal'}`;
  // With `matching` git does not look into ignored folders.
  const ignored = how === 'ignored' ? ['--ignored=matching'] : [];
  const done = await inTree(repo, own, { args: [...STATUS, untracked, ...ignored, ...counted] });
  const entries = done.stdout.toString('latin1').split('\0').filter(Boolean);
  // Without an index nothing was ever checked out, so files that git reports as deleted never existed.
  return entries.filter((entry) => filled || !/^1 D. /.test(entry));
}

/** Ignored files that the agent has added to its own index, and that are not in HEAD. */
async function forcedIn(repo: Repo, own: Own): Promise<readonly string[]> {
  if (!hasNewIndex(own)) return [];
  const listed = await inAgentIndex(repo, own, ['--cached', '--ignored', '--exclude-standard']);
  const head = viewHead(own);
  const forced: string[] = [];
  for (const path of listed) {
    const known = await repo.reader.info(`${head}:${path}`);
    if (known === undefined && existsSync(join(own.dir, path))) forced.push(path);
  }
  return forced.map((path) => Buffer.from(path).toString('latin1'));
}

/** Path in an entry of porcelain v2: after 1 field (`?`), 8 (`1`) or 10 (`u`). */
function pathOf(entry: string): string {
  const fields = { '?': 1, '!': 1, u: 10 }[entry[0] ?? ''] ?? 8;
  return entry.split(' ').slice(fields).join(' ');
}

/**
 * Takes over the commits that the agent has made in its own git, and a merge that it has begun or given up. Commits
 * that are incomplete, or of another history, are ignored: their files are still in the folder.
 */
async function followHead(repo: Repo, own: Own): Promise<void> {
  const { commit } = await cloneHead(own);
  const before = viewHead(own);
  if (commit !== undefined && commit !== before) {
    const brought = await bringIn(repo, own, commit);
    const common = brought ? await mergeBase(repo, before, commit) : undefined;
    if (common !== undefined) await moveTo(repo, own, commit);
  }
  const ours = (await textOf(join(own.view, 'MERGE_HEAD')))?.trim();
  const theirs = await cloneMerge(own);
  if (ours === theirs) return;
  const usable = theirs === undefined ? false : await bringIn(repo, own, theirs);
  // The agent gave up the merge that we began.
  if (!usable) return moveTo(repo, own, viewHead(own));
  await writeFile(join(own.view, 'MERGE_HEAD'), `${theirs}\n`);
}

/** Ends a merge, and makes git compare every file again, since our index belongs to the commit before. */
async function moveTo(repo: Repo, own: Own, commit: string): Promise<void> {
  const taken = await takeIndex(repo, own, commit);
  if (!taken) await inTree(repo, own, { args: ['reset', '-q', '--mixed', commit, '--'] });
}

/** No git process, unless the agent has made commits. */
export async function headOf(repo: Repo, dir: string): Promise<string> {
  const found = await own(repo, dir);
  await followHead(repo, found);
  return viewHead(found);
}

export async function status(
  repo: Repo,
  dir: string,
  ignoredSince?: number,
): Promise<WorktreeStatus> {
  const found = await look(repo, dir, ignoredSince === undefined ? 'normal' : 'ignored');
  const { own, head, branch, changed } = found;
  const dirty = changed.length > 0 || (await exists(join(own.view, 'MERGE_HEAD')));
  const on = branch === undefined ? {} : { branch };
  if (ignoredSince === undefined) return { head, ...on, dirty };
  const isCommitted = (path: string): boolean => changed.some((one) => one.startsWith(path));
  const rest = found.ignored.filter((path) => !isCommitted(path));
  const paths = rest.map((path) => Buffer.from(path, 'latin1').toString());
  return { head, ...on, dirty, ignored: await madeSince(dir, paths, ignoredSince) };
}

/** Files that are newer, and folders that were created later. */
async function madeSince(
  dir: string,
  paths: readonly string[],
  since: number,
): Promise<readonly string[]> {
  const made: string[] = [];
  for (const path of paths.slice(0, limits.leftOutLooks)) {
    const found = await ifPresent(lstat(join(dir, path)), undefined);
    if (found === undefined) continue;
    const { birthtimeMs, mtimeMs } = found;
    // Some file systems do not know when a folder was created.
    const isDated = found.isDirectory() && birthtimeMs > 0;
    if ((isDated ? birthtimeMs : Math.max(birthtimeMs, mtimeMs)) > since) made.push(path);
  }
  return made;
}

/** One git process. */
export async function uncaptured(repo: Repo, dir: string): Promise<Uncaptured> {
  const found = await own(repo, dir);
  const entries = await statusEntries(repo, found, 'normal');
  const commits = await uncapturedCommits(repo, found);
  const paths = entries.map((entry) => Buffer.from(pathOf(entry), 'latin1').toString());
  return { paths, commits };
}

/** One git process if there is nothing to commit; then it returns HEAD. Otherwise three. */
export async function commitAll(repo: Repo, dir: string, message: string): Promise<string> {
  const opened = await own(repo, dir);
  await clearLocks(locksOf(opened.view));
  const found = await look(repo, dir, 'all');
  const { own: tree, head, changed, embedded } = found;
  // Git would record only their commit ids, and their files would be lost with the worktree.
  if (embedded.length > 0) throw new Trouble({ kind: 'nested-repository', dir, paths: embedded });
  const merging = await exists(join(tree.view, 'MERGE_HEAD'));
  if (changed.length === 0 && !merging) return head;
  await stage(repo, tree, changed);
  const args = ['commit', '-q', '--no-verify', '--cleanup=verbatim', '--allow-empty-message'];
  const done = await runInTree(repo, tree, {
    args: [...args, '-F', '-'],
    input: withoutNul(message),
  });
  const { exit, stderr } = done;
  // With nothing to commit git exits 1 and prints no error.
  if (exit !== 0 && !(exit === 1 && stderr.trim() === '')) {
    throw new Trouble(gitFailed(args, exit, stderr));
  }
  await showInClone(repo, tree);
  return viewHead(tree);
}

/** Unlike `git add`, this asks no repository inside the worktree about its state, which would run its filters. */
async function stage(repo: Repo, own: Own, paths: readonly string[]): Promise<void> {
  if (paths.length === 0) return;
  const args = ['update-index', '--add', '--remove', '--replace', '-z', '--stdin'];
  const input = Buffer.from(paths.map((path) => `${path}\0`).join(''), 'latin1');
  await inTree(repo, own, { args, input });
}
