import type { EventBody } from '../model/event.ts';
import type { ReviewResult } from '../model/review.ts';
import { passes } from '../plan/pipeline.ts';
import type { State } from '../plan/state.ts';
import { reviewPrompt } from '../review/prompt.ts';
import { parseReview } from '../review/verdict.ts';
import { giveUp, of, type Work, worktreeFailed } from './attempt.ts';
import { attemptDir, type Ports, type Yard } from './context.ts';
import { baseOfWork } from './inspection.ts';
import { factsOf, type Looked, look, ownPrompts, putBack } from './one-shot.ts';

type Events = readonly EventBody[];

/** Which look at the work: the round, who looks, and which try of theirs it is. */
export interface Review {
  readonly round: number;
  readonly reviewer: string;
  readonly again: number;
}

function reviewName({ round, reviewer, again }: Review): string {
  return `review-${round}-${reviewer}${again === 1 ? '' : `-again${again - 1}`}`;
}

/** Has a reviewer look at the work, and says what came of it. What a reviewer changed is taken away again. */
export async function runReview(
  ports: Ports,
  yard: Yard,
  state: State,
  work: Work,
  review: Review,
): Promise<Events> {
  const { task, attempt } = work;
  if (attempt.state.id !== 'reviewing' || attempt.worktree === undefined) return [];
  const { commit, round } = attempt.state;
  const base = await baseOfWork(ports, yard, attempt, commit);
  const patch = base.ok ? await ports.git.diff(base.value, commit) : base;
  const ended = (result: ReviewResult): Events => [
    { type: 'review-ended', ...of(yard, work), ...review, result },
  ];
  if (!base.ok) return ended({ ok: false, failure: base.failure });
  if (!patch.ok) return ended({ ok: false, failure: patch.failure });
  const before = attempt.reviews?.find((one) => one.round === round - 1);
  const settings = state.run(yard.run)?.settings;
  const judged = settings !== undefined && passes('gate', task, settings);
  const body = attempt.critique?.body;
  const prompt = reviewPrompt({
    run: yard.run,
    task,
    attempt: attempt.number,
    worktree: attempt.worktree.dir,
    target: yard.target,
    gate: { commands: yard.gate.commands, passed: judged && attempt.spared !== true },
    base: base.value,
    commit,
    patch: patch.value,
    ...ownPrompts(yard, work, review.reviewer),
    ...(body === undefined ? {} : { body }),
    ...(before === undefined ? {} : { before: before.votes.flatMap(({ findings }) => findings) }),
  });
  const { model, reasoning } = attempt.state;
  const looked = await look(ports, yard, state, work, {
    agent: review.reviewer,
    name: reviewName(review),
    round,
    again: review.again,
    prompt,
    ...(model === undefined ? {} : { model }),
    ...(reasoning === undefined ? {} : { reasoning }),
  });
  const result = resultOf(review.reviewer, looked);
  await writeReview(ports, yard, work, review, result, looked);
  const back = await putBack(ports, work, commit);
  if (!back.ok) return giveUp(yard, work, worktreeFailed(back.failure));
  const { found } = looked;
  const turn = attempt.turns;
  const seen: Events =
    found.length === 0 ? [] : [{ type: 'trespass-seen', ...of(yard, work), turn, found }];
  return [...seen, ...ended(result)];
}

function resultOf(reviewer: string, looked: Looked): ReviewResult {
  const facts = factsOf(looked.facts);
  if (!looked.ok) return { ...facts, ok: false, failure: looked.failure };
  const said = parseReview(looked.answer);
  if (said.ok) return { ...facts, ok: true, verdict: said.verdict, findings: said.findings };
  const failure = { kind: 'review-failed', reviewer, cause: said.problem } as const;
  return { ...facts, ok: false, failure };
}

/** One file for each look, for people. */
async function writeReview(
  { processes }: Ports,
  yard: Yard,
  { task, attempt }: Work,
  review: Review,
  result: ReviewResult,
  looked: Looked,
): Promise<void> {
  const file = `${reviewName(review)}.json`;
  const { changes } = attempt;
  const answer = looked.ok ? looked.answer : '';
  const text = { schema: 1, task: task.id, attempt: attempt.number, ...review, result, answer };
  const files = changes === undefined ? {} : { files: changes.files };
  const dir = attemptDir(yard, task.id, attempt);
  await processes.write(dir, file, `${JSON.stringify({ ...text, ...files }, null, 2)}\n`);
}
