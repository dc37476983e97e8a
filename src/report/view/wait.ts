import type { RunRecord } from '../../model/run-record.ts';
import { waitText } from '../../model/wait.ts';
import { checkAfter } from '../../plan/waits.ts';

/** A condition outside of the project that tasks wait for. */
export interface WaitView {
  readonly wait: string;
  readonly text: string;
  /** Reason why it is not over, from the last check. */
  readonly note?: string;
  /** Time of the last check; absent before the first one, and for a date. */
  readonly checkedAt?: number;
  /** Time of the next check; absent if no run checks it. */
  readonly nextCheckAt?: number;
}

/** `run` is the one that checks the waits, if any. */
export function waitViews(
  waits: readonly string[],
  run: Pick<RunRecord, 'waitWatch'> | undefined,
  isUnderWay: boolean,
): readonly WaitView[] {
  const watch = run?.waitWatch;
  const notes = new Map(watch?.notes.map(({ wait, note }) => [wait, note]));
  return waits.map((wait) => {
    const checked = watch?.waits.includes(wait) === true ? watch : undefined;
    const nextCheckAt = checked !== undefined && isUnderWay ? checkAfter(checked) : undefined;
    return {
      wait,
      text: waitText(wait),
      note: notes.get(wait),
      checkedAt: checked?.askedAt,
      nextCheckAt,
    };
  });
}

/** Text of a wait, with the result of its last check in parentheses. */
export function waitViewText({ text, note }: WaitView): string {
  return note === undefined ? text : `${text} (${note})`;
}
