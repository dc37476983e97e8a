import { existsSync } from 'node:fs';
import { mkdir, readdir, realpath, rm, rmdir, writeFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { cloneOf, viewOf } from '../model/branch.ts';
import { limits } from '../model/limits.ts';
import { outcomeOf, Trouble } from '../model/trouble.ts';
import { exec } from '../process/exec.ts';
import { writeWholeNow } from '../process/whole-file.ts';
import { exists, isMissing, realDir, textOf } from './admin.ts';
import { own, point, restore, show, status } from './checkout.ts';
import type { Own } from './clone.ts';
import { needCommit, type Repo } from './repo.ts';

/** No git process if it stays empty. */
export async function addWorktree(
  repo: Repo,
  dir: string,
  commit: string,
  { empty = false, adopt = false }: { readonly empty?: boolean; readonly adopt?: boolean } = {},
): Promise<void> {
  const target = await needCommit(repo, commit);
  const before = await outcomeOf(own(repo, dir));
  if (before.ok) return reuse(repo, dir, target);
  const free = await isFree(repo, dir);
  if (!free && !adopt) throw notOurs(dir);
  if (adopt && !existsSync(dir) && (await isView(repo, viewOf(dir)))) {
    await mkdir(dir, { recursive: true });
    return restore(repo, dir);
  }
  const made = await makeView(repo, dir, target);
  // Whatever is in the folder, its git included, is the work of an agent.
  if (!free) return;
  await show(repo, made, undefined);
  return empty ? undefined : point(repo, dir, target);
}

/** HEAD is written last: without it the worktree is not complete and is made again. */
async function makeView(repo: Repo, dir: string, commit: string): Promise<Own> {
  const place = await repo.place();
  const view = viewOf(dir);
  await rm(view, { recursive: true, force: true });
  await mkdir(dir, { recursive: true });
  await mkdir(view, { recursive: true });
  await writeFile(join(view, 'commondir'), `${place.commonDir}\n`);
  writeWholeNow(join(view, 'HEAD'), `${commit}\n`, { durable: false });
  return own(repo, dir);
}

/** False if the folder has files but no view of ours: they may be anything. */
async function isFree(repo: Repo, dir: string): Promise<boolean> {
  await containsRepository(repo, dir);
  const names = existsSync(dir) ? await readdir(dir) : [];
  const isHalf = names.every((name) => name === '.git') && existsSync(viewOf(dir));
  return names.length === 0 || isHalf;
}

const notOurs = (dir: string) =>
  new Trouble({
    kind: 'worktree-failed',
    cause: `${dir} is not a worktree of this repository, so it was left alone`,
  });

async function containsRepository(repo: Repo, dir: string): Promise<void> {
  const place = await repo.place();
  const way = relative(await realDir(dir), await realpath(place.commonDir));
  if (way.startsWith('..')) return;
  throw new Trouble({ kind: 'worktree-failed', cause: `${dir} contains the repository itself` });
}

/** A complete worktree comes from an earlier call that crashed. Uncommitted work in it is never discarded. */
async function reuse(repo: Repo, dir: string, commit: string): Promise<void> {
  const found = await status(repo, dir);
  if (found.dirty) {
    throw new Trouble({ kind: 'worktree-failed', cause: `${dir} has uncommitted changes` });
  }
  return point(repo, dir, commit);
}

/** Removes our view of the folder last, so that leftovers of a crash are still known as ours. */
export async function removeWorktree(repo: Repo, dir: string): Promise<void> {
  await containsRepository(repo, dir);
  const view = viewOf(dir);
  if (!(await isView(repo, view))) {
    if (await removeEmpty(dir)) return;
    throw notOurs(dir);
  }
  try {
    await removeTree(repo, dir);
    await rm(cloneOf(dir), { recursive: true, force: true });
    await rm(view, { recursive: true, force: true });
  } catch (error) {
    const cause = error instanceof Error ? error.message : String(error);
    throw new Trouble({ kind: 'worktree-failed', cause });
  }
}

async function isView(repo: Repo, view: string): Promise<boolean> {
  const place = await outcomeOf(repo.place());
  return place.ok && (await textOf(join(view, 'commondir')))?.trim() === place.value.commonDir;
}

/**
 * `rm` takes a third of Node's time and does not block. Anything left is removed by Node, whose error names the cause.
 */
async function removeTree({ env }: Repo, dir: string): Promise<void> {
  const bounds = { wallMs: limits.gitWallMs, outputBytes: limits.tailBytes };
  await exec(['rm', '-rf', '--', dir], { cwd: dirname(dir), env, ...bounds });
  await rm(dir, { recursive: true, force: true, maxRetries: 3 });
}

async function removeEmpty(dir: string): Promise<boolean> {
  try {
    await rmdir(dir);
    return true;
  } catch (error) {
    if (isMissing(error)) return !(await exists(dir));
    return false;
  }
}
