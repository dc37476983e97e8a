import type { Result } from '../model/failure.ts';
import type { HomeEffect } from '../model/violation.ts';

/** Fingerprints by name; equal fingerprints mean unchanged. Unreadable entries are `unknown`. */
export interface Listing {
  readonly marks: Readonly<Record<string, string>>;
  /** Last name included, in sorted order, if the list was cut at the limit. */
  readonly upTo?: string;
}

/** State outside of an attempt's worktree at one moment. Plain data without file contents. */
export interface Snapshot {
  /** Git hooks by file name, or by path if `core.hooksPath` names their folder. */
  readonly hooks: Listing;
  /** The same if that folder lies in the checkout, where landings may change it. */
  readonly checkoutHooks: Listing;
  /** Git config files by path in the git folder. */
  readonly settings: Listing;
  /** Commits by full ref name; absent if git failed. */
  readonly refs?: Listing;
  readonly checkout: {
    readonly dir: string;
    /** Content of HEAD: a branch or a commit. */
    readonly head: string;
    /** Files that differ from HEAD; absent if git failed. */
    readonly files?: Listing;
  };
  /** Files of the user's home that run code or give access later, by path. */
  readonly home: Readonly<Record<HomeEffect, Listing>>;
}

/** Takes snapshots of what agents must not touch. Changes nothing, never throws, starts at most two processes. */
export interface Guard {
  /** `recent`: a snapshot from a moment ago may be reused, as before a turn. */
  snapshot(recent?: boolean): Promise<Snapshot>;
}

/** Files in the checkout that differ from HEAD, including untracked ones. */
export type CheckoutFiles = () => Promise<Result<readonly string[]>>;
