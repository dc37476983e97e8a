import { names, type Of, object, optional, ordinal, text } from './shape.ts';

/** Commit and tree of the first n branches of a candidate. */
export const CandidatePrefix = object({ commit: text, tree: text });
export type CandidatePrefix = Of<typeof CandidatePrefix>;

export const QueueEntry = object({
  id: text,
  attempt: ordinal,
  commit: text,
  /** Copy of the commit that the candidate contains instead, if commits below it were dropped from the target. */
  copy: optional(text),
  /** Further tasks that the attempt claimed. */
  coClaims: optional(names),
});
export type QueueEntry = Of<typeof QueueEntry>;

/** Facts for the landing commit of a branch, apart from its tree. */
export const LandingFacts = object({
  entry: QueueEntry,
  title: text,
  agent: text,
  model: optional(text),
  branch: text,
  /** Newest commit of the target that the work contains; absent if it was begun on work that is not landed yet. */
  base: optional(text),
});
export type LandingFacts = Of<typeof LandingFacts>;
