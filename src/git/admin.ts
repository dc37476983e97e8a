import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { readdir, readFile, realpath, rm, stat } from 'node:fs/promises';
import { basename, dirname, isAbsolute, join, resolve } from 'node:path';

/** What git keeps about one checkout, read from its files: no process, and true at the moment of reading. */
export interface Admin {
  /** The checkout's own git folder, for a linked worktree below `<common>/worktrees`. */
  readonly gitDir: string;
  /** The checkout's root. */
  readonly dir: string;
}

/** The text of a file, or undefined where there is none to read. */
export async function textOf(file: string): Promise<string | undefined> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

export function isMissing(error: unknown): boolean {
  if (!(error instanceof Error && 'code' in error)) return false;
  return error.code === 'ENOENT' || error.code === 'ENOTDIR' || error.code === 'EISDIR';
}

/** The real path of a folder that may not be there yet. */
export async function realDir(dir: string): Promise<string> {
  try {
    return await realpath(dir);
  } catch (error) {
    if (!isMissing(error)) throw error;
    const parent = dirname(dir);
    return parent === dir ? dir : join(await realDir(parent), basename(dir));
  }
}

export async function exists(path: string): Promise<boolean> {
  try {
    await stat(path);
    return true;
  } catch (error) {
    if (isMissing(error)) return false;
    throw error;
  }
}

async function namesIn(dir: string): Promise<string[]> {
  try {
    return await readdir(dir);
  } catch (error) {
    if (isMissing(error)) return [];
    throw error;
  }
}

/** The registered linked worktrees, half-made ones included as far as they say where they are. */
export async function linked(commonDir: string): Promise<Admin[]> {
  const folder = join(commonDir, 'worktrees');
  const found = await Promise.all(
    (await namesIn(folder)).map(async (name) => {
      const gitDir = join(folder, name);
      const pointer = (await textOf(join(gitDir, 'gitdir')))?.trim();
      if (!pointer) return [];
      return [{ gitDir, dir: dirname(resolve(gitDir, pointer)) }];
    }),
  );
  return found.flat().sort((a, b) => (a.dir < b.dir ? -1 : 1));
}

/**
 * The linked worktree that has one of these branches checked out, and which. There may be as many worktrees as branches
 * that wait; read in one go they cost a small part of what as many turns of the event loop would.
 */
export function* linkedOn(
  commonDir: string,
  branches: ReadonlySet<string>,
): Generator<{ readonly gitDir: string; readonly branch: string }> {
  const folder = join(commonDir, 'worktrees');
  if (!existsSync(folder)) return;
  for (const name of readdirSync(folder)) {
    const gitDir = join(folder, name);
    const branch = branchIn(textNow(join(gitDir, 'HEAD'))?.replace(/^ref: /, ''));
    if (branch !== undefined && branches.has(branch)) yield { gitDir, branch };
  }
}

/** The linked worktree in which a branch is checked out, or will be when a rebase is done. */
export function linkedWith(commonDir: string, branch: string): Admin | undefined {
  const folder = join(commonDir, 'worktrees');
  if (!existsSync(folder)) return undefined;
  for (const name of readdirSync(folder)) {
    const gitDir = join(folder, name);
    const isHere =
      branchIn(textNow(join(gitDir, 'HEAD'))?.replace(/^ref: /, '')) === branch ||
      rebases.some(
        (rebase) =>
          existsSync(join(gitDir, rebase)) &&
          branchIn(textNow(join(gitDir, rebase, 'head-name'))) === branch,
      );
    const pointer = isHere ? textNow(join(gitDir, 'gitdir'))?.trim() : undefined;
    if (pointer) return { gitDir, dir: dirname(resolve(gitDir, pointer)) };
  }
  return undefined;
}

function textNow(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

function branchIn(ref: string | undefined): string | undefined {
  return /^refs\/heads\/(.+)$/.exec(ref?.trim() ?? '')?.[1];
}

/** Registrations of `dir`, and the first thing that git makes of one: a folder that does not say yet where it leads. */
export async function registrationsOf(commonDir: string, dir: string): Promise<string[]> {
  const real = await realDir(dir);
  const known = (await linked(commonDir)).filter(
    (admin) => admin.dir === real || admin.dir === dir,
  );
  const folder = join(commonDir, 'worktrees');
  const name = basename(dir);
  const nameless = (await namesIn(folder)).filter((entry) => entry === name);
  const unborn: string[] = [];
  for (const entry of nameless) {
    const pointer = await textOf(join(folder, entry, 'gitdir'));
    if (!pointer?.trim()) unborn.push(join(folder, entry));
  }
  return [...known.map((admin) => admin.gitDir), ...unborn];
}

/** The git folder that a checkout's `.git` leads to. */
export async function gitDirOf(dir: string): Promise<string | undefined> {
  const dotGit = join(dir, '.git');
  const text = await textOf(dotGit);
  if (text === undefined) return (await exists(dotGit)) ? dotGit : undefined;
  const pointer = /^gitdir: (.+?)\s*$/s.exec(text)?.[1];
  if (pointer === undefined) return undefined;
  return isAbsolute(pointer) ? pointer : resolve(dir, pointer);
}

/** Branch and detached state of a checkout, from its HEAD. */
export async function headOf(gitDir: string): Promise<{ branch?: string }> {
  const head = (await textOf(join(gitDir, 'HEAD')))?.trim();
  const branch = head === undefined ? undefined : /^ref: refs\/heads\/(.+)$/.exec(head)?.[1];
  return branch === undefined ? {} : { branch };
}

const operations = [
  ['rebase-merge', 'rebase'],
  ['rebase-apply', 'rebase'],
  ['MERGE_HEAD', 'merge'],
  ['CHERRY_PICK_HEAD', 'cherry-pick'],
  ['REVERT_HEAD', 'revert'],
  ['BISECT_LOG', 'bisect'],
] as const;

/** What is half way in a checkout. */
export async function operationIn(gitDir: string): Promise<string | undefined> {
  for (const [file, operation] of operations) {
    if (await exists(join(gitDir, file))) return operation;
  }
  return undefined;
}

const rebases = ['rebase-merge', 'rebase-apply'];

/** The branch that an unfinished rebase will move, which git counts as checked out there. */
export async function rebasedBranch(gitDir: string): Promise<string | undefined> {
  for (const folder of rebases) {
    const branch = branchIn(await textOf(join(gitDir, folder, 'head-name')));
    if (branch !== undefined) return branch;
  }
  return undefined;
}

/** Takes back what an agent left half way in a worktree of ours, which a plain checkout does not. */
export async function dropOperations(gitDir: string): Promise<void> {
  const left = ['rebase-merge', 'rebase-apply', 'sequencer', 'BISECT_LOG', 'BISECT_START'];
  for (const name of left) await rm(join(gitDir, name), { recursive: true, force: true });
}
