import type { Attempt } from '../model/attempt.ts';
import { withoutCall } from '../model/attempt-state.ts';
import type { Call, CallKind } from '../model/call.ts';
import type { Work } from '../model/command.ts';
import { ok, type Result } from '../model/failure.ts';
import type { CallAnswer } from '../model/review.ts';
import { openFindings } from '../plan/fold-review.ts';
import { isFinished } from '../plan/fold-variants.ts';
import { templateTexts } from '../prompt/prompt.ts';
import { type ComparedVariant, choicePrompt, parseChoice } from '../review/choice.ts';
import { critiquePrompt, improvePrompt, parseImproved } from '../review/critique.ts';
import { reviewPrompt } from '../review/prompt.ts';
import { parseReview } from '../review/verdict.ts';
import type { Ports, RunContext } from './context.ts';
import { baseOfWork } from './inspection.ts';

/** Differences between the kinds of one-shot calls while they run. */
interface CallKindSpec {
  promptFor(ports: Ports, context: RunContext, work: Work, call: Call): Promise<Result<string>>;
  answerOf(
    text: string,
  ): ({ readonly ok: true } & CallAnswer) | { readonly ok: false; readonly problem: string };
  /** Commit to which the worktree is reset afterwards. */
  commitOf(attempt: Attempt): string;
}

const baseOf = ({ worktree }: Attempt): string => worktree?.base ?? '';

function commitOfWork({ state }: Attempt): string {
  const waiting = withoutCall(state);
  return waiting.id === 'unreviewed' || waiting.id === 'finished' ? waiting.commit : '';
}

export const callKinds: Readonly<Record<CallKind, CallKindSpec>> = {
  review: {
    promptFor: promptForReview,
    answerOf: parseReview,
    commitOf: commitOfWork,
  },
  critique: { promptFor: promptForCritique, answerOf: parseReview, commitOf: baseOf },
  improve: { promptFor: promptForImprove, answerOf: parseImproved, commitOf: baseOf },
  choose: { promptFor: promptForChoice, answerOf: parseChoice, commitOf: commitOfWork },
};

/** Prompt input of all kinds: the task, and the user's prompt files for the agent. */
function commonInput(context: RunContext, { task, attempt }: Work, { agent }: Call) {
  const { run, target } = context;
  const gate = context.gate.commands;
  const of = { run, task, attempt: attempt.number, body: attempt.critique.body };
  const own = templateTexts({
    ...of,
    templates: context.templates(agent, 'review'),
    project: context.project.name,
    target,
    gate,
    agent,
    worktree: attempt.worktree?.dir ?? '',
  });
  return { ...of, gate, ...(own.length === 0 ? {} : { own }) };
}

async function promptForReview(
  ports: Ports,
  context: RunContext,
  work: Work,
  call: Call,
): Promise<Result<string>> {
  const { attempt } = work;
  const { worktree, captured, reviews } = attempt;
  const commit = commitOfWork(attempt);
  const base = await baseOfWork(ports, context, attempt, commit);
  const patch = await ports.git.diff(base, commit);
  const last = reviews.find(({ round }) => round === call.round - 1);
  return ok(
    reviewPrompt({
      ...commonInput(context, work, call),
      worktree: worktree?.dir ?? '',
      target: context.target,
      gate: { commands: context.gate.commands, passed: captured?.judged === true },
      base,
      commit,
      patch,
      before: last?.votes.flatMap(({ findings }) => findings),
    }),
  );
}

async function promptForCritique(
  _ports: Ports,
  context: RunContext,
  work: Work,
  call: Call,
): Promise<Result<string>> {
  const before = criticFindings(work);
  const input = commonInput(context, work, call);
  return ok(critiquePrompt(before.length === 0 ? input : { ...input, before }));
}

async function promptForImprove(
  _ports: Ports,
  context: RunContext,
  work: Work,
  call: Call,
): Promise<Result<string>> {
  return ok(improvePrompt({ ...commonInput(context, work, call), findings: criticFindings(work) }));
}

/** All variants that are finished by now are compared, each with its own base. */
async function promptForChoice(
  ports: Ports,
  context: RunContext,
  work: Work,
  call: Call,
): Promise<Result<string>> {
  const original = await ports.store.task(work.task.variantOf ?? '');
  if (!original.ok) return original;
  const variants: ComparedVariant[] = [];
  for (const id of original.value?.variants?.ids ?? []) {
    const record = await ports.store.task(id);
    if (!record.ok) return record;
    const attempt = record.value?.attempt;
    if (record.value === undefined || attempt === undefined || !isFinished(record.value)) continue;
    const commit = commitOfWork(attempt);
    const base = await baseOfWork(ports, context, attempt, commit);
    const patch = await ports.git.diff(base, commit);
    const passed = attempt.captured?.judged === true;
    variants.push({ id, base, commit, patch, passed });
  }
  return ok(choicePrompt({ ...commonInput(context, work, call), variants }));
}

/** Findings of the last critique. */
function criticFindings({ attempt }: Work) {
  return openFindings(attempt.critique.rounds.filter(({ votes }) => votes.length > 0));
}
