import { setTimeout as sleep } from 'node:timers/promises';
import { type Event, runOf } from '../../model/event.ts';
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

/** A claim that is to be made, with the rules that decide about it. */
interface WantedClaim {
  readonly request: ClaimRequest;
  readonly rules: (draft: Draft) => Result<Event>;
  /** Holder of the run's lock, if this process took it. */
  readonly held: () => Holder | undefined;
}

interface ClaimContext {
  readonly lock: Call;
  readonly channel: string;
  /** Address of the store without secrets. */
  readonly shown: string;
}

/** A claim that is ready to be written. Its event gets its number when it is written. */
interface ReadyClaim {
  readonly event: Event;
  readonly transaction: string;
  readonly write: Call;
}

/** Claims that are made in one transaction. */
interface Batch {
  readonly wanted: WantedClaim[];
  /** One answer per claim; empty if the claims have to be made one by one, under the lock. */
  readonly made: Promise<Result<readonly Result<Event>[]>>;
  /**
   * Resolves when the last claim that was made by itself has its answer, with the first failure that was not about one
   * task. The claims that follow get it too, and are not made.
   */
  failed: Promise<Result<never> | undefined>;
}

type Work<T> = (session: Session) => Promise<Result<T>>;

/** Claims through one connection. Those that wait for it at the same time are made together. */
export class Claims {
  readonly #context: ClaimContext;
  readonly #use: <T>(work: Work<T>) => Promise<Result<T>>;
  /** Batch that still takes claims; it begins when the connection is free. */
  #next: Batch | undefined;

  constructor(context: ClaimContext, use: <T>(work: Work<T>) => Promise<Result<T>>) {
    this.#context = context;
    this.#use = use;
  }

  /** Makes a claim in the next batch. If the batch cannot make its claims, `locked` makes this one under the lock. */
  async make(claim: WantedClaim, locked: Work<Event>): Promise<Result<Event>> {
    this.#next ??= this.#newBatch();
    const batch = this.#next;
    const nth = batch.wanted.push(claim) - 1;
    const answers = await batch.made;
    return answers.ok ? (answers.value[nth] ?? this.#makeAlone(batch, locked)) : answers;
  }

  /** Makes a claim of a batch after those before it. Each would wait for a lost database by itself. */
  #makeAlone(batch: Batch, locked: Work<Event>): Promise<Result<Event>> {
    const made = batch.failed.then((failed) => failed ?? this.#use(locked));
    batch.failed = made.then((claim) =>
      claim.ok || claim.failure.kind === 'claim-lost' ? undefined : claim,
    );
    return made;
  }

  #newBatch(): Batch {
    const wanted: WantedClaim[] = [];
    const make = quickClaims(wanted, this.#context);
    const begin = (): void => {
      if (this.#next?.wanted === wanted) this.#next = undefined;
    };
    const made = this.#use(async (session) => {
      begin();
      return ok((await make(session)) ?? []);
    });
    // If there is no connection, the work above is never called.
    void made.then(begin);
    return { wanted, made, failed: Promise.resolve(undefined) };
  }
}

/**
 * Claims tasks in two round trips, of which only the second holds the lock of all writers: it compares the versions of
 * the records that the first one read, and writes. Returns undefined if one of them has changed, or if the fold needs
 * other records; then nothing is written. Call it again after a lost answer: the database knows what became of it.
 */
function quickClaims(wanted: readonly WantedClaim[], context: ClaimContext) {
  let sent: readonly Result<ReadyClaim>[] = [];
  return async (session: Session): Promise<readonly Result<Event>[] | undefined> => {
    const [before] = sent.flatMap((claim) => (claim.ok ? [claim.value.transaction] : []));
    if (before !== undefined && (await wasCommitted(session, before))) {
      const find = ({ event }: ReadyClaim): Call => [
        sql.find_event,
        runOf(event) ?? null,
        eventRow(event)[5],
      ];
      return numbered(sent, await session.batch(readyIn(sent).map(find)));
    }
    const reads = wanted.map(({ request }): Call => [sql.read, ...namedBy(request)]);
    const [, ...found] = await session.batch(['BEGIN', ...reads]);
    const claims = wanted.map((one, at) => readyClaim(one, found[at]?.[0] ?? {}, context));
    const isDecided = claims.every((claim) => claim !== undefined);
    const ready = isDecided ? readyIn(claims) : [];
    if (!isDecided || ready.length === 0) {
      await session.batch(['ROLLBACK']);
      return isDecided ? numbered(claims, []) : undefined;
    }
    sent = claims;
    try {
      const writes = ready.map(({ write }) => write);
      const [, ...added] = await session.batch([context.lock, ...writes, 'COMMIT']);
      return numbered(claims, added);
    } catch (error) {
      if (!changed.has(codeOf(error) ?? '')) throw error;
      await session.batch(['ROLLBACK']);
      return undefined;
    }
  };
}

const namedBy = ({ id, run }: ClaimRequest) => [id, run, lockOf(run)] as const;

const readyIn = (claims: readonly Result<ReadyClaim>[]): readonly ReadyClaim[] =>
  claims.flatMap((claim) => (claim.ok ? [claim.value] : []));

/** The events of claims. Those that were written have their numbers in `rows`, in the same order. */
function numbered(
  claims: readonly Result<ReadyClaim>[],
  rows: readonly (readonly Row[])[],
): readonly Result<Event>[] {
  const numbers = rows.map(([row]) => Number(row?.seq)).values();
  return claims.map((claim) =>
    claim.ok ? ok({ ...claim.value.event, seq: numbers.next().value ?? 0 }) : claim,
  );
}

/** Decides about a claim with the records in `row`. Returns undefined if it needs other records. */
function readyClaim(
  { request, rules, held }: WantedClaim,
  row: Row,
  { channel, shown }: ClaimContext,
): Result<ReadyClaim> | undefined {
  const { id, run, attempt } = request;
  const beginning = beginningOf([{ ...row, seq: 0 }]);
  const refused = refusal(beginning, shown) ?? takenOver(run, held(), holderIn(row, run));
  if (refused !== undefined) return refused;
  const keys = new Keys()
    .add('tasks', id)
    .add('runs', run)
    .add('runHistories', run)
    .addAttempt(id, attempt);
  const folded = foldLoaded(beginning, rules, [[keys, loadedFrom(row, run)]]);
  if (!folded.isComplete) return undefined;
  if (!folded.result.ok) return folded.result;
  const written = writtenBy(folded.draft);
  if (written === undefined) return undefined;
  const named = [...namedBy(request), String(row.versions), attempt] as const;
  return ok({
    event: folded.result.value,
    transaction: beginning.transaction,
    write: [sql.write, ...named, ...written, channel],
  });
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
