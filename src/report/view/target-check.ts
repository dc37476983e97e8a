import type { TargetCheckReason } from '../../model/failure.ts';
import { unreachable } from '../../model/failure.ts';
import type { RunRecord } from '../../model/run-record.ts';
import { printable } from '../format/printable.ts';

export interface CheckingView {
  readonly reason: TargetCheckReason;
  readonly commit: string;
  readonly since: number;
}

export function checkingView(run: RunRecord, now: number): CheckingView | undefined {
  const { check: checking } = run.target;
  if (checking === undefined) return undefined;
  const { reason, commit, since } = checking;
  return { reason, commit, since: Math.min(since, now) };
}

/** `checking main before the first agent starts` */
export function targetCheckText(reason: TargetCheckReason, branch: string | undefined): string {
  const checking = `checking ${branch === undefined ? 'the target' : printable(branch)}`;
  switch (reason) {
    case 'preflight':
      return `${checking} before the first agent starts`;
    case 'blame':
      return `${checking} before an agent is blamed for a red gate`;
    case 'moved':
      return `${checking}: it was moved during the run`;
    default:
      unreachable(reason);
  }
}
