import type { Attempt } from '../model/attempt.ts';
import type { Call, CallKind } from '../model/call.ts';
import { troubleOf } from '../model/fault.ts';
import { limits } from '../model/limits.ts';
import type { CallResult } from '../model/review.ts';
import type { RunRecord } from '../model/run-record.ts';
import type { TaskRecord } from '../model/task-record.ts';
import { pauseAccount, unpauseAccount } from './accounts.ts';
import { endCritique, endImprove, nextCritique } from './fold-critique.ts';
import { endReview, nextReview, withRound } from './fold-review.ts';
import { endChoice } from './fold-variants.ts';
import {
  type AttemptEventOf,
  changeRun,
  type EndedCall,
  type LiveAttempt,
} from './live-attempt.ts';
import { agentStep, pauseStep, resumeStep } from './paused-steps.ts';
import { withStartAt } from './spawn-rate.ts';
import { spend, withStarts } from './spend.ts';

/* Folds the events of one-shot calls. When one is needed and what its answer means depends on its kind. */

const endings: Readonly<Record<CallKind, (ended: EndedCall) => void>> = {
  review: endReview,
  critique: endCritique,
  improve: endImprove,
  choose: endChoice,
};

export function nextCall(record: TaskRecord, attempt: Attempt, run: RunRecord): Call | undefined {
  const { state } = attempt;
  switch (state.id) {
    case 'prepared':
      return nextCritique(record, attempt, run);
    case 'unreviewed':
      return nextReview(attempt, run, state.commit);
    default:
      return undefined;
  }
}

export function startCall(
  live: LiveAttempt,
  { run: id, call, slot, model, reasoning, at: since }: AttemptEventOf<'call-started'>,
): void {
  const { records, record, attempt } = live;
  const { state: from } = attempt;
  if (from.id !== 'prepared' && from.id !== 'unreviewed' && from.id !== 'finished') return;
  // A kind that only a newer version knows.
  if (!(call.kind in endings)) return;
  const state = { id: 'calling', slot, since, call, from, model, reasoning } as const;
  records.putTask({ ...record, attempt: { ...withRound(attempt, call), state } });
  changeRun(records, id, (run) => withStartAt(withStarts(run, 1), since));
}

export function endCall(
  live: LiveAttempt,
  { run: id, call, result, at }: AttemptEventOf<'call-ended'>,
): void {
  const { records, attempt } = live;
  const { state } = attempt;
  if (state.id !== 'calling' || !isSame(state.call, call)) return;
  const step = agentStep(live.record.task.id, attempt.number);
  changeRun(records, id, (run) => account(run, call, step, result, at));
  const settings = records.run(id)?.settings;
  endings[call.kind]({ ...live, state, call, result, at, settings });
}

function isSame(a: Call, b: Call): boolean {
  return a.kind === b.kind && a.round === b.round && a.agent === b.agent && a.again === b.again;
}

/** Accounts the usage of a call, and whether the account of its agent may be used. */
function account(
  run: RunRecord,
  { agent }: Call,
  step: string,
  result: CallResult,
  at: number,
): RunRecord {
  const paid = spend(run, result.usage);
  if (!result.ok && troubleOf(result.failure) === 'retry') {
    return withStarts(pauseStep(paid, step, result.failure, at, limits.hiccupMs), -1);
  }
  const spent = resumeStep(paid, step);
  if (result.ok) return unpauseAccount(spent, agent, at);
  const trouble = troubleOf(result.failure);
  if (trouble !== 'pause' && trouble !== 'hold') return spent;
  // A start that was refused does not count.
  return withStarts(pauseAccount(spent, agent, result.failure, at), -1);
}
