import type { Attempt } from '../model/attempt.ts';
import type { Call, CallKind } from '../model/call.ts';
import type { AttemptEvent } from '../model/event.ts';
import { given } from '../model/given.ts';
import type { Records } from '../model/records.ts';
import type { CallResult } from '../model/review.ts';
import type { RunRecord } from '../model/run-record.ts';
import type { TaskRecord } from '../model/task-record.ts';
import { troubleOf } from '../model/trouble.ts';
import { pauseAccount, unpauseAccount } from './accounts.ts';
import type { EndedCall } from './ended-call.ts';
import { endCritique, endImprove, nextCritique } from './fold-critique.ts';
import { endReview, nextReview, withRound } from './fold-review.ts';
import { spend, withStarts } from './spend.ts';

/* Folds the events of one-shot calls. When one is needed and what its answer means depends on its kind. */

const endings: Readonly<Record<CallKind, (ended: EndedCall) => void>> = {
  review: endReview,
  critique: endCritique,
  improve: endImprove,
};

/** The call that an attempt needs next, if any. */
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

type Of<Type extends AttemptEvent['type']> = Extract<AttemptEvent, { type: Type }> & {
  readonly at: number;
};

export function startCall(
  records: Records,
  record: TaskRecord,
  attempt: Attempt,
  { run: id, call, slot, model, reasoning, at: since }: Of<'call-started'>,
): void {
  const { state: from } = attempt;
  if (from.id !== 'prepared' && from.id !== 'unreviewed') return;
  // A kind that only a newer version knows.
  if (!(call.kind in endings)) return;
  const state = { id: 'calling', slot, since, call, from, ...given({ model, reasoning }) } as const;
  records.putTask({ ...record, attempt: { ...withRound(attempt, call), state } });
  const run = records.run(id);
  if (run !== undefined) records.putRun(withStarts(run, 1));
}

export function endCall(
  records: Records,
  record: TaskRecord,
  attempt: Attempt,
  { run: id, call, result, at }: Of<'call-ended'>,
): void {
  const { state } = attempt;
  if (state.id !== 'calling' || !isSame(state.call, call)) return;
  const run = records.run(id);
  if (run !== undefined) records.putRun(account(run, call, result, at));
  const settings = run?.settings;
  endings[call.kind]({ records, record, attempt, state, call, result, run: id, at, settings });
}

function isSame(a: Call, b: Call): boolean {
  return a.kind === b.kind && a.round === b.round && a.agent === b.agent && a.again === b.again;
}

/** Accounts the usage of a call, and whether the account of its agent may be used. */
function account(run: RunRecord, { agent }: Call, result: CallResult, at: number): RunRecord {
  const spent = spend(run, result.usage);
  if (result.ok) return unpauseAccount(spent, agent, at);
  const trouble = troubleOf(result.failure);
  if (trouble !== 'pause' && trouble !== 'hold') return spent;
  // A start that was refused does not count.
  return withStarts(pauseAccount(spent, agent, result.failure, at), -1);
}
