import type { Result } from '../model/failure.ts';
import type { Pull } from '../model/run-record.ts';

export interface PullRequest {
  /** Branch with the work, as named on the remote: `yard/…`. */
  readonly branch: string;
  /** Branch to merge into. */
  readonly base: string;
  readonly title: string;
  readonly body: string;
}

/** A pull request of any person or program; `base` is the branch that it is merged into. */
export type NumberedPull = Pick<Pull, 'number' | 'state' | 'mergeCommit'> & {
  readonly base: string;
};

/**
 * The service with the pull requests. For each branch at most one counts: merged before open before closed, then the
 * newest. Pull requests from forks never count. Expected errors are `delivery-failed`; nothing throws.
 */
export interface Forge {
  /** Opens a pull request for a pushed branch, or returns the existing one. */
  open(request: PullRequest): Promise<Result<{ readonly url: string; readonly number: number }>>;
  /**
   * States of the pull requests of these branches, in the same order, with one call. A branch without one, or without
   * one among the newest of the repository, is left out.
   */
  states(branches: readonly string[]): Promise<Result<readonly Pull[]>>;
  /** Pull requests of this repository by their numbers, with one call. Those that do not exist are left out. */
  numbered(numbers: readonly number[]): Promise<Result<readonly NumberedPull[]>>;
}
