import { limits } from './limits.ts';
import { kindOfWork } from './outcome.ts';
import { passes } from './pipeline.ts';
import type { RunRecord, TaskRecord } from './record.ts';

/**
 * Why a branch need not be judged by itself, or undefined where it should be. The gate of the branch is a filter in front
 * of the train and never a judge: it pays where a red branch would spoil the candidate of others.
 */
export function sparedBecause(
  record: TaskRecord,
  run: RunRecord,
  live: readonly TaskRecord[],
): string | undefined {
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
  const isReviewed = settings.review !== undefined && passes('review', record.task, settings);
  const { good, bad } = run.outcomes[kindOfWork(record)] ?? { good: 0, bad: 0 };
  const chance = (good + 1) / (good + bad + 2);
  if (!isReviewed && chance >= limits.likelyGood)
    return `${good} of ${good + bad} like it were good`;
  // A quick command of its own costs little and tells the agent sooner; and who looks at the work is not to be troubled
  // with what is red.
  if (settings.quickGate === true || isReviewed) return undefined;
  return isIdle(run, live) ? 'the train is idle and judges it at once' : undefined;
}

function isIdle(run: RunRecord, live: readonly TaskRecord[]): boolean {
  if (run.line.length > 0 || run.gates.length > 0) return false;
  return !live.some(({ attempt }) => attempt?.state.id === 'queued');
}
