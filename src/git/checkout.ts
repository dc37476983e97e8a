import { readdir, realpath, rm } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { fail, ok, type Result } from '../model/failure.ts';
import type { WorktreeStatus } from '../port/git.ts';
import {
  allButSetAside,
  branchLock,
  clearLocks,
  dropOperations,
  exists,
  gitDirOf,
  headOf,
  locksOf,
  realDir,
  textOf,
} from './admin.ts';
import { gitFailed, nulSeparated, succeed } from './command.ts';
import { checkoutOf, detach } from './refs.ts';
import { needCommit, type Repo, resolveCommit } from './repo.ts';

/** Worktree whose `.git` file and registration point at each other. */
export interface Own {
  readonly dir: string;
  readonly gitDir: string;
  readonly commonDir: string;
}

/**
 * Checks that `dir` is a worktree of this repository before a command runs in it. Without its `.git` file, git would
 * use whatever repository surrounds the folder, and a reset would hit that one.
 */
export async function own(repo: Repo, dir: string): Promise<Result<Own>> {
  const place = await repo.place();
  if (!place.ok) return place;
  const { commonDir } = place.value;
  const broken = fail({
    kind: 'worktree-failed',
    cause: `${dir} is no longer a worktree of ${commonDir}`,
  } as const);
  const pointer = await gitDirOf(dir);
  if (pointer === undefined) return broken;
  const gitDir = await realDir(pointer);
  if (dirname(gitDir) !== join(await realpath(commonDir), 'worktrees')) return broken;
  const back = (await textOf(join(gitDir, 'gitdir')))?.trim();
  if (!back || (await realDir(dirname(resolve(gitDir, back)))) !== (await realDir(dir)))
    return broken;
  return ok({ dir, gitDir, commonDir });
}

/** Two git processes. */
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
  if (branch !== undefined) {
    const free = await branchIsFree(repo, found.value, branch, target.value);
    if (!free.ok) return free;
  }
  await tidy(found.value, branch);
  // Git copies the user's sparse-checkout patterns into new worktrees; we need all files.
  await rm(join(found.value.gitDir, 'info', 'sparse-checkout'), { force: true });
  const where = branch === undefined ? ['--detach'] : ['--no-track', '-B', branch];
  const args = ['checkout', '-q', '-f', ...where, target.value, '--'];
  // A new worktree holds only its `.git` file: nothing to clean.
  if ((await readdir(dir)).length > 1) return changeThenClean(repo, dir, args);
  const filled = await succeed(repo.run, { cwd: dir, args });
  return filled.ok ? ok(undefined) : filled;
}

/** A branch may be set if it is new, already at this commit, or checked out in this worktree. */
async function branchIsFree(
  repo: Repo,
  { dir, gitDir }: Own,
  branch: string,
  commit: string,
): Promise<Result<void>> {
  const at = await resolveCommit(repo, `refs/heads/${branch}`);
  if (!at.ok) return at;
  if (at.value === undefined) return ok(undefined);
  if ((await headOf(gitDir)).branch === branch) return ok(undefined);
  const taken = fail({ kind: 'branch-exists', branch, run: branch.split('/')[1] ?? '' } as const);
  if (at.value !== commit) return taken;
  const elsewhere = await checkoutOf(repo, branch);
  if (!elsewhere.ok) return elsewhere;
  const here = await realDir(dir);
  return elsewhere.value === undefined || elsewhere.value === here ? ok(undefined) : taken;
}

export async function tidy({ gitDir, commonDir }: Own, branch?: string): Promise<void> {
  const locks = branch === undefined ? [] : branchLock(commonDir, branch);
  await clearLocks([...locksOf(gitDir), ...locks]);
  await dropOperations(gitDir);
}

/** `-ff` also removes repositories that an agent created inside the worktree. */
async function changeThenClean(
  repo: Repo,
  dir: string,
  args: readonly string[],
): Promise<Result<void>> {
  const changed = await succeed(repo.run, { cwd: dir, args });
  if (!changed.ok) return changed;
  const cleaned = await succeed(repo.run, { cwd: dir, args: ['clean', '-ffdq'] });
  return cleaned.ok ? ok(undefined) : cleaned;
}

