import { join } from 'node:path';
import { fail, ok, type Result } from '../model/failure.ts';
import { limits } from '../model/limits.ts';
import type { Push, RefMove, RefResult, RemoteMove } from '../port/git.ts';
import { clearLocks, headOf, linkedWith, rebasedBranch } from './admin.ts';
import { gitFailed, nulSeparated } from './command.ts';
import { refWriterArgs } from './ref-writer.ts';
import { inRepo, needCommit, type Repo, resolveCommit, runInRepo } from './repo.ts';

export async function listRefs(
  repo: Repo,
  prefix: string,
): Promise<Result<readonly { ref: string; commit: string }[]>> {
  const format = '--format=%(refname)%00%(objectname)%00%(*objectname)';
  const done = await inRepo(repo, ['for-each-ref', format, `${prefix.replace(/\/+$/, '')}/`]);
  if (!done.ok) return done;
  const lines = done.value.stdout.toString('utf8').split('\n');
  return ok(
    lines.filter(Boolean).map((line) => {
      const [ref = '', object = '', peeled = ''] = line.split('\0');
      return { ref, commit: peeled || object };
    }),
  );
}

/** One transaction: all refs or none. Uses the long-lived writer; if that refuses, a separate process reports why. */
export async function moveRefs(repo: Repo, moves: readonly RefMove[]): Promise<Result<RefResult>> {
  if (moves.length === 0) return ok({ id: 'moved' });
  const place = await repo.place();
  if (!place.ok) return place;
  const args = [...refWriterArgs];
  const input = moves.map(instruction).join('');
  if (await repo.refs.write(input)) return ok({ id: 'moved' });
  const there = await areThere(repo, moves);
  if (!there.ok) return there;
  if (there.value) return ok({ id: 'moved' });
  await clearLocks(ownLocks(place.value.commonDir, moves));
  const done = await repo.run({ cwd: place.value.root, args, input });
  if (!done.ok) return done;
  const { exit, stderr } = done.value;
  if (exit === 0) return ok({ id: 'moved' });
  const stale = await isStale(repo, moves, stderr);
  if (!stale.ok) return stale;
  if (stale.value) return ok({ id: 'stale', detail: stderr.trim() });
  return fail(gitFailed([...args, ...moves.map(({ ref }) => ref)], exit, stderr));
}

/** Lock files of our own refs, which a killed git may have left; only this program moves those. */
function ownLocks(commonDir: string, moves: readonly RefMove[]): readonly string[] {
  const own = moves.filter(({ ref }) => /^refs\/(?:heads\/)?yard\//.test(ref));
  return own.map(({ ref }) => join(commonDir, `${ref}.lock`));
}

/** True if every ref is at its `to`: the writer may have died after the update and before its answer. */
async function areThere(repo: Repo, moves: readonly RefMove[]): Promise<Result<boolean>> {
  for (const { ref, to } of moves) {
    const now = await resolveCommit(repo, ref);
    if (!now.ok) return now;
    if (now.value !== to) return ok(false);
  }
  return ok(true);
}

function instruction({ ref, from, to }: RefMove): string {
  if (to !== undefined) {
    if (from === null) return `create ${ref}\0${to}\0`;
    return `update ${ref}\0${to}\0${from ?? ''}\0`;
  }
  if (from === null) return `verify ${ref}\0\0`;
  return `delete ${ref}\0${from ?? ''}\0`;
}

const STALE = /is at [0-9a-f]+ but expected|reference already exists|missing but expected/;

/** Git's message identifies most cases; comparing the refs finds the rest. */
async function isStale(
  repo: Repo,
  moves: readonly RefMove[],
  stderr: string,
): Promise<Result<boolean>> {
  if (STALE.test(stderr)) return ok(true);
  for (const { ref, from } of moves) {
    if (from === undefined) continue;
    const now = await resolveCommit(repo, ref);
    if (!now.ok) return now;
    if (now.value !== (from ?? undefined)) return ok(true);
  }
  return ok(false);
}

/** A branch being rebased counts as checked out there. */
export async function checkoutOf(repo: Repo, branch: string): Promise<Result<string | undefined>> {
  const place = await repo.place();
  if (!place.ok) return place;
  if (place.value.reftable) return checkoutByGit(repo, branch);
  const { commonDir, mainRoot } = place.value;
  if (mainRoot !== undefined) {
    if ((await headOf(commonDir)).branch === branch) return ok(mainRoot);
    if ((await rebasedBranch(commonDir)) === branch) return ok(mainRoot);
  }
  return ok(linkedWith(commonDir, branch)?.dir);
}

async function checkoutByGit(repo: Repo, branch: string): Promise<Result<string | undefined>> {
  const done = await inRepo(repo, ['worktree', 'list', '--porcelain', '-z']);
  if (!done.ok) return done;
  let dir: string | undefined;
  for (const line of nulSeparated(done.value.stdout)) {
    if (line.startsWith('worktree ')) dir = line.slice('worktree '.length);
    if (line === `branch refs/heads/${branch}`) return ok(dir);
  }
  return ok(undefined);
}

/** Overrides options that the user's git config may change: only the named refs are sent. */
const ARGS = [
  'push',
  '--no-verify',
  '--no-follow-tags',
  '--no-signed',
  '--recurse-submodules=no',
  '--no-progress',
  '-q',
];

/** One git process and its transport. Neither can prompt on a terminal. */
export async function push(
  repo: Repo,
  remote: string,
  moves: readonly RemoteMove[],
): Promise<Result<Push>> {
  if (moves.length === 0) return ok({ id: 'pushed' });
  const specs: string[] = [];
  for (const { from, to } of moves) {
    // A full commit id: a `+` would force and an empty source would delete.
    const commit = await needCommit(repo, from);
    if (!commit.ok) return commit;
    specs.push(`${commit.value}:${to}`);
  }
  // Some remotes do not support `--atomic`, and one ref does not need it.
  const together = moves.length > 1 ? ['--atomic'] : [];
  const args = [...ARGS, ...together, '--', remote, ...specs];
  const done = await runInRepo(repo, args);
  if (!done.ok) return done;
  if (done.value.exit === 0) return ok({ id: 'pushed' });
  return ok({ id: 'refused', cause: causeOf(done.value.stderr, done.value.exit) });
}

/** Removes credentials from URLs. */
function causeOf(stderr: string, exit: number): string {
  const cause = stderr.replaceAll(/(\w+:\/\/)[^\s/@]+@/g, '$1').trim();
  return cause.slice(0, limits.tailBytes) || `git push exited with ${exit}`;
}
