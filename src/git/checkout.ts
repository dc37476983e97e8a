import { existsSync, lstatSync } from 'node:fs';
import { lstat, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { cloneOf, viewOf } from '../model/branch.ts';
import { fail, ok, type Result } from '../model/failure.ts';
import { limits } from '../model/limits.ts';
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
export async function own(repo: Repo, dir: string): Promise<Result<Own>> {
  const place = await repo.place();
  if (!place.ok) return place;
  const view = viewOf(dir);
  const common = textNow(join(view, 'commondir'))?.trim();
  const isOurs = common === place.value.commonDir && viewHead({ view }) !== '';
  if (!isOurs) return broken(dir, `is not a worktree of ${place.value.commonDir}`);
  const found = presentNow(() => lstatSync(dir));
  if (found === undefined) return broken(dir, 'was removed');
  if (!found.isDirectory()) return broken(dir, 'was replaced by something that is not a folder');
  return ok({ dir, clone: cloneOf(dir), view, place: place.value });
}

const broken = (dir: string, what: string) =>
  fail({ kind: 'worktree-failed', cause: `${dir} ${what}` } as const);

/** Two git processes; one if the folder is empty. */
export async function point(
  repo: Repo,
  dir: string,
  commit: string,
  branch?: string,
): Promise<Result<void>> {
  const found = await own(repo, dir);
  if (!found.ok) return found;
  const target = await needCommit(repo, commit);
  if (!target.ok) return target;
  const filled = await fill(repo, found.value, target.value);
  if (!filled.ok) return filled;
  if (isFor(found.value, branch)) {
    const restored = await restoreSetAside(repo, found.value, target.value);
    if (!restored.ok) return restored;
  }
  return show(repo, found.value, branch);
}

/** Writes the files of the agent's last commit again after it removed the folder; its git is next to it. */
export async function restore(repo: Repo, dir: string): Promise<Result<void>> {
  const found = await own(repo, dir);
  if (!found.ok) return found;
  const followed = await followHead(repo, found.value);
  if (!followed.ok) return followed;
  const head = viewHead(found.value);
  const filled = await fill(repo, found.value, head);
  if (!filled.ok) return filled;
  const restored = await restoreSetAside(repo, found.value, head);
  return restored.ok ? showInClone(repo, found.value) : restored;
}

/** Makes the files those of the commit, and removes what git does not ignore. */
async function fill(repo: Repo, own: Own, commit: string): Promise<Result<void>> {
  await tidy(own);
  // Only the worktree's own git is there: nothing to clean.
  const isEmpty = (await readdir(own.dir)).every((name) => name === '.git');
  const args = ['checkout', '-q', '-f', '--detach', commit, '--'];
  const filled = await inTree(repo, own, { args });
  if (!filled.ok || isEmpty) return filled.ok ? ok(undefined) : filled;
  // `-ff` also removes repositories that an agent created inside the worktree.
  const cleaned = await inTree(repo, own, { args: ['clean', '-ffdq'] });
  return cleaned.ok ? ok(undefined) : cleaned;
}

/** Shows our HEAD in the worktree's own git, which is created again if the branch is another one. */
export async function show(
  repo: Repo,
  own: Own,
  branch: string | undefined,
): Promise<Result<void>> {
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
async function look(repo: Repo, dir: string, how: How): Promise<Result<Found>> {
  const found = await own(repo, dir);
  if (!found.ok) return found;
  const followed = await followHead(repo, found.value);
  if (!followed.ok) return followed;
  const listed = await statusEntries(repo, found.value, how);
  if (!listed.ok) return listed;
  const paths = listed.value.filter((entry) => !isIgnored(entry)).map(pathOf);
  const isEmbedded = (path: string): boolean => how === 'all' && path.endsWith('/');
  const forced = await forcedIn(repo, found.value);
  if (!forced.ok) return forced;
  const { branch } = await cloneHead(found.value);
  return ok({
    own: found.value,
    head: viewHead(found.value),
    branch,
    changed: [...paths.filter((path) => !isEmbedded(path)), ...forced.value],
    embedded: paths
      .filter(isEmbedded)
      .map((path) => Buffer.from(path.slice(0, -1), 'latin1').toString()),
    ignored: listed.value.filter(isIgnored).map(pathOf),
  });
}

const isIgnored = (entry: string): boolean => entry.startsWith('! ');

/** Paths that differ from our HEAD and index, and ignored ones, as git prints them in latin1 bytes. */
async function statusEntries(repo: Repo, own: Own, how: How): Promise<Result<readonly string[]>> {
  const filled = await exists(join(own.view, 'index'));
  const counted = await allButSetAside(own);
  const untracked = `--untracked-files=${how === 'all' ? 'all' : 'normal'}`;
  // With `matching` git does not look into ignored folders.
  const ignored = how === 'ignored' ? ['--ignored=matching'] : [];
  const done = await inTree(repo, own, { args: [...STATUS, untracked, ...ignored, ...counted] });
  if (!done.ok) return done;
  const entries = done.value.stdout.toString('latin1').split('\0').filter(Boolean);
  // Without an index nothing was ever checked out, so files that git reports as deleted never existed.
  return ok(entries.filter((entry) => filled || !/^1 D. /.test(entry)));
}

/** Ignored files that the agent has added to its own index, and that are not in HEAD. */
async function forcedIn(repo: Repo, own: Own): Promise<Result<readonly string[]>> {
  if (!hasNewIndex(own)) return ok([]);
  const listed = await inAgentIndex(repo, own, ['--cached', '--ignored', '--exclude-standard']);
  if (!listed.ok) return listed;
  const head = viewHead(own);
  const forced: string[] = [];
  for (const path of listed.value) {
    const known = await repo.reader.info(`${head}:${path}`);
    if (!known.ok) return known;
    if (known.value === undefined && existsSync(join(own.dir, path))) forced.push(path);
  }
  return ok(forced.map((path) => Buffer.from(path).toString('latin1')));
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
async function followHead(repo: Repo, own: Own): Promise<Result<void>> {
  const { commit } = await cloneHead(own);
  const before = viewHead(own);
  if (commit !== undefined && commit !== before) {
    const brought = await bringIn(repo, own, commit);
    if (!brought.ok) return brought;
    const common = brought.value ? await mergeBase(repo, before, commit) : ok(undefined);
    if (!common.ok) return common;
    const moved = common.value === undefined ? ok(undefined) : await moveTo(repo, own, commit);
    if (!moved.ok) return moved;
  }
  const ours = (await textOf(join(own.view, 'MERGE_HEAD')))?.trim();
  const theirs = await cloneMerge(own);
  if (ours === theirs) return ok(undefined);
  const usable = theirs === undefined ? ok(false) : await bringIn(repo, own, theirs);
  if (!usable.ok) return usable;
  // The agent gave up the merge that we began.
  if (!usable.value) return moveTo(repo, own, viewHead(own));
  await writeFile(join(own.view, 'MERGE_HEAD'), `${theirs}\n`);
  return ok(undefined);
}

/** Ends a merge, and makes git compare every file again, since our index belongs to the commit before. */
async function moveTo(repo: Repo, own: Own, commit: string): Promise<Result<void>> {
  const taken = await takeIndex(repo, own, commit);
  if (!taken.ok || taken.value) return taken.ok ? ok(undefined) : taken;
  const moved = await inTree(repo, own, { args: ['reset', '-q', '--mixed', commit, '--'] });
  return moved.ok ? ok(undefined) : moved;
}

/** No git process, unless the agent has made commits. */
export async function headOf(repo: Repo, dir: string): Promise<Result<string>> {
  const found = await own(repo, dir);
  if (!found.ok) return found;
  const followed = await followHead(repo, found.value);
  return followed.ok ? ok(viewHead(found.value)) : followed;
}

export async function status(
  repo: Repo,
  dir: string,
  ignoredSince?: number,
): Promise<Result<WorktreeStatus>> {
  const found = await look(repo, dir, ignoredSince === undefined ? 'normal' : 'ignored');
  if (!found.ok) return found;
  const { own, head, branch, changed } = found.value;
  const dirty = changed.length > 0 || (await exists(join(own.view, 'MERGE_HEAD')));
  const on = branch === undefined ? {} : { branch };
  if (ignoredSince === undefined) return ok({ head, ...on, dirty });
  const isCommitted = (path: string): boolean => changed.some((one) => one.startsWith(path));
  const rest = found.value.ignored.filter((path) => !isCommitted(path));
  const paths = rest.map((path) => Buffer.from(path, 'latin1').toString());
  return ok({ head, ...on, dirty, ignored: await madeSince(dir, paths, ignoredSince) });
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
export async function uncaptured(repo: Repo, dir: string): Promise<Result<Uncaptured>> {
  const found = await own(repo, dir);
  if (!found.ok) return found;
  const entries = await statusEntries(repo, found.value, 'normal');
  if (!entries.ok) return entries;
  const commits = await uncapturedCommits(repo, found.value);
  if (!commits.ok) return commits;
  const paths = entries.value.map((entry) => Buffer.from(pathOf(entry), 'latin1').toString());
  return ok({ paths, commits: commits.value });
}

/** One git process if there is nothing to commit; then it returns HEAD. Otherwise three. */
export async function commitAll(repo: Repo, dir: string, message: string): Promise<Result<string>> {
  const opened = await own(repo, dir);
  if (!opened.ok) return opened;
  await clearLocks(locksOf(opened.value.view));
  const found = await look(repo, dir, 'all');
  if (!found.ok) return found;
  const { own: tree, head, changed, embedded } = found.value;
  // Git would record only their commit ids, and their files would be lost with the worktree.
  if (embedded.length > 0) return fail({ kind: 'nested-repository', dir, paths: embedded });
  const merging = await exists(join(tree.view, 'MERGE_HEAD'));
  if (changed.length === 0 && !merging) return ok(head);
  const staged = await stage(repo, tree, changed);
  if (!staged.ok) return staged;
  const args = ['commit', '-q', '--no-verify', '--cleanup=verbatim', '--allow-empty-message'];
  const done = await runInTree(repo, tree, {
    args: [...args, '-F', '-'],
    input: withoutNul(message),
  });
  if (!done.ok) return done;
  const { exit, stderr } = done.value;
  // With nothing to commit git exits 1 and prints no error.
  if (exit !== 0 && !(exit === 1 && stderr.trim() === '')) {
    return fail(gitFailed(args, exit, stderr));
  }
  const shown = await showInClone(repo, tree);
  return shown.ok ? ok(viewHead(tree)) : shown;
}

/** Unlike `git add`, this asks no repository inside the worktree about its state, which would run its filters. */
async function stage(repo: Repo, own: Own, paths: readonly string[]): Promise<Result<void>> {
  if (paths.length === 0) return ok(undefined);
  const args = ['update-index', '--add', '--remove', '--replace', '-z', '--stdin'];
  const input = Buffer.from(paths.map((path) => `${path}\0`).join(''), 'latin1');
  const done = await inTree(repo, own, { args, input });
  return done.ok ? ok(undefined) : done;
}
