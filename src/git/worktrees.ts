import { realpath, rm, rmdir, writeFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { fail, ok, type Result } from '../model/failure.ts';
import { limits } from '../model/limits.ts';
import { exec } from '../process/exec.ts';
import { exists, gitDirOf, isMissing, linked, realDir, registrationsOf, textOf } from './admin.ts';
import { point, status } from './checkout.ts';
import { gitEnv } from './env.ts';
import { inRepo, type Repo } from './repo.ts';

export async function addWorktree(
  repo: Repo,
  dir: string,
  commit: string,
  { empty } = { empty: false },
): Promise<Result<void>> {
  const place = await repo.place();
  if (!place.ok) return place;
  const { commonDir } = place.value;
  const registered = await registrationsOf(commonDir, dir);
  const [gitDir] = registered;
  if (
    gitDir !== undefined &&
    registered.length === 1 &&
    (await isWhole(gitDir)) &&
    (await exists(dir))
  ) {
    // An agent may have deleted the `.git` file but not its work.
    if ((await gitDirOf(dir)) === undefined)
      await writeFile(join(dir, '.git'), `gitdir: ${gitDir}\n`);
    return reuse(repo, dir, commit);
  }
  const cleared = await clear(commonDir, dir, registered);
  if (!cleared.ok) return cleared;
  const how = ['-q', '--detach', '--force', ...(empty ? ['--no-checkout'] : [])];
  const added = await inRepo(repo, ['worktree', 'add', ...how, dir, commit]);
  return added.ok ? ok(undefined) : added;
}

/** False while git is still creating the worktree: it removes the `initializing` lock last. */
async function isWhole(gitDir: string): Promise<boolean> {
  if ((await textOf(join(gitDir, 'locked')))?.trim() === 'initializing') return false;
  for (const file of ['HEAD', 'commondir']) {
    if (!(await exists(join(gitDir, file)))) return false;
  }
  return true;
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

export async function removeWorktree(repo: Repo, dir: string): Promise<Result<void>> {
  const place = await repo.place();
  if (!place.ok) return place;
  const { commonDir } = place.value;
  return clear(commonDir, dir, await registrationsOf(commonDir, dir));
}

/**
 * Removes the folder, then its registrations, so leftovers of a crash can still be found. `git worktree prune` would
 * also drop the user's worktrees on unmounted disks.
 */
async function clear(
  commonDir: string,
  dir: string,
  registered: readonly string[],
): Promise<Result<void>> {
  if (!relative(await realDir(dir), await realpath(commonDir)).startsWith('..')) {
    return fail({ kind: 'worktree-failed', cause: `${dir} contains the repository itself` });
  }
  if (registered.length === 0 && !(await leadsInto(commonDir, dir))) {
    const empty = await removeEmpty(dir);
    if (empty) return ok(undefined);
    const cause = `${dir} is not a worktree of this repository, so it was left alone`;
    return fail({ kind: 'worktree-failed', cause });
  }
  try {
    await removeTree(dir);
    for (const gitDir of registered) await rm(gitDir, { recursive: true, force: true });
  } catch (error) {
    const cause = error instanceof Error ? error.message : String(error);
    return fail({ kind: 'worktree-failed', cause });
  }
  return ok(undefined);
}

/**
 * `rm` takes a third of Node's time and does not block. Anything left is removed by Node, whose error names the cause.
 */
async function removeTree(dir: string): Promise<void> {
  const bounds = { wallMs: limits.gitWallMs, outputBytes: limits.tailBytes };
  await exec(['rm', '-rf', '--', dir], { cwd: dirname(dir), env: gitEnv(process.env), ...bounds });
  await rm(dir, { recursive: true, force: true, maxRetries: 3 });
}

/** True if the `.git` file points into this repository although no registration points back. */
async function leadsInto(commonDir: string, dir: string): Promise<boolean> {
  const gitDir = await gitDirOf(dir);
  if (gitDir === undefined) return false;
  const target = await realDir(gitDir);
  return dirname(target) === join(await realpath(commonDir), 'worktrees');
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

export async function listWorktrees(repo: Repo): Promise<Result<readonly string[]>> {
  const place = await repo.place();
  if (!place.ok) return place;
  return ok(linked(place.value.commonDir).map(({ dir }) => dir));
}
