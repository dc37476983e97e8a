import { closedUnion, type Of, text } from './shape.ts';

/** Why a clone may not go on with a run: its target lacks what the run has built on. */
export const BehindCause = closedUnion('id', {
  /** Another clone has landed the work, and this one has no way to get it. */
  'not-here': {},
  /** The same, and the run under way, which knows better, is driven from another clone. */
  'run-elsewhere': { run: text },
  /** This clone lacks the commit that the run started from. */
  'base-not-here': { base: text },
  /** The work is here, up to this commit, but the target has commits of its own. */
  diverged: { commit: text },
  /** The target has contained the work, and somebody removed it here. */
  'removed-here': {},
  /** The same for a part of the work below this commit. */
  'removed-below': { commit: text },
});
export type BehindCause = Of<typeof BehindCause>;
