import type { Result } from '../model/failure.ts';

/** A mark by name: two equal marks are the same thing unchanged. What cannot be read has the mark `unknown`. */
export interface Listing {
  readonly marks: Readonly<Record<string, string>>;
  /** The last name that was taken in, by order of names, where there were more than are watched. */
  readonly upTo?: string;
}

/** How things outside of an attempt's worktree were at one moment. Plain data, without contents of files. */
export interface Snapshot {
  /** Hooks of git, by file name, or by path where they are in a folder that the settings name. */
  readonly hooks: Listing;
  /** The same where that folder is in the checkout: landings may change it. */
  readonly checkoutHooks: Listing;
  /** The repository's own settings, by path in its git folder. */
  readonly settings: Listing;
  /** Commits by full ref name; absent where git could not say. */
  readonly refs?: Listing;
  readonly checkout: {
    readonly dir: string;
    /** What HEAD says: a branch by name, or a commit. */
    readonly head: string;
    /** Files that differ from HEAD; absent where git could not say. */
    readonly files?: Listing;
  };
}

/** Looks at what agents have to leave alone. A look changes nothing, never throws, and starts two processes at most. */
export interface Guard {
  /** `recent`: what was seen a moment ago will do, as before a turn; else it shows how things are now. */
  look(recent?: boolean): Promise<Snapshot>;
}

/** Names of files in the checkout that differ from its HEAD, untracked ones included. */
export type CheckoutFiles = () => Promise<Result<readonly string[]>>;
