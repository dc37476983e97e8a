import { fold } from '../plan/fold.ts';
import { limits } from '../plan/limits.ts';
import type { Database } from './driver.ts';
import { isKnown } from './known.ts';
import { MemoryRecords } from './memory-records.ts';
import { eventOf, Tables } from './tables.ts';

/**
 * Makes the records of all tasks and runs again from the log. Verdicts, claims and edges are as they were: no version ever
 * kept anything else in them.
 */
export function refold(db: Database): void {
  const byLog = new MemoryRecords();
  const page = db.prepare(
    'SELECT seq, at, version, body FROM event WHERE seq > ? ORDER BY seq LIMIT ?',
  );
  for (let last = 0; ; ) {
    const events = page.all(last, limits.eventPage).map(eventOf);
    for (const event of events) if (isKnown(event)) fold(byLog, event);
    const newest = events.at(-1)?.seq;
    if (newest === undefined) break;
    last = newest;
  }
  const tables = new Tables(db);
  for (const record of byLog.tasks.values()) tables.putTask(record);
  for (const record of byLog.runs.values()) tables.putRun(record);
}
