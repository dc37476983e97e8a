import type { Failure } from './failure.ts';
import type { Finding } from './finding.ts';
import type { TurnFacts } from './turn.ts';

export type ReviewVerdict = 'approved' | 'needs-changes';

/** Answer to a one-shot call: a verdict with findings, or a new task text. */
export type CallAnswer =
  | { readonly verdict: ReviewVerdict; readonly findings: readonly Finding[] }
  | { readonly body: string };

/** Result of a one-shot call. An answer that cannot be parsed is a failure. */
export type CallResult =
  | (TurnFacts & { readonly ok: true } & CallAnswer)
  | (TurnFacts & { readonly ok: false; readonly failure: Failure });

/** The votes of all reviewers on one commit. */
export interface ReviewRound {
  readonly round: number;
  readonly commit: string;
  readonly votes: readonly {
    readonly reviewer: string;
    readonly verdict: ReviewVerdict;
    readonly findings: readonly Finding[];
  }[];
}

/** Stages of a task, in order. `work` and `land` cannot be left out, and every landing passes the candidate gate. */
export const stages = ['critique', 'work', 'gate', 'review', 'land'] as const;
export type Stage = (typeof stages)[number];
