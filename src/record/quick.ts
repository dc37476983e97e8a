import { existsSync } from 'node:fs';
import { fail, ok, type Result } from '../model/failure.ts';
import { given } from '../model/given.ts';
import { limits } from '../plan/limits.ts';
import type { RunRecord, TaskRecord } from '../plan/record.ts';
import { type Counts, countTasks, stuckStates } from './counts.ts';
import { type Database, openDatabase, snapshot } from './driver.ts';
import { schemaVersion, versionOf } from './schema.ts';
import { leaseColumn, leasedRunOf, taskRecordOf } from './tables.ts';
import { troubleFrom } from './trouble.ts';

export interface QuickStatus {
  /** Of all tasks; of those in its scope while the chosen run goes on with tasks named one by one. */
  readonly counts: Counts;
  /** Tasks that are not counted, where there are any. */
  readonly outside?: number;
  /** The chosen run. */
  readonly run?: RunRecord;
  /** Tasks with an attempt that is under way, rests, asks, waits for the train or was returned; in order of arrival. */
  readonly active: readonly TaskRecord[];
  /** Failed, quarantined and blocked tasks, the first few in order of arrival. */
  readonly troubled: readonly TaskRecord[];
  readonly lastSeq: number;
}

const nothing: QuickStatus = { counts: {}, active: [], troubled: [], lastSeq: 0 };

/** Which of the newest run and those without an end is shown. `active` are the tasks with an attempt under way. */
export type Choose = (
  runs: readonly RunRecord[],
  active: readonly TaskRecord[],
) => RunRecord | undefined;

const newest: Choose = ([first]) => first;

/**
 * What a short status shows, of one moment, without opening the whole store: people type it often and scripts poll it, so
 * it may cost little more than starting the program. A store that is not there yet is an empty one.
 */
export function readStatus(file: string, choose: Choose = newest): Result<QuickStatus> {
  return readQuick(file, nothing, (db) => statusOf(db, choose));
}

/** Ids of all tasks in order of arrival, or of the newest runs, the newest first. */
export function readIds(file: string, what: 'tasks' | 'runs'): Result<readonly string[]> {
  const rows = what === 'tasks' ? 'task ORDER BY ord' : 'run ORDER BY started_at DESC, rowid DESC';
  const most = what === 'tasks' ? limits.idsCompleted : limits.runsNamed;
  return readQuick(file, [], (db) =>
    db
      .prepare(`SELECT id FROM ${rows} LIMIT ?`)
      .all(most)
      .map(({ id }) => String(id)),
  );
}

function readQuick<T>(file: string, empty: T, read: (db: Database) => T): Result<T> {
  const begin = Date.now();
  try {
    if (!existsSync(file)) return ok(empty);
    const db = openDatabase(file, { readOnly: true, blockMs: limits.storeBusyMs });
    try {
      return snapshot(db, () => readKnown(db, file, empty, read));
    } finally {
      db.close();
    }
  } catch (error) {
    return fail(troubleFrom(error, file, Date.now() - begin));
  }
}

function readKnown<T>(db: Database, file: string, empty: T, read: (db: Database) => T): Result<T> {
  const found = versionOf(db);
  if (found === 0) return ok(empty);
  if (found > schemaVersion) {
    return fail({ kind: 'store-newer', file, found, known: schemaVersion });
  }
  return ok(read(db));
}

/** The newest run, and behind it the others that have not ended. */
const RUNS = `
  SELECT id, record, ${leaseColumn} FROM run
   WHERE ended_at IS NULL OR rowid = (SELECT rowid FROM run ORDER BY started_at DESC, rowid DESC LIMIT 1)
   ORDER BY started_at DESC, rowid DESC LIMIT ?`;

function statusOf(db: Database, choose: Choose): QuickStatus {
  const runs = db.prepare(RUNS).all(limits.runsListed).map(leasedRunOf);
  const active = db
    .prepare('SELECT id, record, task FROM task WHERE live = 1 ORDER BY ord')
    .all()
    .map(taskRecordOf);
  const run = choose(runs, active);
  const scope = run?.endedAt === undefined ? run?.settings.scope : undefined;
  const all = countTasks(db);
  const counts = scope?.kind === 'only' ? countTasks(db, scope.tasks) : all;
  const seq = db.prepare('SELECT max(seq) AS seq FROM event').get()?.seq;
  const troubled = troubledOf(db, all);
  const outside = sumOf(all) - sumOf(counts);
  return {
    counts,
    active,
    troubled,
    lastSeq: Number(seq ?? 0),
    ...(outside > 0 ? { outside } : {}),
    ...given({ run }),
  };
}

function sumOf(counts: Counts): number {
  return Object.values(counts).reduce((sum, number) => sum + number, 0);
}

/** A cancelled task is stuck by a person's own wish and no trouble. */
const troubledStates = stuckStates.filter((state) => state !== 'cancelled');

function troubledOf(db: Database, counts: Counts): readonly TaskRecord[] {
  if (!troubledStates.some((state) => counts[state] !== undefined)) return [];
  const marks = troubledStates.map(() => '?').join(', ');
  return db
    .prepare(`SELECT id, record, task FROM task WHERE state IN (${marks}) ORDER BY ord LIMIT ?`)
    .all(...troubledStates, limits.troubledShown)
    .map(taskRecordOf);
}
