import { readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fail, ok, type Result } from '../model/failure.ts';
import type { FastForward } from '../port/git.ts';
import { gitDirOf, headOf, ifPresent, operationIn, realDir } from './admin.ts';
import { gitFailed } from './command.ts';
import { isAncestor, needCommit, type Repo } from './repo.ts';

/** Overrides options that the user's git config may change. */
const ARGS = [
  'merge',
  '--ff-only',
  '--no-autostash',
  // By default git overwrites ignored files, and those may hold secrets.
  '--no-overwrite-ignore',
  '--no-verify-signatures',
  '--no-squash',
  '--commit',
  '--no-stat',
  '-q',
];

export async function fastForward(
  repo: Repo,
  dir: string,
  branch: string,
  commit: string,
): Promise<Result<FastForward>> {
  const place = await repo.place();
  if (!place.ok) return place;
  const gitDir = await gitDirOf(dir);
  const refused = (cause: string) => ok({ id: 'refused', cause } as const);
  if (gitDir === undefined) return refused(`${dir} is no longer a checkout`);
  const inside = `${await realDir(gitDir)}/`.startsWith(
    `${await realpath(place.value.commonDir)}/`,
  );
  if (!inside) return refused(`${dir} is a checkout of another repository`);
  const operation = await operationIn(gitDir);
  if (operation !== undefined) return refused(`a ${operation} is in progress in ${dir}`);
  // With reftable HEAD is not a file; the caller has asked git.
  if (!place.value.reftable && (await headOf(gitDir)).branch !== branch) {
    return refused(`${dir} is no longer on ${branch}`);
  }
  const before = await compare(repo, branch, commit);
  if (!before.ok) return before;
  if (before.value === 'there') return ok({ id: 'moved' });
  if (before.value === 'diverged') return ok({ id: 'diverged' });
  return merge(repo, { dir, gitDir, branch, commit });
}

interface Wanted {
  readonly dir: string;
  readonly gitDir: string;
  readonly branch: string;
  readonly commit: string;
}

async function merge(repo: Repo, wanted: Wanted): Promise<Result<FastForward>> {
  const { dir, gitDir, branch, commit } = wanted;
  const note = join(gitDir, 'ORIG_HEAD');
  const noted = await ifPresent(readFile(note), undefined);
  const args = [...ARGS, commit];
  const done = await repo.run({ cwd: dir, args });
  if (!done.ok) return done;
  const { exit, stderr, stdout } = done.value;
  const after = await compare(repo, branch, commit);
  if (!after.ok) return after;
  if (after.value === 'there') return ok({ id: 'moved' });
  // Git writes ORIG_HEAD before it checks whether it may move; restore the user's value.
  await restore(note, noted);
  if (after.value === 'diverged') return ok({ id: 'diverged' });
  const cause = stderr.trim() || stdout.toString('utf8').trim();
  if (exit !== 0) return ok({ id: 'refused', cause });
  return fail(gitFailed(args, exit, `git moved something, but not ${branch}`));
}

/** `there`: the branch contains the commit. `behind`: it can be fast-forwarded to it. */
async function compare(
  repo: Repo,
  branch: string,
  commit: string,
): Promise<Result<'there' | 'behind' | 'diverged'>> {
  const at = await needCommit(repo, `refs/heads/${branch}`);
  if (!at.ok) return at;
  if (at.value === commit) return ok('there');
  const behind = await isAncestor(repo, at.value, commit);
  if (!behind.ok) return behind;
  if (behind.value) return ok('behind');
  const ahead = await isAncestor(repo, commit, at.value);
  if (!ahead.ok) return ahead;
  return ok(ahead.value ? 'there' : 'diverged');
}

async function restore(file: string, bytes: Buffer | undefined): Promise<void> {
  const now = await ifPresent(readFile(file), undefined);
  if (bytes === undefined) {
    if (now !== undefined) await rm(file, { force: true });
  } else if (now === undefined || !now.equals(bytes)) await writeFile(file, bytes);
}
