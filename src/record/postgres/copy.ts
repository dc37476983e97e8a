import { runOf } from '../../model/event.ts';
import { ok, type Result } from '../../model/failure.ts';
import type { PostgresAddress } from '../../model/store-address.ts';
import type { BesideLog, StoreCopy } from '../../port/store-copy.ts';
import { CopiedLog } from '../copied-changes.ts';
import { auditTables } from './audit.ts';
import { Connection } from './connection.ts';
import { queries } from './queries.ts';
import { logPage, pageRows } from './refold.ts';
import { conditionOf, lockKeys } from './schema.ts';
import type { Session } from './session.ts';
import { openSession } from './store.ts';
import { addEvents, claimOf, putClaims, writing } from './tables.ts';

const TABLES =
  'event, task, edge, run, verdict, attempt, attempt_run, step, queue_step, run_history, claim, lock';
const SIZE = `SELECT sum(pg_total_relation_size(oid))::bigint AS bytes FROM pg_class
  WHERE relnamespace = current_schema()::regnamespace AND relkind = 'r'`;
export async function postgresCopy(address: PostgresAddress): Promise<Result<StoreCopy>> {
  const session = await openSession(address, { moved: 'allowed' });
  if (!session.ok) return session;
  // What is copied in one transaction cannot be continued on another connection.
  const connection = new Connection(address, session.value, 0);
  const lock = `SELECT pg_advisory_xact_lock(${lockKeys(address.schema, 'write').join(', ')})`;
  return ok({
    name: address.shown,
    facts: () =>
      connection.use(async (open) => {
        const { version, movedTo } = await conditionOf(open);
        const [[last] = [], [size] = []] = await open.batch([[queries.last_seq], SIZE]);
        const [events, bytes] = [Number(last?.seq ?? 0), Number(size?.bytes ?? 0)];
        return ok({ format: version, events, bytes, movedTo });
      }),
    rows: (after) => connection.use(async (open) => ok(await logPage(open, after))),
    besideLog: () => connection.use(async (open) => ok(await besideLogOf(open))),
    replace: (from) => connection.use((open) => replace(open, from, lock)),
    differences: () => connection.use(async (open) => ok(await auditTables(open))),
    mark: (to, events) =>
      connection.use(async (open) => {
        const [, , [last] = []] = await open.batch(['BEGIN', lock, [queries.last_seq]]);
        const isSame = Number(last?.seq ?? 0) === events;
        await open.batch([...(isSame ? marking(to) : []), 'COMMIT']);
        return ok(isSame);
      }),
    close: () => connection.close(),
  });
}

const marking = (to: string | undefined) => [
  [queries.unmark] as const,
  ...(to === undefined ? [] : [[queries.mark, to] as const]),
];

async function besideLogOf(session: Session): Promise<BesideLog> {
  const [[fence] = [], claims = [], locks = []] = await session.batch([
    'SELECT last_value - CASE WHEN is_called THEN 0 ELSE 1 END AS fence FROM fence',
    'SELECT task AS id, run, fence, lease_until FROM claim ORDER BY task',
    'SELECT name, owner FROM lock ORDER BY name',
  ]);
  return {
    fence: Number(fence?.fence ?? 0),
    claims: claims.map(claimOf),
    locks: locks.map(({ name, owner }) => [String(name), String(owner)] as const),
  };
}

/** One transaction: until it is committed, others see what was there before. */
async function replace(session: Session, from: StoreCopy, lock: string): Promise<Result<void>> {
  const log = new CopiedLog();
  // The transaction is idle while the other store answers.
  const begin = ['BEGIN', 'SET LOCAL idle_in_transaction_session_timeout = 0', lock];
  await session.batch([...begin, `TRUNCATE ${TABLES}`]);
  for (let last = 0; ; ) {
    const page = await from.rows(last);
    if (!page.ok) return rolledBack(session, page);
    if (page.value.length === 0) break;
    const rows = page.value.map((row) => {
      const event = log.add(row);
      return [row.seq, row.at, row.version, runOf(event) ?? null, event.type, row.body];
    });
    await session.batch([addEvents(rows)]);
    last = page.value.at(-1)?.seq ?? last;
  }
  const rest = await from.besideLog();
  if (!rest.ok) return rolledBack(session, rest);
  const { fence, claims, locks } = rest.value;
  for (const part of log.parts(pageRows)) await session.batch(writing(part));
  await session.batch([
    ...(claims.length === 0 ? [] : [putClaims(claims)]),
    ...locks.map(([name, owner]) => [queries.set_holder, name, owner] as const),
    `SELECT setval('fence', ${Math.max(fence, 1)}, ${fence > 0})`,
    ...marking(from.name),
    // The next repository that opens it may be another one.
    "DELETE FROM meta WHERE name = 'roots'",
    'COMMIT',
  ]);
  return ok(undefined);
}

async function rolledBack(session: Session, result: Result<never>): Promise<Result<never>> {
  await session.batch(['ROLLBACK']);
  return result;
}
