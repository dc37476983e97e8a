import type { Attempt } from '../../model/attempt.ts';
import { changedFiles } from '../../model/attempt-state.ts';
import type { Failure } from '../../model/failure.ts';
import { filesInTheWay, isInTheWay } from '../../model/in-the-way.ts';
import type { RunRecord } from '../../model/run-record.ts';
import type { Candidate } from '../../model/train-record.ts';

export function landingTrouble({ state }: Candidate, run: RunRecord): Failure | undefined {
  if (state.id === 'waiting') return state.failure;
  return state.id === 'passed' ? run.pausedSteps.land?.failure : undefined;
}

/** Edits of the user that hold back a queued branch, or a green one that changes the same files. */
export function heldBackBy(attempt: Attempt, run: RunRecord | undefined): Failure | undefined {
  const { state } = attempt;
  if (state.id === 'queued' && state.heldBack !== undefined) return state.heldBack.failure;
  const candidates = attempt.run === run?.id ? run.train.candidates : [];
  const waits = candidates.flatMap(({ state: one }) => (one.id === 'waiting' ? one.failure : []));
  return waits.find((failure) => isInTheWay(changedFiles(attempt), filesInTheWay(failure)));
}
