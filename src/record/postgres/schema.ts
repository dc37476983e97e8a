import type { PostgresAddress } from '../../model/store-address.ts';
import { BadRow } from '../trouble.ts';
import type { Session } from './session.ts';

/** The oldest server whose features are used: sessions that end when they are idle. */
const leastServer = 14;

/**
 * The tables, one migration after the other. A released migration never changes; new ones are added at the end.
 *
 * As in SQLite, `event` is the source of truth, the tables up to `run_history` are its fold, and `claim` and `lock` say
 * which process may write. Records are text, which keeps them as they were written: no type of Postgres for JSON accepts
 * every text of an agent. So what queries need from a record is in columns of its own.
 */
const migrations: readonly string[] = [
  `
  CREATE TABLE event (
    seq bigint PRIMARY KEY, at bigint NOT NULL, version int NOT NULL, run text, type text NOT NULL, body text NOT NULL
  );
  CREATE INDEX event_run ON event (run, seq) WHERE run IS NOT NULL;
  CREATE INDEX event_flaked ON event (at, seq) WHERE type = 'check-flaked';
  CREATE INDEX event_note ON event (seq) WHERE type IN ('note-added', 'note-removed');

  CREATE TABLE task (
    id text PRIMARY KEY, ord bigint NOT NULL, state text NOT NULL, priority int NOT NULL, blockers int NOT NULL,
    live int NOT NULL, stuck int NOT NULL, cause text, variant int NOT NULL, record text NOT NULL, task text NOT NULL
  );
  CREATE INDEX task_state ON task (state, ord);
  CREATE INDEX task_live ON task (ord) WHERE live = 1;
  CREATE INDEX task_stuck ON task (id) WHERE stuck = 1;
  CREATE INDEX task_variant ON task (state) WHERE variant = 1;
  CREATE TABLE edge (parent text NOT NULL, child text NOT NULL, PRIMARY KEY (parent, child));

  CREATE TABLE run (
    id text PRIMARY KEY, number bigint GENERATED ALWAYS AS IDENTITY, started_at bigint NOT NULL, ended_at bigint,
    record text NOT NULL
  );
  CREATE INDEX run_started ON run (started_at, number);
  CREATE INDEX run_open ON run (id) WHERE ended_at IS NULL;
  CREATE TABLE verdict (tree text NOT NULL, gate text NOT NULL, body text NOT NULL, PRIMARY KEY (tree, gate));

  CREATE TABLE attempt (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, task text NOT NULL, number int NOT NULL, live int NOT NULL,
    record text NOT NULL, UNIQUE (task, number)
  );
  CREATE INDEX attempt_live ON attempt (id) WHERE live = 1;
  CREATE TABLE attempt_run (run text NOT NULL, attempt bigint NOT NULL, PRIMARY KEY (run, attempt));
  CREATE TABLE step (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, task text NOT NULL, body text NOT NULL);
  CREATE INDEX step_task ON step (task, id);
  CREATE TABLE queue_step (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, run text NOT NULL, body text NOT NULL);
  CREATE INDEX queue_step_run ON queue_step (run, id);
  CREATE TABLE run_history (run text PRIMARY KEY, record text NOT NULL);

  CREATE TABLE claim (task text PRIMARY KEY, run text NOT NULL, fence bigint NOT NULL, lease_until bigint NOT NULL);
  CREATE INDEX claim_run ON claim (run);
  CREATE TABLE lock (name text PRIMARY KEY, owner text NOT NULL);
  INSERT INTO meta (name, value) VALUES ('fence', '0');
  `,
  // A sequence gives numbers to transactions that do not wait for each other.
  `
  CREATE SEQUENCE fence;
  SELECT setval('fence', greatest(value::bigint, 1), value::bigint > 0) FROM meta WHERE name = 'fence';
  DELETE FROM meta WHERE name = 'fence';
  `,
  '-- A run has the times of its last agent starts, so its events are folded again.',
  // Tasks that counts leave out: variants and epics.
  `
  ALTER TABLE task ADD COLUMN counted int NOT NULL DEFAULT 1;
  UPDATE task SET counted = 0 WHERE variant = 1 OR strpos(task, '"type":"epic"') > 0;
  `,
  // An attempt has the task that it is a variant for, and a task the choice of a variant that was withdrawn.
  '-- The events are folded again.',
];

