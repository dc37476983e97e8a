import { existsSync } from 'node:fs';
import { fail, ok, type Result } from '../model/failure.ts';
import { limits } from '../plan/limits.ts';
import type { RunRecord, TaskRecord } from '../plan/record.ts';
import { type Counts, countTasks, stuckStates } from './counts.ts';
import { type Database, openDatabase, snapshot } from './driver.ts';
import { schemaVersion, versionOf } from './schema.ts';
import { runRecordOf, taskRecordOf } from './tables.ts';
import { troubleFrom } from './trouble.ts';

export interface QuickStatus {
  readonly counts: Counts;
  /** The newest run. */
  readonly run?: RunRecord;
  /** Tasks with an attempt that is under way, waits for the train or was returned; in order of arrival. */
  readonly active: readonly TaskRecord[];
  /** Failed, quarantined and blocked tasks, the first few in order of arrival. */
  readonly troubled: readonly TaskRecord[];
  readonly lastSeq: number;
}

const nothing: QuickStatus = { counts: {}, active: [], troubled: [], lastSeq: 0 };

/**
 * What a short status shows, of one moment, without opening the whole store: people type it often and scripts poll it, so
 * it may cost little more than starting the program. A store that is not there yet is an empty one.
 */
export function readStatus(file: string): Result<QuickStatus> {
  const begin = performance.now();
  try {
    if (!existsSync(file)) return ok(nothing);
    const db = openDatabase(file, { readOnly: true, blockMs: limits.storeBusyMs });
    try {
      return snapshot(db, () => read(db, file));
    } finally {
      db.close();
    }
  } catch (error) {
    return fail(troubleFrom(error, file, performance.now() - begin));
  }
}

function read(db: Database, file: string): Result<QuickStatus> {
  const found = versionOf(db);
  if (found === 0) return ok(nothing);
  if (found > schemaVersion) {
    return fail({ kind: 'store-newer', file, found, known: schemaVersion });
  }
  return ok(statusOf(db));
}

function statusOf(db: Database): QuickStatus {
  const run = db
    .prepare('SELECT id, record FROM run ORDER BY started_at DESC, rowid DESC LIMIT 1')
    .get();
  const active = db
    .prepare('SELECT id, record, task FROM task WHERE live = 1 ORDER BY ord')
    .all()
    .map(taskRecordOf);
  const counts = countTasks(db);
  const seq = db.prepare('SELECT max(seq) AS seq FROM event').get()?.seq;
  const status = { counts, active, troubled: troubledOf(db, counts), lastSeq: Number(seq ?? 0) };
  return run === undefined ? status : { ...status, run: runRecordOf(run) };
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
