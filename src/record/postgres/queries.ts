import { lockOf } from '../../model/lease.ts';
import type { LeasedRun } from '../../model/run-record.ts';
import { Holder } from '../../port/store.ts';
import type { Row } from '../driver.ts';
import { leasedRunOf, rowOf } from '../stored.ts';
import { statements } from './session.ts';

const TASK = 'SELECT id, record, task FROM task';
/** A run with the holder of its lock. */
export const RUN =
  "SELECT run.id, run.record, lock.owner FROM run LEFT JOIN lock ON lock.name = 'run ' || run.id";
const EVENT = 'SELECT seq, at, version, body FROM event';

/** Statements of a store, except those of `tables.ts` for its transactions and of `status.ts`. */
export const queries = statements('query', {
  last_seq: 'SELECT max(seq) AS seq FROM event',
  events: `${EVENT} WHERE seq > $1::bigint ORDER BY seq LIMIT $2::bigint`,
  events_of_run: `${EVENT} WHERE seq > $1::bigint AND run = $3::text ORDER BY seq LIMIT $2::bigint`,
  flakes: `${EVENT} WHERE type = 'check-flaked' AND at >= $1::bigint ORDER BY at, seq`,
  notes: `${EVENT} WHERE type IN ('note-added', 'note-removed') AND at <= $1::bigint ORDER BY seq`,

  task: `${TASK} WHERE id = $1::text`,
  tasks: `${TASK} ORDER BY ord`,
  tasks_in: `${TASK} WHERE state = ANY ($1::text[]) ORDER BY ord`,
  live: `${TASK} WHERE live = 1 ORDER BY ord`,
  run: `${RUN} WHERE run.id = $1::text`,
  runs: `${RUN} ORDER BY started_at DESC, number DESC LIMIT $1::bigint`,
  verdict: 'SELECT body FROM verdict WHERE tree = $1::text AND gate = $2::text',

  attempts_of_task: 'SELECT record FROM attempt WHERE task = $1::text ORDER BY id',
  attempts_of_run: `SELECT attempt.record FROM attempt_run JOIN attempt ON attempt.id = attempt_run.attempt
    WHERE attempt_run.run = $1::text ORDER BY attempt.id`,
  live_attempts: 'SELECT record FROM attempt WHERE live = 1 ORDER BY id',
  newest_attempts: `SELECT record FROM (SELECT id, record FROM attempt ORDER BY id DESC LIMIT $1::bigint) AS newest
    ORDER BY id`,
  steps: 'SELECT body FROM step WHERE task = $1::text ORDER BY id',
  run_history: 'SELECT record FROM run_history WHERE run = $1::text',
  queue_steps: 'SELECT body FROM queue_step WHERE run = $1::text ORDER BY id',

  holder: 'SELECT owner FROM lock WHERE name = $1::text',
  set_holder: `INSERT INTO lock (name, owner) VALUES ($1::text, $2::text)
    ON CONFLICT (name) DO UPDATE SET owner = excluded.owner`,
  drop_holder: 'DELETE FROM lock WHERE name = $1::text',
  // Never shortens a claim.
  renew_claims:
    'UPDATE claim SET lease_until = greatest(lease_until, $1::bigint) WHERE run = $2::text',
  mark: "INSERT INTO meta (name, value) VALUES ('moved', $1::text)",
  unmark: "DELETE FROM meta WHERE name = 'moved'",
  transaction: 'SELECT pg_xact_status($1::text::xid8) AS state',
});

export function holderOf(name: string, [row]: readonly Row[]): Holder | undefined {
  return row === undefined ? undefined : rowOf(Holder, row.owner, `The lock ${name}`);
}

/** Reads a row of `RUN`. */
export function leasedRun(row: Row): LeasedRun {
  const { owner, id } = row;
  const holder = typeof owner === 'string' ? holderOf(lockOf(String(id)), [row]) : undefined;
  return leasedRunOf({ ...row, lease: holder?.until ?? null });
}
