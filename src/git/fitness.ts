import { fail, ok, type Result } from '../model/failure.ts';
import type { Repository } from './git.ts';

export interface Wanted {
  /** The branch that the configuration or the command line names. */
  readonly target?: string;
}

/**
 * Whether a run may start in a repository, and the branch it will move: the named one, else the one checked out. A shallow
 * clone is fit: branches grow from a tip that is here. Should a merge need what was left out, it says so then.
 */
export function fitness(repo: Repository, wanted: Wanted): Result<{ readonly target: string }> {
  if (repo.bare) return fail({ kind: 'bare-repository', dir: repo.root });
  // Before the detached HEAD, which a rebase and a bisection bring with them.
  if (repo.operation !== undefined) {
    return fail({ kind: 'operation-in-progress', operation: repo.operation, dir: repo.root });
  }
  // A named target may have commits though the branch that happens to be checked out has none.
  if (wanted.target !== undefined) return ok({ target: wanted.target });
  if (repo.head === undefined) return fail({ kind: 'no-commits', dir: repo.root });
  if (repo.branch === undefined) return fail({ kind: 'detached-head', commit: repo.head });
  return ok({ target: repo.branch });
}
