import { setTimeout as sleep } from 'node:timers/promises';
import type { Event } from '../../model/event.ts';
import { fail, ok, type Result } from '../../model/failure.ts';
import { lockOf } from '../../model/lease.ts';
import { limits } from '../../model/limits.ts';
import type { RunId } from '../../model/run.ts';
import type { ClaimRequest, Holder } from '../../port/store.ts';
import { type Draft, foldLoaded, type Loaded } from '../draft.ts';
import type { Row } from '../driver.ts';
import { Keys } from '../keys.ts';
import { takenOver } from '../ledger.ts';
import { runRecordOf } from '../stored.ts';
import { holderOf, queries } from './queries.ts';
import { type Call, type Session, statements } from './session.ts';
import {
  attemptRow,
  type Beginning,
  beginningOf,
  columnsOf,
  eventRow,
  FENCE,
  loadedTask,
  TRANSACTION,
} from './tables.ts';
import { codeOf } from './trouble.ts';

/** Records that a claim reads: the task, its claim, the run, and the run's lock. */
const RECORDS = `(SELECT 1) AS one LEFT JOIN task ON task.id = $1::text LEFT JOIN claim ON claim.task = $1::text
  LEFT JOIN run ON run.id = $2::text LEFT JOIN lock ON lock.name = $3::text LEFT JOIN meta ON meta.name = 'moved'`;
/** While this text is the same, so are the records. */
const VERSIONS = `concat_ws(' ', ${['task', 'claim', 'run', 'lock', 'meta']
  .map((table) => `'${table} ' || ${table}.xmin::text`)
  .join(', ')})`;

const sql = statements('claim', {
  read: `SELECT ${FENCE}, ${TRANSACTION}, meta.value AS moved, ${VERSIONS} AS versions, task.id, task.record, task.task,
      claim.run, claim.fence AS claim_fence, claim.lease_until, run.record AS run_record, lock.owner FROM ${RECORDS}`,
  // An error of the first part ends the transaction before anything is written.
  write: `WITH seen AS MATERIALIZED (
      SELECT (CASE WHEN ${VERSIONS} = $4::text THEN '1' ELSE 'changed meanwhile, claimed again' END)::int AS same
      FROM ${RECORDS}
    ), entered AS (
      INSERT INTO event (seq, at, version, run, type, body)
      SELECT coalesce((SELECT max(seq) FROM event), 0) + 1, $6::bigint, $7::int, $2::text, $8::text, $9::text FROM seen
      WHERE same = 1
      RETURNING seq
    ), changed AS (
      UPDATE task SET state = $10::text, blockers = $11::int, live = $12::int, stuck = $13::int, cause = $14::text,
        record = $15::text
      FROM seen WHERE id = $1::text AND same = 1
    ), begun AS (
      INSERT INTO attempt (task, number, live, record) SELECT $1::text, $5::int, $16::int, $17::text FROM seen
      WHERE same = 1 RETURNING id
    ), begun_in AS (
      INSERT INTO attempt_run (run, attempt) SELECT $2::text, id FROM begun
    ), told AS (
      INSERT INTO step (task, body) SELECT $1::text, $18::text FROM seen WHERE same = 1
    ), claimed AS (
      INSERT INTO claim (task, run, fence, lease_until) SELECT $1::text, $2::text, $19::bigint, $20::bigint FROM seen
      WHERE same = 1
      ON CONFLICT (task) DO UPDATE SET run = excluded.run, fence = excluded.fence, lease_until = excluded.lease_until
    )
    SELECT seq, pg_notify($21::text, seq::text)::text FROM entered`,
  find_event: 'SELECT max(seq) AS seq FROM event WHERE run = $1::text AND body = $2::text',
});
/** Codes of the error above, and of an attempt that is there already. */
const changed = new Set(['22P02', '23505']);

interface QuickClaim {
  readonly request: ClaimRequest;
  readonly rules: (draft: Draft) => Result<Event>;
  /** Takes the lock of all writers. */
  readonly lock: Call;
  readonly channel: string;
  /** Address of the store without secrets. */
  readonly shown: string;
  /** Holder of the run's lock, if this process took it. */
  readonly held: () => Holder | undefined;
}

/**
 * Claims a task in two round trips, of which only the second holds the lock of all writers: it compares the versions of
 * the records that the first one read, and writes. Returns undefined if one of them has changed, or if the fold needs
 * other records; then nothing is written. Call it again after a lost answer: the database knows what became of it.
 */
