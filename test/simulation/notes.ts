import type { Tree } from '../memory/git-trees.ts';

/** Facts about a world that are not in its log, for the invariants. */
export class Notes {
  /** Commits that agents left in their stash or on another branch, with the attempt that did. */
  readonly strays = new Map<string, string>();
  /** Attempts whose agent left work in ignored files. */
  readonly buried = new Set<string>();
  /** Paths in each archive, by its file. */
  readonly archives = new Map<string, readonly string[]>();
  /** Files that git would commit of a worktree when the agent of a turn ended, by attempt and turn. */
  readonly ends = new Map<string, Tree>();
  /** Gate runs that found a file that is not in the judged commit. */
  readonly stale: string[] = [];
  /** Agents that started before the commands of `run.before` had passed for the process that started them. */
  readonly early: string[] = [];
}

export const attemptKey = (id: string, attempt: number): string => `${id}-${attempt}`;
export const turnKey = (id: string, attempt: number, turn: number): string =>
  `${attemptKey(id, attempt)} turn ${turn}`;
