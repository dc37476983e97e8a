import { workKind } from '../train/candidates.ts';
import { limits } from './limits.ts';
import { passes } from './pipeline.ts';
import type { RunRecord, TaskRecord } from './record.ts';
import { wasReturned } from './returned-work.ts';

/**
 * Why a branch is not judged by itself, or undefined where it is. The branch gate is a filter in front of the merge
 * queue and never decides what lands: it costs a run for each branch, good or bad, while a candidate shares one run
 * among many. So it is off unless something says that this branch is likely red, or that red must be found early.
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
  // The branch's own record counts for more than that of others.
  if (record.attempt !== undefined && wasReturned(record.attempt)) return undefined;
  // A quick gate costs little and tells the agent sooner; a reviewer must not be paid for red work.
  if (settings.quickGate === true) return undefined;
  if (settings.review !== undefined && passes('review', record.task, settings)) return undefined;
  const { good, bad } = run.outcomesByKind[workKind(record)] ?? { good: 0, bad: 0 };
  const isOftenBad = bad >= limits.badBranches && bad / (good + bad) >= limits.badShare;
  if (isOftenBad && hasSpareGate(run)) return undefined;
  return good + bad === 0
    ? 'the merge queue judges it'
    : `${good} of ${good + bad} similar branches passed`;
}

/**
 * True if more than one gate may run at once. With a single one a branch gate only delays the candidate that judges the
 * same work; with several, branch gates run side by side, which candidates that may be red cannot.
 */
function hasSpareGate({ settings }: RunRecord): boolean {
  return (settings.gateSlots ?? 1) > 1;
}
