import type { TaskRecord } from './record.ts';

/** Work of one agent on one type of task comes out alike: what was seen of it says something about the next. */
export function workKind(record: TaskRecord | undefined): string {
  return `${record?.attempt?.agent ?? ''} ${record?.task.type ?? ''}`;
}
