import { given } from '../../model/given.ts';
import type { RunRecord } from '../../model/run-record.ts';
import { waitText } from '../../model/wait.ts';

/** A condition outside of the project that tasks wait for. */
export interface WaitView {
  /** As a plan file has it. */
  readonly wait: string;
  /** Completes the sentence "it waits for …". */
  readonly text: string;
  /** Reason why it is not over, from the last check. */
  readonly note?: string;
}

/** `run` is the one that checks the waits, if any. */
export function waitViews(
  waits: readonly string[],
  run: Pick<RunRecord, 'waitWatch'> | undefined,
): readonly WaitView[] {
  const notes = new Map(run?.waitWatch?.notes.map(({ wait, note }) => [wait, note]));
  return waits.map((wait) => ({ wait, text: waitText(wait), ...given({ note: notes.get(wait) }) }));
}

/** Text of a wait, with the result of its last check in parentheses. */
export function waitViewText({ text, note }: WaitView): string {
  return note === undefined ? text : `${text} (${note})`;
}