/** The fold of older events changed with this version. What versions before it wrote would look damaged. */
const foldChangedIn = 5;

export const schemaVersion = migrations.length;

/** Locks of this program have this number as their first key, so that they do not meet those of other programs. */
const lockClass = 0x594d;

/** Both keys of an advisory lock. Locks of two schemas do not meet either. */
export function lockKeys(schema: string, name: string): readonly [number, number] {
  // FNV-1a, as a signed number of 32 bits.
  let hash = 0x811c9dc5;
  for (const byte of Buffer.from(`${schema}\n${name}`)) hash = Math.imul(hash ^ byte, 0x01000193);
  return [lockClass, hash | 0];
}

/** The state of a database as a session finds it. */
export interface Condition {
  /** Main version of the server, such as 15. */
  readonly server: number;
  readonly encoding: string;
  /** Version of our tables; 0 if there are none. */
  readonly version: number;
  /** Where the records are now, if they were moved elsewhere. */
  readonly movedTo: string | undefined;
  /** First commits of the repository that it is about; none if no repository has used it. */
  readonly roots: readonly string[];
}

const SERVER = `SELECT current_setting('server_version_num')::int / 10000 AS server,
  current_setting('server_encoding') AS encoding`;
const VERSION = `(SELECT value FROM meta WHERE name = 'schema') AS version,
  (SELECT value FROM meta WHERE name = 'moved') AS moved,
  (SELECT value FROM meta WHERE name = 'roots') AS roots`;
const UNDEFINED_TABLE = '42P01';

export async function conditionOf(session: Session): Promise<Condition> {
  const [[row] = []] = await session.batch([`${SERVER}, ${VERSION}`]).catch((error: unknown) => {
    const isNew = error instanceof Error && 'code' in error && error.code === UNDEFINED_TABLE;
    if (isNew) return session.batch([SERVER]);
    throw error;
  });
  const version = Number(row?.version ?? 0);
  if (!Number.isInteger(version)) throw new BadRow('It does not say which version it has');
  return {
    server: Number(row?.server),
    encoding: String(row?.encoding),
    version,
    movedTo: typeof row?.moved === 'string' ? row.moved : undefined,
    roots: typeof row?.roots === 'string' ? row.roots.split(' ') : [],
  };
}

/** A sentence about a server that cannot hold a store. */
export function unfitness(
  { server, encoding }: Condition,
  least = leastServer,
): string | undefined {
  if (server < least) return `its version is ${server}, and ${least} or newer is needed`;
  return encoding === 'UTF8' ? undefined : `its encoding is ${encoding}, and UTF8 is needed`;
}

/**
 * Creates the schema and the tables that are missing, in one transaction, and fills those of an older version with
 * `refold`. Several processes may do it at the same time.
 */
export async function migrate(
  session: Session,
  { schema }: PostgresAddress,
  refold: (session: Session) => Promise<void>,
): Promise<void> {
  const lock = (name: string) =>
    `SELECT pg_advisory_xact_lock(${lockKeys(schema, name).join(', ')})`;
  await session.batch([
    'BEGIN',
    lock('migrate'),
    // Without the question, a user who may not create schemas would be refused although it exists.
    `DO $$ BEGIN IF to_regnamespace('${schema}') IS NULL THEN CREATE SCHEMA ${schema}; END IF; END $$`,
    'CREATE TABLE IF NOT EXISTS meta (name text PRIMARY KEY, value text NOT NULL)',
    "INSERT INTO meta (name, value) VALUES ('schema', '0') ON CONFLICT DO NOTHING",
  ]);
  // Read under the lock: another process may have been faster.
  const { version } = await conditionOf(session);
  await session.batch([lock('write'), ...migrations.slice(version)]);
  if (version > 0 && version < foldChangedIn) await refold(session);
  await session.batch([
    ...(version < schemaVersion
      ? [`UPDATE meta SET value = '${schemaVersion}' WHERE name = 'schema'`]
      : []),
    'COMMIT',
  ]);
}
