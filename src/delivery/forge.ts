import type { Pull } from '../model/event.ts';
import type { Result } from '../model/failure.ts';

export interface PullRequest {
  /** The branch with the work, as the remote knows it: `yard/…`. */
  readonly branch: string;
  /** The branch it should be merged into. */
  readonly base: string;
  readonly title: string;
  /** Markdown. */
  readonly body: string;
}

/**
 * Where pull requests are. Each branch has at most one that counts: one that is merged before one that is open before
 * one that was closed, and of several the newest. One that comes from a fork never counts, whatever its branch is
 * called. Expected trouble is `delivery-failed`; nothing throws.
 */
export interface Forge {
  /** Opens a pull request for a branch that was pushed. Where the branch has one already, that one is the answer. */
  open(request: PullRequest): Promise<Result<{ readonly url: string; readonly number: number }>>;
  /**
   * How the pull requests of these branches stand, in the order of the branches, with one call for all. A branch that
   * has none, or none among the newest of the repository, is left out.
   */
  states(branches: readonly string[]): Promise<Result<readonly Pull[]>>;
}
