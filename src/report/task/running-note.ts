import type { AttemptRecord } from '../../model/history.ts';

/** Shown with the output of a turn that was running at the past moment. */
export const runningNote =
  'The agent was running at this moment. The time of each line is not known, so this is all of its output.';

/** True if this turn had started and not ended; without a number, the newest turn. */
export function isRunning(
  attempt: Pick<AttemptRecord, 'turns'> | undefined,
  turn = attempt?.turns.at(-1)?.turn,
): boolean {
  return attempt?.turns.some((one) => one.turn === turn && one.end === undefined) ?? false;
}
