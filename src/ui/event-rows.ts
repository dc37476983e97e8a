import type { EventLine } from '../web/contract.ts';

export interface EventRow {
  readonly event: EventLine;
  readonly times: number;
  /** Person who caused it, unless its text says so. */
  readonly by: string | undefined;
}

/** Equal events in a row count as one, the newest of them. */
export function eventRows(events: readonly EventLine[]): readonly EventRow[] {
  const rows: EventRow[] = [];
  for (const event of events) {
    const last = rows.at(-1);
    const by = event.by !== undefined && event.text.includes(event.by) ? undefined : event.by;
    if (last === undefined || last.event.text !== event.text) rows.push({ event, times: 1, by });
    else rows[rows.length - 1] = { ...last, times: last.times + 1 };
  }
  return rows;
}
