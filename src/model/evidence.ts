/** A failing test, or a compiler or linter error. */
export interface CheckFailure {
  /** Test name with file and suites as far as the runner prints them; for an error, its location. */
  readonly name: string;
  /** May be multi-line or empty. */
  readonly message: string;
}

/** What the output of a failed gate command says about the failure. Bounded; the full output is in a file. */
export interface Evidence {
  /** In output order. Empty if no known test runner printed the output. */
  readonly failures: readonly CheckFailure[];
  /** Number of failures that are not listed. */
  readonly unlisted: number;
  /** Output lines that look like failures. Empty if `failures` is not. */
  readonly signs: readonly string[];
  /** First lines of the output. Empty if `failures` is not. */
  readonly head: string;
}

/** For output without any sign of a failure, or that was not read. */
export const noEvidence: Evidence = { failures: [], unlisted: 0, signs: [], head: '' };
