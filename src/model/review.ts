import type { TurnFacts } from './attempt.ts';
import type { Failure } from './failure.ts';

/** Most severe first: `blocker` must not land, `note` is a remark. */
export const severities = ['blocker', 'major', 'minor', 'note'] as const;
export type Severity = (typeof severities)[number];

/** One finding of a reviewer. The reviewer chooses the id and keeps it across rounds. */
export interface Finding {
  readonly id: string;
  readonly severity: Severity;
  readonly file?: string;
  readonly line?: number;
  readonly text: string;
}

export type ReviewVerdict = 'approved' | 'needs-changes';

/** Result of one review call. An answer that cannot be parsed is a failure. */
export type ReviewResult =
  | (TurnFacts & {
      readonly ok: true;
      readonly verdict: ReviewVerdict;
      readonly findings: readonly Finding[];
    })
  | (TurnFacts & { readonly ok: false; readonly failure: Failure });

/** Result of one critique call. The `improve` step answers with a new task text. */
export type CritiqueResult =
  | ReviewResult
  | (TurnFacts & { readonly ok: true; readonly body: string });

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
