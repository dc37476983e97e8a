import { shortCommit } from '../format/time.ts';

/** Where a resume has moved the target of a clone that was behind the run. */
interface CaughtUp {
  readonly target: string;
  readonly from: string;
  readonly to: string;
}

export function caughtUpText({ target, from, to }: CaughtUp): string {
  const moved = `Moved it from ${shortCommit(from)} to ${shortCommit(to)}`;
  return `${target} in this clone was behind the run. ${moved}, which contains what landed on another machine.`;
}
