import { Evidence } from './evidence.ts';
import { Failure, failureFrom } from './failure.ts';
import {
  closedUnion,
  count,
  int,
  names,
  number,
  type Of,
  object,
  optional,
  repaired,
  text,
  union,
  words,
} from './shape.ts';

const failed = { ms: number, failure: Failure };

/** Verdict of a gate on one tree. Only `passed` may land; `not-run` counts neither as passed nor as failed. */
export const Verdict = repaired(
  union('id', {
    passed: {
      ms: number,
      /** Quarantined (known flaky) commands that failed at first and passed in one of their extra tries. */
      quarantined: optional(names),
      /** Commands that failed first and passed when run again on the same tree. */
      flaked: optional(names),
      /** Proof that a gate of this project gave the verdict; see `engine/seal.ts`. */
      seal: optional(text),
    },
    failed,
    'not-run': { failure: Failure },
  }),
  (stored) => ({ id: 'not-run', failure: failureFrom(stored) }),
);
export type Verdict = Of<typeof Verdict>;

/** Meaning of a verdict for tests that were written first: they must fail, and no other test. */
export const TestsOutcome = closedUnion('id', {
  red: { tests: names, files: names },
  refused: { failure: Failure },
});
export type TestsOutcome = Of<typeof TestsOutcome>;

export const RedVerdict = object({ gate: text, verdict: union('id', { failed }) });
export type RedVerdict = Of<typeof RedVerdict>;

/** Tests of a gate command that failed again when it was rerun, on work that contains the work to judge. */
export const ConfirmedRed = object({ command: text, tests: names });
export type ConfirmedRed = Of<typeof ConfirmedRed>;

/** The gate's commands. Verdicts are stored under its id. */
export interface Gate {
  /** Changes whenever anything that affects the verdict changes; a verdict holds for (tree, gate id). */
  readonly id: string;
  readonly commands: readonly string[];
  readonly timeoutMs: number;
  /** Output of the commands in `gate.environment`; absent without any. */
  readonly environment?: string;
}

/** Result of the end-of-run verification of the target. */
export const VerifyOutcome = union('kind', {
  passed: { command: text, ms: number },
  failed: {
    command: text,
    /** -1 if it did not start or was ended by a signal. */
    exit: int,
    ms: number,
    /** Last 2 KiB of its output, standard error first. */
    tail: text,
    /** Failing tests named in its output; absent without any. */
    evidence: optional(Evidence),
    /** First landing of this run that fails, if it was searched for (`bisect`). */
    culprit: optional(object({ commit: text, tasks: names })),
  },
  'timed-out': { command: text, budgetMs: count },
  skipped: { reason: text },
});
export type VerifyOutcome = Of<typeof VerifyOutcome>;

/** Consequence of a failed verification. Landed work is never reverted. */
export const VerifyPolicy = words('report', 'fix', 'bisect');
export type VerifyPolicy = Of<typeof VerifyPolicy>;

/** True for the identity of a gate without commands. Its verdict says nothing about the work, so it never counts as passed. */
export function isNoGate(gate: string): boolean {
  return gate === 'none' || gate === 'branch: none';
}
