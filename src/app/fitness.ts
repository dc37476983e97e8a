import { fail, ok, type Result } from '../model/failure.ts';
import type { Repository } from '../port/git.ts';

export interface Wanted {
  readonly target?: string;
}

/**
 * Checks that a run may start, and returns the branch it will move: the given one, else the one checked out. A shallow
 * clone is allowed; a merge that needs missing history fails when it happens.
 */
export function fitness(repo: Repository, wanted: Wanted): Result<{ readonly target: string }> {
  if (repo.bare) return fail({ kind: 'bare-repository', dir: repo.root });
  // Checked before the detached HEAD, since rebase and bisect detach HEAD too.
  if (repo.operation !== undefined) {
    return fail({ kind: 'operation-in-progress', operation: repo.operation, dir: repo.root });
  }
  // The given target may have commits even if the checked-out branch has none.
  if (wanted.target !== undefined) return ok({ target: wanted.target });
  if (repo.head === undefined) return fail({ kind: 'no-commits', dir: repo.root });
  if (repo.branch === undefined) return fail({ kind: 'detached-head', commit: repo.head });
  return ok({ target: repo.branch });
}
