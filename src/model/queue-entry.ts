import { names, type Of, object, optional, ordinal, text } from './shape.ts';

/** Commit and tree of the first n branches of a candidate. */
export const CandidatePrefix = object({ commit: text, tree: text });
export type CandidatePrefix = Of<typeof CandidatePrefix>;

/** One branch in the merge queue. */
export const QueueEntry = object({
  id: text,
  attempt: ordinal,
  commit: text,
  /** Further tasks that the attempt claimed. */
  coClaims: optional(names),
});
export type QueueEntry = Of<typeof QueueEntry>;

/** What goes into the landing commit of a branch besides the tree. */
export const LandingFacts = object({
  entry: QueueEntry,
  title: text,
  agent: text,
  model: optional(text),
  branch: text,
});
export type LandingFacts = Of<typeof LandingFacts>;
