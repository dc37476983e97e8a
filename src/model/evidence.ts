/** A failing test, or an error of a compiler or linter. */
export interface CheckFailure {
  /** The test with its file and suites as far as the runner names them; for an error the place. */
  readonly name: string;
  /** May have several lines, or be empty. */
  readonly message: string;
}

/** What the output of a red gate command says about the failure. Bounded; the whole output is in a file. */
export interface Evidence {
  /** In the order of the output. Empty where no runner that is known printed it. */
  readonly failures: readonly CheckFailure[];
  /** Failures beyond those that are listed. */
  readonly unlisted: number;
  /** Lines that tell of a failure, whatever printed them. Empty where failures are listed. */
  readonly signs: readonly string[];
  /** The first lines of the output. Empty where failures are listed. */
  readonly head: string;
}

/** Of an output that says nothing, or that nobody has read. */
export const noEvidence: Evidence = { failures: [], unlisted: 0, signs: [], head: '' };
