import { existsSync } from 'node:fs';
import { mkdir, readdir, realpath, rm, rmdir, writeFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { cloneOf, viewOf } from '../model/branch.ts';
import { fail, ok, type Result } from '../model/failure.ts';
import { limits } from '../model/limits.ts';
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
): Promise<Result<void>> {
  const target = await needCommit(repo, commit);
  if (!target.ok) return target;
  const before = await own(repo, dir);
  if (before.ok) return reuse(repo, dir, target.value);
  const free = await isFree(repo, dir);
  if (!free.ok) return free;
  if (!free.value && !adopt) return notOurs(dir);
  if (adopt && !existsSync(dir) && (await isView(repo, viewOf(dir)))) {
    await mkdir(dir, { recursive: true });
    return restore(repo, dir);
  }
  const made = await makeView(repo, dir, target.value);
  if (!made.ok) return made;
  // Whatever is in the folder, its git included, is the work of an agent.
  if (!free.value) return ok(undefined);
  const shown = await show(repo, made.value, undefined);
  if (!shown.ok) return shown;
  return empty ? ok(undefined) : point(repo, dir, target.value);
}

/** HEAD is written last: without it the worktree is not complete and is made again. */
async function makeView(repo: Repo, dir: string, commit: string): Promise<Result<Own>> {
  const place = await repo.place();
  if (!place.ok) return place;
  const view = viewOf(dir);
  await rm(view, { recursive: true, force: true });
  await mkdir(dir, { recursive: true });
  await mkdir(view, { recursive: true });
  await writeFile(join(view, 'commondir'), `${place.value.commonDir}\n`);
  writeWholeNow(join(view, 'HEAD'), `${commit}\n`, { durable: false });
  return own(repo, dir);
}

/** False if the folder has files but no view of ours: they may be anything. */
async function isFree(repo: Repo, dir: string): Promise<Result<boolean>> {
  const inside = await containsRepository(repo, dir);
  if (!inside.ok) return inside;
  const names = existsSync(dir) ? await readdir(dir) : [];
  const isHalf = names.every((name) => name === '.git') && existsSync(viewOf(dir));
  return ok(names.length === 0 || isHalf);
}

const notOurs = (dir: string) =>
  fail({
    kind: 'worktree-failed',
    cause: `${dir} is not a worktree of this repository, so it was left alone`,
  } as const);

async function containsRepository(repo: Repo, dir: string): Promise<Result<void>> {
  const place = await repo.place();
  if (!place.ok) return place;
  const way = relative(await realDir(dir), await realpath(place.value.commonDir));
  if (way.startsWith('..')) return ok(undefined);
  return fail({ kind: 'worktree-failed', cause: `${dir} contains the repository itself` });
}

/** A complete worktree comes from an earlier call that crashed. Uncommitted work in it is never discarded. */
async function reuse(repo: Repo, dir: string, commit: string): Promise<Result<void>> {
  const found = await status(repo, dir);
  if (!found.ok) return found;
  if (found.value.dirty) {
    return fail({ kind: 'worktree-failed', cause: `${dir} has uncommitted changes` });
  }
  return point(repo, dir, commit);
}

/** Removes our view of the folder last, so that leftovers of a crash are still known as ours. */
export async function removeWorktree(repo: Repo, dir: string): Promise<Result<void>> {
  const inside = await containsRepository(repo, dir);
  if (!inside.ok) return inside;
  const view = viewOf(dir);
  if (!(await isView(repo, view))) {
    return (await removeEmpty(dir)) ? ok(undefined) : notOurs(dir);
  }
  try {
    await removeTree(repo, dir);
    await rm(cloneOf(dir), { recursive: true, force: true });
    await rm(view, { recursive: true, force: true });
  } catch (error) {
    const cause = error instanceof Error ? error.message : String(error);
    return fail({ kind: 'worktree-failed', cause });
  }
  return ok(undefined);
}

async function isView(repo: Repo, view: string): Promise<boolean> {
  const place = await repo.place();
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
