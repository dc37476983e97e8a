import type { CommandOf, Work } from '../model/command.ts';
import type { EventBody } from '../model/event.ts';
import { given } from '../model/given.ts';
import type { ReviewResult } from '../model/review.ts';
import { reviewPrompt } from '../review/prompt.ts';
import { parseReview } from '../review/verdict.ts';
import { giveUp, of, worktreeFailed } from './attempt.ts';
import { attemptDir, type Ports, type RunContext } from './context.ts';
import { baseOfWork } from './inspection.ts';
import { callOnce, factsOf, type OneShotAnswer, ownPrompts, resetWorktree } from './one-shot.ts';
import { tamperingSeen } from './watch.ts';

type Events = readonly EventBody[];

/** Identifies one review call; `again` counts the tries of a reviewer within a round. */
export interface Review {
  readonly round: number;
  readonly reviewer: string;
  readonly again: number;
}

function reviewName({ round, reviewer, again }: Review): string {
  return `review-${round}-${reviewer}${again === 1 ? '' : `-again${again - 1}`}`;
}

/** Runs a reviewer and returns its result. Changes the reviewer made are discarded. */
export async function runReview(
  ports: Ports,
  context: RunContext,
  { work, round, reviewer, again, gatePassed }: CommandOf<'run-review'>,
): Promise<Events> {
  const { task, attempt } = work;
  const review = { round, reviewer, again };
  if (attempt.state.id !== 'reviewing' || attempt.worktree === undefined) return [];
  const { commit } = attempt.state;
  const base = await baseOfWork(ports, context, attempt, commit);
  const patch = base.ok ? await ports.git.diff(base.value, commit) : base;
  const ended = (result: ReviewResult): Events => [
    { type: 'review-ended', ...of(context, work), ...review, result },
  ];
  if (!base.ok) return ended({ ok: false, failure: base.failure });
  if (!patch.ok) return ended({ ok: false, failure: patch.failure });
  const last = attempt.reviews?.find((one) => one.round === round - 1);
  const body = attempt.critique?.body;
  const prompt = reviewPrompt({
    run: context.run,
    task,
    attempt: attempt.number,
    worktree: attempt.worktree.dir,
    target: context.target,
    gate: { commands: context.gate.commands, passed: gatePassed },
    base: base.value,
    commit,
    patch: patch.value,
    ...ownPrompts(context, work, review.reviewer),
    ...given({ body, before: last?.votes.flatMap(({ findings }) => findings) }),
  });
  const { model, reasoning } = attempt.state;
  const answered = await callOnce(ports, context, work, {
    agent: review.reviewer,
    name: reviewName(review),
    round,
    again: review.again,
    prompt,
    ...given({ model, reasoning }),
  });
  const result = resultOf(review.reviewer, answered);
  await writeReview(ports, context, work, review, result, answered);
  const back = await resetWorktree(ports, work, commit);
  if (!back.ok) return giveUp(context, work, worktreeFailed(back.failure));
  return [...tamperingSeen(context, work, attempt.turns, answered.found), ...ended(result)];
}

function resultOf(reviewer: string, answered: OneShotAnswer): ReviewResult {
  const facts = factsOf(answered.facts);
  if (!answered.ok) return { ...facts, ok: false, failure: answered.failure };
  const parsed = parseReview(answered.answer);
  if (parsed.ok) return { ...facts, ok: true, verdict: parsed.verdict, findings: parsed.findings };
  const failure = { kind: 'review-failed', reviewer, cause: parsed.problem } as const;
  return { ...facts, ok: false, failure };
}

/** Writes one file per review call, for people. */
async function writeReview(
  { processes }: Ports,
  context: RunContext,
  { task, attempt }: Work,
  review: Review,
  result: ReviewResult,
  answered: OneShotAnswer,
): Promise<void> {
  const file = `${reviewName(review)}.json`;
  const { changes } = attempt;
  const answer = answered.ok ? answered.answer : '';
  const of = { schema: 1, task: task.id, attempt: attempt.number };
  const text = { ...of, ...review, result, answer, files: changes?.files };
  const dir = attemptDir(context, task.id, attempt);
  await processes.write(dir, file, `${JSON.stringify(text, null, 2)}\n`);
}
