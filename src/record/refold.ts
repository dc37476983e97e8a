import { fold } from '../plan/fold.ts';
import { Draft, type Loaded } from './draft.ts';
import type { Database } from './driver.ts';
import { eventOf, Tables } from './tables.ts';

const folded = [
  'task',
  'edge',
  'run',
  'verdict',
  'attempt',
  'attempt_run',
  'step',
  'queue_step',
  'run_history',
];

const nothing: Loaded = { tasks: [], children: [], runs: [], runHistories: [], attempts: [] };

/** Folds the whole log again, into empty tables. The caller opens the transaction. */
export function refold(db: Database): void {
  const tables = new Tables(db);
  const draft = new Draft(tables.counters(), () => nothing);
  const events = db.prepare('SELECT seq, at, version, body FROM event ORDER BY seq').all();
  for (const row of events) fold(draft, eventOf(row));
  for (const name of folded) db.exec(`DELETE FROM ${name}`);
  tables.write(draft.changes());
}
