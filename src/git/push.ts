import { ok, type Result } from '../model/failure.ts';
import { limits } from '../model/limits.ts';
import type { Push, RemoteMove } from '../port/git.ts';
import { needCommit, type Repo, runInRepo } from './repo.ts';

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
