import { copyFile, lstat, mkdir, readdir, realpath, rm } from 'node:fs/promises';
import { dirname, isAbsolute, join, relative, sep } from 'node:path';
import { fail, ok, type Result } from '../model/failure.ts';
import { limits } from '../model/limits.ts';

/**
 * Copies untracked files such as `.env` from the user's checkout into a worktree and returns their names. Patterns are
 * paths from the root; `*` matches within one name. Only regular files are copied; missing ones are skipped. A path
 * that leads out of either folder is refused before anything is copied. Git should ignore the files, or they are
 * committed with the agent's work.
 */
export async function copyFiles(
  root: string,
  dir: string,
  patterns: readonly string[],
): Promise<Result<readonly string[]>> {
  try {
    const names = new Set<string>();
    for (const pattern of patterns) {
      if (!staysInside(pattern)) return refused(pattern, root);
      for (const name of await expand(root, pattern)) names.add(name);
    }
    const [from, to] = [await realpath(root), await realpath(dir)];
    for (const name of names) {
      if (!(await isBelow(from, name)) || !(await isBelow(to, name))) return refused(name, root);
    }
    for (const name of names) await copyOne(join(from, name), join(to, name));
    return ok([...names].sort());
  } catch (error) {
    const cause = error instanceof Error ? error.message : String(error);
    return fail({ kind: 'worktree-failed', cause: `files could not be copied: ${cause}` });
  }
}

const refused = (name: string, root: string) =>
  fail({
    kind: 'worktree-failed',
    cause: `cannot copy "${name}": it leads out of ${root}`,
  } as const);

function staysInside(pattern: string): boolean {
  return !isAbsolute(pattern) && !pattern.split('/').includes('..') && !pattern.includes('\0');
}

/** Regular files that match a pattern. */
async function expand(root: string, pattern: string): Promise<string[]> {
  const parts = pattern.split('/').filter((part) => part !== '' && part !== '.');
  let found = [''];
  for (const part of parts) {
    const next = await Promise.all(found.map((base) => step(root, base, part)));
    found = next.flat();
  }
  const regular = await Promise.all(found.map((name) => isRegular(join(root, name))));
  return found.filter((name, at) => name !== '' && regular[at] === true);
}

async function step(root: string, base: string, part: string): Promise<string[]> {
  if (!part.includes('*')) return [base === '' ? part : `${base}/${part}`];
  const parts = part.split('*').map((word) => word.replace(/[.+?^${}()|[\]\\]/g, '\\$&'));
  const wanted = new RegExp(`^${parts.join('.*')}$`);
  const names = (await tolerant(readdir(join(root, base)))) ?? [];
  const fitting = names.filter((name) => wanted.test(name) && name !== '.git');
  return fitting.map((name) => (base === '' ? name : `${base}/${name}`));
}

async function isRegular(path: string): Promise<boolean> {
  return (await tolerant(lstat(path)))?.isFile() ?? false;
}

/** True if the deepest existing folder of the path lies below `root` after links are resolved. */
async function isBelow(root: string, name: string): Promise<boolean> {
  for (let folder = dirname(join(root, name)); ; folder = dirname(folder)) {
    const real = await tolerant(realpath(folder));
    if (real === undefined) continue;
    const way = relative(root, real);
    return way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way);
  }
}

async function copyOne(from: string, to: string): Promise<void> {
  await mkdir(dirname(to), { recursive: true });
  // An existing link would be written through.
  await rm(to, { force: true });
  await copyFile(from, to);
}

async function tolerant<T>(work: Promise<T>): Promise<T | undefined> {
  try {
    return await work;
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
    throw error;
  }
}

interface SlotUse {
  readonly slot: number;
  readonly task: string;
  readonly run: string;
  readonly attempt: number;
  readonly turn: number;
  readonly worktree: string;
  readonly taskFile: string;
}

/** Environment of agents, setup commands and gates, so that two slots never share a port or name. */
export function slotEnv(use: SlotUse): Record<string, string> {
  return {
    YARD_SLOT: String(use.slot),
    YARD_TASK: use.task,
    YARD_RUN: use.run,
    YARD_ATTEMPT: String(use.attempt),
    YARD_TURN: String(use.turn),
    YARD_WORKTREE: use.worktree,
    YARD_TASK_FILE: use.taskFile,
    YARD_PORT_BASE: String(limits.portBase + use.slot * limits.portsPerSlot),
  };
}

/** The same for gate worktrees; their ports come after those of the last slot. */
export function gateEnv(tree: number): Record<string, string> {
  const base = limits.portBase + (limits.jobsMax + 1 + tree) * limits.portsPerSlot;
  return { YARD_SLOT: '0', YARD_PORT_BASE: String(base) };
}
