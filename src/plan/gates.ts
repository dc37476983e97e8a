import { limits } from '../model/limits.ts';
import type { RunRecord } from '../model/run-record.ts';
import type { TaskRecord } from '../model/task-record.ts';
import { workKind } from '../train/candidates.ts';
import { passes } from './pipeline.ts';
import { wasReturned } from './returned-work.ts';

/** A branch that waits for a gate slot. */
export interface BranchToJudge {
  readonly id: string;
  readonly attempt: number;
  readonly tree: string;
  readonly since: number;
}

/** Branches that wait for a gate slot, longest wait first. */
export function branchesToJudge(
  run: RunRecord,
  live: readonly TaskRecord[],
): readonly BranchToJudge[] {
  const found: BranchToJudge[] = [];
  for (const record of live) {
    const { attempt, task } = record;
    if (attempt?.state.id !== 'gating' || attempt.state.gate !== undefined) continue;
    if (branchGateSkipReason(record, run) !== undefined) continue;
    const { tree, since } = attempt.state;
    found.push({ id: task.id, attempt: attempt.number, tree, since });
  }
  return found.sort((a, b) => a.since - b.since);
}

/**
 * Reason to skip the gate on a branch; undefined if it runs. The branch gate only filters what enters the merge queue and
 * never decides what lands. It costs a run per branch, while a candidate shares one run among many, so `auto` runs it
 * only if the branch is likely red or red must be found early.
 */
export function branchGateSkipReason(record: TaskRecord, run: RunRecord): string | undefined {
  const { settings } = run;
  if (!passes('gate', record.task, settings)) return `tasks of type ${record.task.type} skip it`;
  switch (settings.branchGate ?? 'always') {
    case 'always':
      return undefined;
    case 'never':
      return 'gate.branch is never';
    case 'auto':
      break;
  }
  // A branch that was returned before is likely to fail again.
  if (record.attempt !== undefined && wasReturned(record.attempt)) return undefined;
  // A quick gate is cheap, and red work must not cost a review.
  if (settings.quickGate === true) return undefined;
  if (settings.review !== undefined && passes('review', record.task, settings)) return undefined;
  const { good, bad } = run.train.outcomesByKind[workKind(record)] ?? { good: 0, bad: 0 };
  const isOftenBad = bad >= limits.badBranches && bad / (good + bad) >= limits.badShare;
  if (isOftenBad && hasSpareGate(run)) return undefined;
  return good + bad === 0
    ? 'the merge queue judges it'
    : `${good} of ${good + bad} similar branches passed`;
}

/** True if several gates may run at once. With a single one, a branch gate only delays the candidate of the same work. */
function hasSpareGate({ settings }: RunRecord): boolean {
  return (settings.gateSlots ?? 1) > 1;
}
