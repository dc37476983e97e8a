import { count, list, names, type Of, object, text } from './shape.ts';
/** A failing test, or a compiler or linter error. */
export const CheckFailure = object({
  /** Test name with file and suites as far as the runner prints them; for an error, its location. */
  name: text,
  /** May be multi-line or empty. */
  message: text,
});
export type CheckFailure = Of<typeof CheckFailure>;

/** Facts about a failure from the output of a gate command. Bounded; the full output is in a file. */
export const Evidence = object({
  /** In output order. Empty if no known test runner printed the output. */
  failures: list(CheckFailure),
  /** Number of failures that are not listed. */
  unlisted: count,
  /** Output lines that look like failures. Empty if `failures` is not. */
  signs: names,
  /** First lines of the output. Empty if `failures` is not. */
  head: text,
});
export type Evidence = Of<typeof Evidence>;

/** For output without any sign of a failure, or that was not read. */
export const noEvidence: Evidence = { failures: [], unlisted: 0, signs: [], head: '' };
