import { Failure } from './failure.ts';
import { Finding } from './finding.ts';
import {
  count,
  either,
  list,
  type ObjectOf,
  type Of,
  object,
  repaired,
  text,
  words,
} from './shape.ts';
import { failedResult, turnFacts } from './turn.ts';

export const ReviewVerdict = words('approved', 'needs-changes');
export type ReviewVerdict = Of<typeof ReviewVerdict>;

const vote = { verdict: ReviewVerdict, findings: list(Finding) };
const better = { body: text };
const chosen = { variant: text, reason: text };

/** Answer to a one-shot call: a verdict with findings, a new task text, or the better variant. */
export type CallAnswer = ObjectOf<typeof vote> | ObjectOf<typeof better> | ObjectOf<typeof chosen>;

/** Result of a one-shot call. An answer that cannot be parsed is a failure. */
export const CallResult = repaired(
  either(
    object({ ok: words(true), ...turnFacts, ...vote }),
    object({ ok: words(true), ...turnFacts, ...better }),
    object({ ok: words(true), ...turnFacts, ...chosen }),
    object({ ok: words(false), ...turnFacts, failure: Failure }),
  ),
  failedResult,
);
export type CallResult = Of<typeof CallResult>;

/** The votes of all reviewers on one commit. */
export const ReviewRound = object({
  round: count,
  commit: text,
  votes: list(object({ reviewer: text, verdict: ReviewVerdict, findings: list(Finding) })),
});
export type ReviewRound = Of<typeof ReviewRound>;

/**
 * Stages of a task, in order. `work` and `land` cannot be left out, and every landing passes the candidate gate. In
 * `tests` an agent writes tests that fail.
 */
export const stages = ['critique', 'tests', 'work', 'gate', 'review', 'land'] as const;
export type Stage = (typeof stages)[number];
