import type { Evidence } from './evidence.ts';
import type { Failure } from './failure.ts';

/** Verdict of a gate on one tree. Only `passed` may land; `not-run` counts neither as passed nor as failed. */
export type Verdict =
  | {
      readonly id: 'passed';
      readonly ms: number;
      /** Quarantined (known flaky) commands that failed at first and passed in one of their extra tries. */
      readonly quarantined?: readonly string[];
      /** Commands that failed first and passed when run again on the same tree. */
      readonly flaked?: readonly string[];
      /** Proof that a gate of this project gave the verdict; see `engine/seal.ts`. */
      readonly seal?: string;
    }
  | { readonly id: 'failed'; readonly ms: number; readonly failure: Failure }
  | { readonly id: 'not-run'; readonly failure: Failure };

/** A failed verdict of the gate with this id. */
export interface RedVerdict {
  readonly gate: string;
  readonly verdict: Extract<Verdict, { readonly id: 'failed' }>;
}

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
export type VerifyOutcome =
  | { readonly kind: 'passed'; readonly command: string; readonly ms: number }
  | {
      readonly kind: 'failed';
      readonly command: string;
      /** -1 if it did not start or was ended by a signal. */
      readonly exit: number;
      readonly ms: number;
      /** Last 2 KiB of its output, standard error first. */
      readonly tail: string;
      /** Failing tests named in its output; absent without any. */
      readonly evidence?: Evidence;
      /** First landing of this run that fails, if it was searched for (`bisect`). */
      readonly culprit?: { readonly commit: string; readonly tasks: readonly string[] };
    }
  | { readonly kind: 'timed-out'; readonly command: string; readonly budgetMs: number }
  | { readonly kind: 'skipped'; readonly reason: string };

/** What a failed verification leads to. Landed work is never reverted. */
export type VerifyPolicy = 'report' | 'fix' | 'bisect';

/** True for the identity of a gate without commands. Its verdict says nothing about the work, so it never counts as passed. */
export function isNoGate(gate: string): boolean {
  return gate === 'none' || gate === 'branch: none';
}
