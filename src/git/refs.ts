import { join } from 'node:path';
import { limits } from '../model/limits.ts';
import { Trouble } from '../model/trouble.ts';
import type { Push, RefMove, RefResult, RemoteMove } from '../port/git.ts';
import { clearLocks, headOf, linkedWith, rebasedBranch } from './admin.ts';
import { gitFailed, nulSeparated } from './command.ts';
import { refWriterArgs } from './ref-writer.ts';
import { inRepo, needCommit, type Repo, resolveCommit, runInRepo } from './repo.ts';

export async function listRefs(
  repo: Repo,
  prefix: string,
): Promise<readonly { ref: string; commit: string }[]> {
  const format = '--format=%(refname)%00%(objectname)%00%(*objectname)';
  const done = await inRepo(repo, ['for-each-ref', format, `${prefix.replace(/\/+$/, '')}/`]);
  const lines = done.stdout.toString('utf8').split('\n');
  return lines.filter(Boolean).map((line) => {
    const [ref = '', object = '', peeled = ''] = line.split('\0');
    return { ref, commit: peeled || object };
  });
}

/** One transaction: all refs or none. Uses the long-lived writer; if that refuses, a separate process reports why. */
export async function moveRefs(repo: Repo, moves: readonly RefMove[]): Promise<RefResult> {
  if (moves.length === 0) return { id: 'moved' };
  const place = await repo.place();
  const args = [...refWriterArgs];
  const input = moves.map(instruction).join('');
  if (await repo.refs.write(input)) return { id: 'moved' };
  const there = await areThere(repo, moves);
  if (there) return { id: 'moved' };
  await clearLocks(ownLocks(place.commonDir, moves));
  const done = await repo.run({ cwd: place.root, args, input });
  const { exit, stderr } = done;
  if (exit === 0) return { id: 'moved' };
  const stale = await isStale(repo, moves, stderr);
  if (stale) return { id: 'stale', detail: stderr.trim() };
  throw new Trouble(gitFailed([...args, ...moves.map(({ ref }) => ref)], exit, stderr));
}

/** Lock files of our own refs, which a killed git may have left; only this program moves those. */
function ownLocks(commonDir: string, moves: readonly RefMove[]): readonly string[] {
  const own = moves.filter(({ ref }) => /^refs\/(?:heads\/)?yard\//.test(ref));
  return own.map(({ ref }) => join(commonDir, `${ref}.lock`));
}

/** True if every ref is at its `to`: the writer may have died after the update and before its answer. */
async function areThere(repo: Repo, moves: readonly RefMove[]): Promise<boolean> {
  for (const { ref, to } of moves) {
    const now = await resolveCommit(repo, ref);
    if (now !== to) return false;
  }
  return true;
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
async function isStale(repo: Repo, moves: readonly RefMove[], stderr: string): Promise<boolean> {
  if (STALE.test(stderr)) return true;
  for (const { ref, from } of moves) {
    if (from === undefined) continue;
    const now = await resolveCommit(repo, ref);
    if (now !== (from ?? undefined)) return true;
  }
  return false;
}

/** A branch being rebased counts as checked out there. */
export async function checkoutOf(repo: Repo, branch: string): Promise<string | undefined> {
  const place = await repo.place();
  if (place.reftable) return checkoutByGit(repo, branch);
  const { commonDir, mainRoot } = place;
  if (mainRoot !== undefined) {
    if ((await headOf(commonDir)).branch === branch) return mainRoot;
    if ((await rebasedBranch(commonDir)) === branch) return mainRoot;
  }
  return linkedWith(commonDir, branch)?.dir;
}

async function checkoutByGit(repo: Repo, branch: string): Promise<string | undefined> {
  const done = await inRepo(repo, ['worktree', 'list', '--porcelain', '-z']);
  let dir: string | undefined;
  for (const line of nulSeparated(done.stdout)) {
    if (line.startsWith('worktree ')) dir = line.slice('worktree '.length);
    if (line === `branch refs/heads/${branch}`) return dir;
  }
  return undefined;
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
): Promise<Push> {
  if (moves.length === 0) return { id: 'pushed' };
  const specs: string[] = [];
  for (const { from, to } of moves) {
    // A full commit id: a `+` would force and an empty source would delete.
    const commit = await needCommit(repo, from);
    specs.push(`${commit}:${to}`);
  }
  // Some remotes do not support `--atomic`, and one ref does not need it.
  const together = moves.length > 1 ? ['--atomic'] : [];
  const args = [...ARGS, ...together, '--', remote, ...specs];
  const done = await runInRepo(repo, args);
  if (done.exit === 0) return { id: 'pushed' };
  return { id: 'refused', cause: causeOf(done.stderr, done.exit) };
}

/** Removes credentials from URLs. */
function causeOf(stderr: string, exit: number): string {
  const cause = stderr.replaceAll(/(\w+:\/\/)[^\s/@]+@/g, '$1').trim();
  return cause.slice(0, limits.tailBytes) || `git push exited with ${exit}`;
}
