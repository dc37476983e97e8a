import { ok, type Result } from '../model/failure.ts';
import { limits } from '../plan/limits.ts';
import type { Push, RemoteMove } from './git.ts';
import { needCommit, type Repo } from './repo.ts';

/** Options a person may have turned round in their configuration, each said again: only what is named is sent. */
const ARGS = [
  'push',
  '--no-verify',
  '--no-follow-tags',
  '--no-signed',
  '--recurse-submodules=no',
  '--no-progress',
  '-q',
];

/** One git process, and what it starts to reach the remote. None of them can ask on a terminal. */
export async function push(
  repo: Repo,
  remote: string,
  moves: readonly RemoteMove[],
): Promise<Result<Push>> {
  if (moves.length === 0) return ok({ id: 'pushed' });
  const place = await repo.place();
  if (!place.ok) return place;
  const specs: string[] = [];
  for (const { from, to } of moves) {
    // A plain id cannot be the sign that asks git to force, nor nothing, which asks it to delete.
    const commit = await needCommit(repo, from);
    if (!commit.ok) return commit;
    specs.push(`${commit.value}:${to}`);
  }
  // Some remotes know no transactions, and one ref does not need one.
  const together = moves.length > 1 ? ['--atomic'] : [];
  const args = [...ARGS, ...together, '--', remote, ...specs];
  const done = await repo.run({ cwd: place.value.root, args });
  if (!done.ok) return done;
  if (done.value.exit === 0) return ok({ id: 'pushed' });
  return ok({ id: 'refused', cause: causeOf(done.value.stderr, done.value.exit) });
}

/** An address may hold the name and password that open it. */
function causeOf(stderr: string, exit: number): string {
  const words = stderr.replaceAll(/(\w+:\/\/)[^\s/@]+@/g, '$1').trim();
  return words.slice(0, limits.tailBytes) || `git push ended with ${exit}`;
}
