import { unreachable } from '../../model/failure.ts';
import type { DropReason } from '../../model/train-record.ts';
import { shortCommit } from '../format/time.ts';

/** Why a candidate was dropped, so that its branches queue again. */
export function dropReasonText(reason: DropReason): string {
  switch (reason.id) {
    case 'target-moved':
      return `the target moved to ${shortCommit(reason.to)}`;
    case 'commit-missing':
      return 'only another machine has its commit';
    case 'unproven':
      return 'no gate of this project has judged it';
    case 'unwanted':
      return 'one of its tasks is no longer wanted';
    default:
      return unreachable(reason);
  }
}

interface DroppedLanding {
  readonly target: string;
  readonly commit: string;
  /** True if another clone has landed the work. */
  readonly behind?: boolean;
}

/** How the target of this clone lacks work that has landed. */
export function droppedLandingText({ target, commit, behind }: DroppedLanding): string {
  const landed = shortCommit(commit);
  return behind === true
    ? `${target} of a clone does not contain ${landed}, which another clone has landed`
    : `${target} no longer contains ${landed}, with which it had landed`;
}
