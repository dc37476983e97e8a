import type { Changes } from './violation.ts';

/** Files that differ from a commit, and their lines. */
export type WorkSize = Pick<Changes, 'count' | 'added' | 'removed'>;

/** Limits of counting the lines that agents have changed so far. */
export const workSizeLimits = {
  /** Time between two counts of one worktree, between two counts at all, and after one that failed. */
  againMs: 5_000,
  pauseMs: 6_000,
  retryMs: 60_000,
  /** Time of one git process. */
  wallMs: 1_000,
  /** New files that are read, and bytes of them together. */
  files: 1_000,
  bytes: 4 * 1024 * 1024,
} as const;
