import type { AttemptRecord, Step } from '../../model/history.ts';
import type { TaskRecord } from '../../model/task-record.ts';
import { tokensOf } from '../../model/turn.ts';
import { explain } from '../explain/explain.ts';
import { findingText } from '../explain/findings.ts';
import { span } from '../format/time.ts';

/** Evidence for and against the newest work of a task, for the person who decides about it. */
export interface Evidence {
  /** Gates and reviews that the work passed. */
  readonly proof: readonly string[];
  /** Unchecked points, and findings against the work. */
  readonly unproven: readonly string[];
}

/** `steps` is the history of the task. */
export function evidenceOf({ task, attempt }: TaskRecord, steps: readonly Step[]): Evidence {
  const proof: string[] = [];
  const unproven: string[] = [];
  const own = steps.filter((step) => step.attempt === attempt?.number);
  const captured = own.findLastIndex(({ what }) => what.type === 'work-captured');
  const gate = own
    .slice(captured + 1)
    .findLast(({ what }) => what.type === 'branch-judged' || what.type === 'gate-skipped')?.what;
  if (gate?.type === 'branch-judged') {
    const { verdict } = gate;
    if (verdict.id === 'passed')
      proof.push(`The gate passed on the branch in ${span(verdict.ms)}.`);
    else unproven.push(explain(verdict.failure, task.id).what);
  } else if (gate?.type === 'gate-skipped') {
    unproven.push(`The gate did not run on the branch: ${gate.reason}.`);
  } else unproven.push('No gate has tested this work yet.');
  const approvals = (attempt?.reviews ?? []).at(-1)?.votes ?? [];
  for (const { reviewer, verdict, findings } of approvals) {
    if (verdict === 'approved') proof.push(`${reviewer} approved it.`);
    else unproven.push(`${reviewer} asks for changes.`);
    unproven.push(...findings.map((finding) => `${reviewer}: ${findingText(finding)}`));
  }
  if (!approvals.some(({ verdict }) => verdict === 'approved')) {
    unproven.push(...task.acceptance.map((text) => `No reviewer checked: ${text}`));
  }
  unproven.push('The gate on the merged tree runs before it lands.');
  return { proof, unproven };
}

/** Tokens, dollars and agent time of an attempt, reviews included. Unknown amounts are absent. */
export function attemptCost({ turns, calls }: AttemptRecord): {
  readonly tokens?: number;
  readonly costUsd?: number;
  readonly ms: number;
} {
  const parts = [...turns, ...calls];
  const used = parts.flatMap(({ end }) => (end?.usage === undefined ? [] : [end.usage]));
  const priced = used.flatMap(({ costUsd }) => (costUsd === undefined ? [] : [costUsd]));
  const sum = (amounts: readonly number[]): number => amounts.reduce((all, one) => all + one, 0);
  return {
    ...(used.length === 0 ? {} : { tokens: sum(used.map(tokensOf)) }),
    ...(priced.length === 0 ? {} : { costUsd: sum(priced) }),
    ms: sum(parts.map(({ startedAt, end }) => Math.max(0, (end?.at ?? startedAt) - startedAt))),
  };
}