export function quickClaim({ request, rules, lock, channel, shown, held }: QuickClaim) {
  const { id, run, attempt } = request;
  const keys = new Keys()
    .add('tasks', id)
    .add('runs', run)
    .add('runHistories', run)
    .addAttempt(id, attempt);
  const named = [id, run, lockOf(run)] as const;
  let sent: { readonly transaction: string; readonly event: Event } | undefined;
  return async (session: Session): Promise<Result<Event> | undefined> => {
    if (sent !== undefined && (await wasCommitted(session, sent.transaction))) {
      const [[row] = []] = await session.batch([[sql.find_event, run, eventRow(sent.event)[5]]]);
      return ok({ ...sent.event, seq: Number(row?.seq) });
    }
    const [, [row = {}] = []] = await session.batch(['BEGIN', [sql.read, ...named]]);
    const beginning = beginningOf([{ ...row, seq: 0 }]);
    const refused = refusal(beginning, shown) ?? takenOver(run, held(), holderIn(row, run));
    const folded = foldLoaded(beginning, rules, [[keys, loadedFrom(row, run)]]);
    const written = folded.isComplete ? writtenBy(folded.draft) : undefined;
    if (refused !== undefined || written === undefined || !folded.isComplete || !folded.result.ok) {
      await session.batch(['ROLLBACK']);
      return refused ?? (folded.isComplete && !folded.result.ok ? folded.result : undefined);
    }
    const event = folded.result.value;
    sent = { transaction: beginning.transaction, event };
    const write = [
      sql.write,
      ...named,
      String(row.versions),
      attempt,
      ...written,
      channel,
    ] as const;
    try {
      const [, [added] = []] = await session.batch([lock, write, 'COMMIT']);
      return ok({ ...event, seq: Number(added?.seq) });
    } catch (error) {
      if (!changed.has(codeOf(error) ?? '')) throw error;
      await session.batch(['ROLLBACK']);
      return undefined;
    }
  };
}

function refusal({ movedTo }: Beginning, file: string): Result<never> | undefined {
  return movedTo === undefined ? undefined : fail({ kind: 'store-moved', file, to: movedTo });
}

const holderIn = ({ owner }: Row, run: RunId): Holder | undefined =>
  holderOf(lockOf(run), typeof owner === 'string' ? [{ owner }] : []);

/** The history of the run does not change with a claim, and the attempt does not exist yet. */
function loadedFrom(row: Row, run: RunId): Loaded {
  const { claim_fence: fence = null, run_record: record = null } = row;
  return {
    tasks: row.id === null ? [] : [loadedTask({ ...row, fence })],
    children: [],
    runs: record === null ? [] : [runRecordOf({ id: run, record })],
    runHistories: [],
    attempts: [],
  };
}

/** The parameters of `write` about rows; undefined if the draft has changed anything else. */
function writtenBy(draft: Draft): readonly (string | number | null)[] | undefined {
  const { events, tasks, attempts, steps, claims, fence: _, ...others } = draft.changes();
  const [[event], [task], [attempt], [step], [claim]] = [
    events,
    tasks,
    attempts,
    steps,
    [...claims.values()],
  ];
  const isMore =
    [events, tasks, attempts, steps, [...claims]].some((list) => list.length > 1) ||
    Object.values(others).some((list) => list.length > 0) ||
    task?.before?.task !== task?.after.task ||
    attempt?.before !== undefined;
  if (isMore || !event || !task || !attempt || !step || !claim) return undefined;
  const [, at, version, , type, body] = eventRow(event);
  const [, , live, record] = attemptRow(attempt.after);
  const { fence, leaseUntil } = claim;
  const columns = columnsOf(task.after).slice(1);
  return [
    at,
    version,
    type,
    body,
    ...columns,
    live,
    record,
    JSON.stringify(step[1]),
    fence,
    leaseUntil,
  ];
}

/** Asks what became of a transaction whose answer was lost. Its old connection may still be at work. */
export async function wasCommitted(session: Session, transaction: string): Promise<boolean> {
  for (;;) {
    const [[row] = []] = await session.batch([[queries.transaction, transaction]]);
    if (row?.state !== 'in progress') return row?.state === 'committed';
    await sleep(limits.storeBusyStepMs);
  }
}
