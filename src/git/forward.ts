import { realpath } from 'node:fs/promises';
import { outcomeOf, Trouble, take } from '../model/trouble.ts';
import type { FastForward } from '../port/git.ts';
import { gitDirOf, headOf, operationIn, realDir } from './admin.ts';
import { gitFailed } from './command.ts';
import { beginLanding, type Checkout, settleLanding } from './landing-traces.ts';
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

/** The last call for each checkout of this process. */
const calls = new Map<string, Promise<unknown>>();

/**
 * First finishes or undoes an earlier call that was cut short. Calls for one checkout wait for each other: another one
 * would take the traces of a call under way for those of one that was cut short.
 */
export function fastForward(
  repo: Repo,
  dir: string,
  branch: string,
  commit: string,
): Promise<FastForward> {
  const before = calls.get(dir) ?? Promise.resolve();
  const mine = before.then(() => forward(repo, dir, branch, commit));
  const over = mine.then(
    () => undefined,
    () => undefined,
  );
  calls.set(dir, over);
  void over.then(() => {
    if (calls.get(dir) === over) calls.delete(dir);
  });
  return mine;
}

async function forward(
  repo: Repo,
  dir: string,
  branch: string,
  commit: string,
): Promise<FastForward> {
  const place = await repo.place();
  const gitDir = await gitDirOf(dir);
  const refused = (cause: string) => ({ id: 'refused', cause }) as const;
  if (gitDir === undefined) return refused(`${dir} is no longer a checkout`);
  const inside = `${await realDir(gitDir)}/`.startsWith(`${await realpath(place.commonDir)}/`);
  if (!inside) return refused(`${dir} is a checkout of another repository`);
  const busy = await settleLanding(repo, { dir, gitDir });
  if (busy !== undefined) return { id: 'locked', by: busy };
  const before = await compare(repo, branch, commit);
  const { id, at } = before;
  if (id === 'there') return { id: 'moved' };
  const operation = await operationIn(gitDir);
  if (operation !== undefined) return refused(`a ${operation} is in progress in ${dir}`);
  // With reftable HEAD is not a file; the caller has asked git.
  if (!place.reftable && (await headOf(gitDir)).branch !== branch) {
    return refused(`${dir} is no longer on ${branch}`);
  }
  if (id === 'diverged') return { id };
  return merge(repo, { dir, gitDir }, { branch, from: at, to: commit });
}

interface Wanted {
  readonly branch: string;
  readonly from: string;
  readonly to: string;
}

async function merge(repo: Repo, checkout: Checkout, wanted: Wanted): Promise<FastForward> {
  const { branch, to } = wanted;
  const begun = await beginLanding(checkout, wanted);
  if ('file' in begun) return { id: 'locked', by: begun };
  const args = [...ARGS, to];
  const { index, onStart } = begun;
  const env = { GIT_INDEX_FILE: index };
  // However git ended, what it began is settled first.
  const done = await outcomeOf(repo.run({ cwd: checkout.dir, args, env, onStart }));
  await settleLanding(repo, checkout);
  const after = await compare(repo, branch, to);
  if (after.id === 'there') return { id: 'moved' };
  if (after.id === 'diverged') return { id: 'diverged' };
  const { exit, stderr, stdout } = take(done);
  const cause = stderr.trim() || stdout.toString('utf8').trim();
  if (exit === 0)
    throw new Trouble(gitFailed(args, exit, `git moved something, but not ${branch}`));
  return { id: 'refused', cause: cause || `git merge exited with ${exit}` };
}

/** `there`: the branch contains the commit. `behind`: it can be fast-forwarded to it. */
async function compare(
  repo: Repo,
  branch: string,
  commit: string,
): Promise<{ readonly id: 'there' | 'behind' | 'diverged'; readonly at: string }> {
  const at = await needCommit(repo, `refs/heads/${branch}`);
  if (at === commit) return { id: 'there', at };
  const behind = await isAncestor(repo, at, commit);
  if (behind) return { id: 'behind', at };
  const ahead = await isAncestor(repo, commit, at);
  return { id: ahead ? 'there' : 'diverged', at };
}
