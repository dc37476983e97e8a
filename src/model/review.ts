import type { TurnFacts } from './attempt.ts';
import type { Failure } from './failure.ts';

/** From what must not land to what may be said in passing. */
export const severities = ['blocker', 'major', 'minor', 'note'] as const;
export type Severity = (typeof severities)[number];

/** One thing that a reviewer found. Its id is the reviewer's own and stays with it over the rounds. */
export interface Finding {
  readonly id: string;
  readonly severity: Severity;
  readonly file?: string;
  readonly line?: number;
  readonly text: string;
}

export type ReviewVerdict = 'approved' | 'needs-changes';

/** What became of one reviewer's look at one piece of work. Whoever said nothing that can be understood failed. */
export type ReviewResult =
  | (TurnFacts & {
      readonly ok: true;
      readonly verdict: ReviewVerdict;
      readonly findings: readonly Finding[];
    })
  | (TurnFacts & { readonly ok: false; readonly failure: Failure });

/** The same for what a task asks for; whoever improves it answers with new words for the task. */
export type CritiqueResult =
  | ReviewResult
  | (TurnFacts & { readonly ok: true; readonly body: string });

/** One round: what all reviewers together said about one state of the work. */
export interface ReviewRound {
  readonly round: number;
  readonly commit: string;
  readonly votes: readonly {
    readonly reviewer: string;
    readonly verdict: ReviewVerdict;
    readonly findings: readonly Finding[];
  }[];
}

/** Stages a task passes, in this order. `work` and `land` are never left out; what lands is always judged. */
export const stages = ['critique', 'work', 'gate', 'review', 'land'] as const;
export type Stage = (typeof stages)[number];
