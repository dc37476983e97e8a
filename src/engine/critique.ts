import type { CommandOf } from '../model/command.ts';
import type { EventBody } from '../model/event.ts';
import { given } from '../model/given.ts';
import type { CritiqueResult } from '../model/review.ts';
import { openFindings } from '../plan/fold-review.ts';
import { critiquePrompt, improvePrompt, parseImproved } from '../review/critique.ts';
import { parseReview } from '../review/verdict.ts';
import { giveUp, of, worktreeFailed } from './attempt.ts';
import type { Ports, RunContext } from './context.ts';
import { callOnce, factsOf, type OneShotAnswer, ownPrompts, resetWorktree } from './one-shot.ts';
import { tamperingSeen } from './watch.ts';

type Events = readonly EventBody[];

/** Identifies one call that reviews or rewrites the task text. */
export interface CritiqueStep {
  readonly round: number;
  readonly step: 'critique' | 'improve';
  readonly again: number;
}

function critiqueName({ round, step, again }: CritiqueStep): string {
  return `${step}-${round}${again === 1 ? '' : `-again${again - 1}`}`;
}

/** Runs an agent that reviews or rewrites the task text. */
export async function runCritique(
  ports: Ports,
  context: RunContext,
  { work, ...command }: CommandOf<'run-critique'>,
): Promise<Events> {
  const { task, attempt } = work;
  const step = { round: command.round, step: command.step, again: command.again };
  if (attempt.state.id !== 'critiquing' || attempt.worktree === undefined) return [];
  const { rounds = [], body } = attempt.critique ?? {};
  const about = {
    run: context.run,
    task,
    attempt: attempt.number,
    gate: context.gate.commands,
    ...ownPrompts(context, work, attempt.state.agent),
    ...given({ body }),
  };
  const voted = rounds.filter(({ votes }) => votes.length > 0);
  const findings = openFindings(voted);
  const prompt =
    step.step === 'critique'
      ? critiquePrompt(findings.length === 0 ? about : { ...about, before: findings })
      : improvePrompt({ ...about, findings });
  const { agent, model, reasoning } = attempt.state;
  const answered = await callOnce(ports, context, work, {
    agent,
    name: critiqueName(step),
    round: step.round,
    again: step.again,
    step: step.step,
    prompt,
    ...given({ model, reasoning }),
  });
  const result = resultOf(step, agent, answered);
  const back = await resetWorktree(ports, work, attempt.base ?? '');
  if (!back.ok) return giveUp(context, work, worktreeFailed(back.failure));
  return [
    ...tamperingSeen(context, work, 0, answered.found),
    { type: 'critique-ended', ...of(context, work), ...step, result },
  ];
}

function resultOf(
  { step }: CritiqueStep,
  reviewer: string,
  answered: OneShotAnswer,
): CritiqueResult {
  const facts = factsOf(answered.facts);
  if (!answered.ok) return { ...facts, ok: false, failure: answered.failure };
  const failed = (cause: string): CritiqueResult => ({
    ...facts,
    ok: false,
    failure: { kind: 'review-failed', reviewer, cause },
  });
  if (step === 'improve') {
    const improved = parseImproved(answered.answer);
    return improved.ok ? { ...facts, ok: true, body: improved.body } : failed(improved.problem);
  }
  const review = parseReview(answered.answer);
  if (!review.ok) return failed(review.problem);
  return { ...facts, ok: true, verdict: review.verdict, findings: review.findings };
}
