import { existsSync } from 'node:fs';
import { fail, ok, type Result } from '../model/failure.ts';
import { given } from '../model/given.ts';
import { limits } from '../model/limits.ts';
import { hasEnded } from '../model/run-record.ts';
import type { TaskRecord } from '../model/task-record.ts';
import type { Choose, Counts, QuickStatus } from '../port/store.ts';
import { countBlocked, countTasks, stuckStates } from './counts.ts';
import { type Database, openDatabase, snapshot } from './driver.ts';
import { schemaVersion, versionOf } from './schema.ts';
import { leaseColumn, leasedRunOf, taskRecordOf } from './stored.ts';
import { troubleFrom } from './trouble.ts';

const nothing: QuickStatus = { counts: {}, blocked: [], active: [], troubled: [], lastSeq: 0 };

const newest: Choose = ([first]) => first;

/**
 * Reads a consistent short status without opening the whole store: people type it often and scripts poll it, so it
 * must cost little more than starting the program. A missing store counts as empty.
 */
export function readStatus(file: string, choose: Choose = newest): Result<QuickStatus> {
  return readQuick(file, nothing, (db) => statusOf(db, choose));
}

/** Returns ids of tasks in order of arrival, or of runs, newest first. */
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

/** The newest run, followed by the others that have not ended. */
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
  const scope = run === undefined || hasEnded(run) ? undefined : run.settings.scope;
  const all = countTasks(db);
  const only = scope?.kind === 'only' ? scope.tasks : undefined;
  const counts = only === undefined ? all : countTasks(db, only);
  const seq = db.prepare('SELECT max(seq) AS seq FROM event').get()?.seq;
  const troubled = troubledOf(db, all);
  const outside = sumOf(all) - sumOf(counts);
  return {
    counts,
    blocked: countBlocked(db, counts, only),
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

/** A canceled task is stuck on purpose and not listed as trouble. */
const troubledStates = stuckStates.filter((state) => state !== 'cancelled');

function troubledOf(db: Database, counts: Counts): readonly TaskRecord[] {
  if (!troubledStates.some((state) => counts[state] !== undefined)) return [];
  const marks = troubledStates.map(() => '?').join(', ');
  return db
    .prepare(`SELECT id, record, task FROM task WHERE state IN (${marks}) ORDER BY ord LIMIT ?`)
    .all(...troubledStates, limits.troubledShown)
    .map(taskRecordOf);
}