/** One git process. */
export async function status(repo: Repo, dir: string): Promise<Result<WorktreeStatus>> {
  const found = await own(repo, dir);
  if (!found.ok) return found;
  const args = ['status', '--porcelain=v2', '--branch', '-z', '--untracked-files=normal'];
  const filled = await exists(join(found.value.gitDir, 'index'));
  const counted = await allButSetAside(dir, found.value);
  const done = await succeed(repo.run, { cwd: dir, args: [...args, ...counted] });
  if (!done.ok) return done;
  const records = nulSeparated(done.value.stdout);
  const header = (name: string): string | undefined =>
    records.find((record) => record.startsWith(`# ${name} `))?.slice(name.length + 3);
  const head = header('branch.oid');
  const branch = header('branch.head');
  if (head === undefined || head === '(initial)') {
    return fail(gitFailed(args, 0, `${dir} is on a branch without a commit`));
  }
  // Without an index nothing was ever checked out, so files that git reports as deleted never existed.
  const dirty = records.some(
    (record) => !record.startsWith('# ') && (filled || !/^1 D. /.test(record)),
  );
  if (branch === undefined || branch === '(detached)') return ok({ head, dirty });
  return ok({ head, branch, dirty });
}

/** Two git processes. Returns HEAD if there is nothing to commit. */
export async function commitAll(
  repo: Repo,
  dir: string,
  message: string,
  branch?: string,
): Promise<Result<string>> {
  const found = await own(repo, dir);
  if (!found.ok) return found;
  const { gitDir } = found.value;
  await clearLocks(locksOf(gitDir));
  const apart = await keepApart(repo, found.value, branch);
  if (!apart.ok) return apart;
  const staged = await stageAll(repo, dir, await allButSetAside(dir, found.value));
  if (!staged.ok) return staged;
  const args = ['commit', '-q', '--no-verify', '--cleanup=verbatim', '--allow-empty-message'];
  const done = await repo.run({ cwd: dir, args: [...args, '-F', '-'], input: withoutNul(message) });
  if (!done.ok) return done;
  const { exit, stderr } = done.value;
  // With nothing to commit git exits 1 and prints no error.
  if (exit !== 0 && !(exit === 1 && stderr.trim() === '')) {
    return fail(gitFailed(args, exit, stderr));
  }
  return needCommit(repo, `worktrees/${basename(gitDir)}/HEAD`);
}

const EMBEDDED = /^warning: adding embedded git repository: /m;

/**
 * Stages everything. Fails on an embedded repository: git would record only its commit id, and its files would be lost
 * with the worktree. The index is restored then.
 */
async function stageAll(
  repo: Repo,
  dir: string,
  counted: readonly string[],
): Promise<Result<void>> {
  const args = ['add', '-A', ...counted];
  const added = await succeed(repo.run, { cwd: dir, args });
  if (!added.ok) return added;
  const { exit, stderr } = added.value;
  if (!EMBEDDED.test(stderr)) return ok(undefined);
  const undone = await succeed(repo.run, { cwd: dir, args: ['reset', '-q'] });
  if (!undone.ok) return undone;
  const named = stderr.replaceAll('warning: adding embedded', 'there is an embedded');
  return fail(gitFailed(args, exit, `${named.trim()}; its files cannot be committed from outside`));
}

/** Detaches HEAD if a commit would move any branch other than `branch`. */
async function keepApart(
  repo: Repo,
  { dir, gitDir, commonDir }: Own,
  branch: string | undefined,
): Promise<Result<void>> {
  const head = (await textOf(join(gitDir, 'HEAD')))?.trim();
  if (branch !== undefined && head === `ref: refs/heads/${branch}`) {
    // The branch may be a symbolic ref to another branch.
    const ref = await textOf(join(commonDir, 'refs', 'heads', branch));
    if (!ref?.startsWith('ref:')) return ok(undefined);
  }
  // HEAD is detached already.
  if (head !== undefined && /^[0-9a-f]+$/.test(head)) return ok(undefined);
  const at = await resolveCommit(repo, `worktrees/${basename(gitDir)}/HEAD`);
  if (!at.ok) return at;
  if (at.value === undefined) {
    return fail(gitFailed(['commit'], 1, `${dir} is on a branch without a commit`));
  }
  return detach(repo, gitDir, at.value);
}

/** Git rejects a NUL in a commit message. */
export function withoutNul(message: string): string {
  return message.replaceAll('\0', '\uFFFD');
}
