import type { RunRecord } from '../../model/run-record.ts';
import { counted } from '../format/amount.ts';

/** Tasks whose state could not be written to the place that they were imported from, for one reason. */
export interface UnsyncedView {
  readonly tasks: readonly string[];
  readonly note: string;
}

export function unsyncedViews({
  syncTrouble = {},
}: Pick<RunRecord, 'syncTrouble'>): readonly UnsyncedView[] {
  const byNote = new Map<string, string[]>();
  for (const [id, { note }] of Object.entries(syncTrouble)) {
    byNote.set(note, [...(byNote.get(note) ?? []), id]);
  }
  return [...byNote].map(([note, tasks]) => ({ tasks, note }));
}

/** `state of 2 tasks not written back: bd is not on PATH` */
export function unsyncedText({ tasks, note }: UnsyncedView): string {
  const [only = ''] = tasks;
  const whose = tasks.length === 1 ? only : counted(tasks.length, 'task');
  return `state of ${whose} not written back: ${note}`;
}
