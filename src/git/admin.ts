import { existsSync, lstatSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { readFile, realpath, rm } from 'node:fs/promises';
import { basename, dirname, isAbsolute, join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { limits } from '../model/limits.ts';

/** Folders of one checkout. */
interface Admin {
  /** Git folder of this checkout; for a linked worktree it lies below `<common>/worktrees`. */
  readonly gitDir: string;
  readonly dir: string;
}

/** Text of a file; undefined if it does not exist. */
export async function textOf(file: string): Promise<string | undefined> {
  return ifPresent(readFile(file, 'utf8'), undefined);
}

/** Result of a file operation, or `missing` if the file does not exist. */
export async function ifPresent<T, M>(operation: Promise<T>, missing: M): Promise<T | M> {
  try {
    return await operation;
  } catch (error) {
    if (isMissing(error)) return missing;
    throw error;
  }
}

export function isMissing(error: unknown): boolean {
  if (!(error instanceof Error && 'code' in error)) return false;
  return error.code === 'ENOENT' || error.code === 'ENOTDIR' || error.code === 'EISDIR';
}

/** Resolves symbolic links, also for a folder that does not exist yet. */
export async function realDir(dir: string): Promise<string> {
  const real = await ifPresent(realpath(dir), undefined);
  if (real !== undefined) return real;
  const parent = dirname(dir);
  return parent === dir ? dir : join(await realDir(parent), basename(dir));
}

export async function exists(path: string): Promise<boolean> {
  return presentNow(() => statSync(path)) !== undefined;
}

/**
 * Git folders of linked worktrees. Read synchronously, like the files in them: with many worktrees that is much faster
 * than one promise per file.
 */
function registered(commonDir: string): readonly string[] {
  const folder = join(commonDir, 'worktrees');
  return existsSync(folder) ? readdirSync(folder).map((name) => join(folder, name)) : [];
}

/** The worktree of a git folder; none while git has only begun to write the folder. */
function adminOf(gitDir: string): readonly Admin[] {
  const pointer = textNow(join(gitDir, 'gitdir'))?.trim();
  return pointer ? [{ gitDir, dir: dirname(resolve(gitDir, pointer)) }] : [];
}

const headNow = (gitDir: string): string | undefined =>
  branchIn(textNow(join(gitDir, 'HEAD'))?.replace(/^ref: /, ''));

/** Linked worktree with this branch checked out, or with a rebase of it in progress. */
export function linkedWith(commonDir: string, branch: string): Admin | undefined {
  for (const gitDir of registered(commonDir)) {
    const isHere =
      headNow(gitDir) === branch ||
      rebases.some(
        (rebase) =>
          existsSync(join(gitDir, rebase)) &&
          branchIn(textNow(join(gitDir, rebase, 'head-name'))) === branch,
      );
    const [found] = isHere ? adminOf(gitDir) : [];
    if (found !== undefined) return found;
  }
  return undefined;
}

/**
 * Text of a file of ours; undefined if it does not exist. Small files that no agent can replace, by a pipe for example,
 * are read synchronously: a promise costs several times as much as the read.
 */
export function textNow(file: string): string | undefined {
  return presentNow(() => readFileSync(file, 'utf8'));
}

/** Result of a synchronous file operation; undefined if the file does not exist. */
export function presentNow<T>(operation: () => T): T | undefined {
  try {
    return operation();
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

/** Removes a file or folder, of which there is usually none. */
export async function removeLeft(path: string): Promise<void> {
  if (presentNow(() => lstatSync(path)) === undefined) return;
  await rm(path, { recursive: true, force: true });
}

function branchIn(ref: string | undefined): string | undefined {
  return /^refs\/heads\/(.+)$/.exec(ref?.trim() ?? '')?.[1];
}

/** Git folder that the `.git` file or folder of a checkout points to. */
export async function gitDirOf(dir: string): Promise<string | undefined> {
  const dotGit = join(dir, '.git');
  const text = await textOf(dotGit);
  if (text === undefined) return (await exists(dotGit)) ? dotGit : undefined;
  const pointer = /^gitdir: (.+?)\s*$/s.exec(text)?.[1];
  if (pointer === undefined) return undefined;
  return isAbsolute(pointer) ? pointer : resolve(dir, pointer);
}

/** Branch that HEAD is on; absent if it is detached. */
export async function headOf(gitDir: string): Promise<{ branch?: string }> {
  return { branch: branchIn((await textOf(join(gitDir, 'HEAD')))?.replace(/^ref: /, '')) };
}

const operations = [
  ['rebase-merge', 'rebase'],
  ['rebase-apply', 'rebase'],
  ['MERGE_HEAD', 'merge'],
  ['CHERRY_PICK_HEAD', 'cherry-pick'],
  ['REVERT_HEAD', 'revert'],
  ['BISECT_LOG', 'bisect'],
] as const;

/** Operation in progress in a checkout: merge, rebase and so on. */
export async function operationIn(gitDir: string): Promise<string | undefined> {
  for (const [file, operation] of operations) {
    if (await exists(join(gitDir, file))) return operation;
  }
  return undefined;
}

const rebases = ['rebase-merge', 'rebase-apply'];

/** Branch that an unfinished rebase will move; git counts it as checked out. */
export async function rebasedBranch(gitDir: string): Promise<string | undefined> {
  for (const folder of rebases) {
    const branch = branchIn(await textOf(join(gitDir, folder, 'head-name')));
    if (branch !== undefined) return branch;
  }
  return undefined;
}

/** Aborts a rebase or bisect that an agent left unfinished; a plain checkout does not. */
export async function dropOperations(gitDir: string): Promise<void> {
  const left = ['rebase-merge', 'rebase-apply', 'sequencer', 'BISECT_LOG', 'BISECT_START'];
  for (const name of left) await removeLeft(join(gitDir, name));
}

/**
 * Removes lock files that a killed git left in a worktree of ours. None of our processes runs there, so a fresh lock
 * belongs to an editor or shell prompt, and is waited for.
 */
export async function clearLocks(files: readonly string[]): Promise<void> {
  for (const file of files) await clearLock(file);
}

async function clearLock(file: string): Promise<void> {
  const polls = limits.lockWaitMs / limits.lockPollMs;
  for (let poll = 0; poll < polls; poll += 1) {
    const found = presentNow(() => statSync(file));
    if (found === undefined) return;
    const age = Date.now() - found.mtimeMs;
    // A lock from the future means the clock was set back; it is stale.
    if (age < 0 || age >= limits.staleLockMs) return rm(file, { force: true });
    await sleep(limits.lockPollMs);
  }
  // A lock that keeps coming back is in use; git will report it.
}

/** Lock files that block a checkout in a worktree. */
export function locksOf(gitDir: string): string[] {
  return ['index.lock', 'HEAD.lock', 'ORIG_HEAD.lock'].map((name) => join(gitDir, name));
}
