import { lockOf, sharedLease } from '../../model/lease.ts';
import type { LeasedRun } from '../../model/run-record.ts';
import { Holder } from '../../port/store.ts';
import type { Row } from '../driver.ts';
import { lastEventColumn, leased, rowOf } from '../stored.ts';
import { statements } from './session.ts';

const TASK = 'SELECT id, record, task FROM task';
/** Time of the server, by which the leases of all machines end. */
const NOW = '(extract(epoch FROM clock_timestamp()) * 1000)::bigint AS now';
export const RUN = `SELECT run.id, run.record, lock.owner, ${NOW}, ${lastEventColumn} FROM run
  LEFT JOIN lock ON lock.name = 'run ' || run.id`;
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

  holder: `SELECT (SELECT owner FROM lock WHERE name = $1::text) AS owner, ${NOW}`,
  set_holder: `INSERT INTO lock (name, owner) VALUES ($1::text, $2::text)
    ON CONFLICT (name) DO UPDATE SET owner = excluded.owner`,
  // Of this owner, whatever the end of its lease.
  beat: 'UPDATE lock SET owner = $2::text || $3::text WHERE name = $1::text AND starts_with(owner, $2::text) RETURNING name',
  drop_holder: 'DELETE FROM lock WHERE name = $1::text',
  // Never shortens a claim.
  renew_claims:
    'UPDATE claim SET lease_until = greatest(lease_until, $1::bigint) WHERE run = $2::text',
  mark: "INSERT INTO meta (name, value) VALUES ('moved', $1::text)",
  // The first repository that uses a store keeps it.
  set_roots:
    "INSERT INTO meta (name, value) VALUES ('roots', $1::text) ON CONFLICT (name) DO NOTHING",
  unmark: "DELETE FROM meta WHERE name = 'moved'",
  // All writers wait for each other.
  write_lock: 'SELECT pg_advisory_xact_lock($1::int, $2::int)',
  transaction: 'SELECT pg_xact_status($1::text::xid8) AS state',
});

/** The holder of a lock, in a row that has one and the time of the server. Its lease ends by the clock of this machine. */
export function holderOf(name: string, [row]: readonly Row[]): Holder | undefined {
  if (typeof row?.owner !== 'string') return undefined;
  const holder = rowOf(Holder, row.owner, `The lock ${name}`);
  return { ...holder, until: holder.until - aheadOf(row) };
}

let ahead = 0;

/**
 * By how much the clock of the server is ahead of that of this machine. It changes only by more than a second, so that a
 * lease that is read twice ends at the same time.
 */
export function aheadOf({ now }: Row): number {
  const measured = Number(now) - Date.now();
  if (Math.abs(measured - ahead) > 1_000) ahead = measured;
  return ahead;
}

/** Reads a row of `RUN`. */
export function leasedRun(row: Row): LeasedRun {
  const until = holderOf(lockOf(String(row.id)), [row])?.until;
  return leased(row, until, sharedLease.ms);
}
