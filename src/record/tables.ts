import { isLive } from '../model/attempt.ts';
import { type Event, runOf, tasksOf } from '../model/event.ts';
import type { Records } from '../model/records.ts';
import type { RunId } from '../model/run.ts';
import { endOf, type LeasedRun, type RunRecord } from '../model/run-record.ts';
import type { Task, TaskId } from '../model/task.ts';
import { stateOf, type TaskRecord } from '../model/task-record.ts';
import type { Verdict } from '../model/verdict.ts';
import type { Database, Row, Statement } from './driver.ts';
import { eventFrom, runRecordFrom, taskFrom, taskRecordFrom, verdictFrom } from './stored.ts';

/** The tables of a store as the fold's records. Throws SQLite's errors. The caller opens transactions. */
export class Tables implements Records {
  readonly #db: Database;
  readonly #prepared = new Map<string, Statement>();
  /**
   * Tasks that were read from the table. Their text can be long and rarely changes, so a record that still holds the
   * same object is written without it.
   */
  readonly #read = new WeakSet<Task>();

  constructor(db: Database) {
    this.#db = db;
  }

  /** Prepares a statement once and caches it. */
  sql(text: string): Statement {
    let statement = this.#prepared.get(text);
    if (statement === undefined) {
      statement = this.#db.prepare(text);
      this.#prepared.set(text, statement);
    }
    return statement;
  }

  task(id: TaskId): TaskRecord | undefined {
    const row = this.sql('SELECT id, record, task FROM task WHERE id = ?').get(id);
    if (row === undefined) return undefined;
    const record = taskRecordOf(row);
    this.#read.add(record.task);
    return record;
  }

  putTask(record: TaskRecord): void {
    const { task, ...rest } = record;
    const live = record.attempt !== undefined && isLive(record.attempt.state) ? 1 : 0;
    const json = JSON.stringify(rest);
    if (this.#read.has(task)) {
      this.sql('UPDATE task SET state = ?, blockers = ?, live = ?, record = ? WHERE id = ?').run(
        stateOf(record),
        record.blockers,
        live,
        json,
        task.id,
      );
      return;
    }
    this.#putEdges(task);
    this.sql(
      'INSERT OR REPLACE INTO task (id, ord, state, priority, blockers, live, record, task) VALUES (?, ?, ?, ?, ?, ?, ?, ?)',
    ).run(
      task.id,
      record.order,
      stateOf(record),
      task.priority,
      record.blockers,
      live,
      json,
      JSON.stringify(task),
    );
  }

  #putEdges(task: Task): void {
    const before = this.task(task.id)?.task.after ?? [];
    for (const parent of before) {
      this.sql('DELETE FROM edge WHERE parent = ? AND child = ?').run(parent, task.id);
    }
    for (const parent of task.after) {
      this.sql('INSERT OR IGNORE INTO edge (parent, child) VALUES (?, ?)').run(parent, task.id);
    }
  }

  children(id: TaskId): readonly TaskId[] {
    const rows = this.sql('SELECT child FROM edge WHERE parent = ?').all(id);
    return rows.map((row) => String(row.child));
  }

  run(id: RunId): RunRecord | undefined {
    const row = this.sql('SELECT id, record FROM run WHERE id = ?').get(id);
    return row === undefined ? undefined : runRecordOf(row);
  }

  putRun(record: RunRecord): void {
    this.sql(
      `INSERT INTO run (id, started_at, ended_at, record) VALUES (?, ?, ?, ?)
       ON CONFLICT (id) DO UPDATE SET ended_at = excluded.ended_at, record = excluded.record`,
    ).run(record.id, record.startedAt, endOf(record) ?? null, JSON.stringify(record));
  }

  verdict(tree: string, gate: string): Verdict | undefined {
    const row = this.sql('SELECT body FROM verdict WHERE tree = ? AND gate = ?').get(tree, gate);
    return row === undefined ? undefined : verdictFrom(row.body);
  }

  putVerdict(tree: string, gate: string, verdict: Verdict): void {
    const json = JSON.stringify(verdict);
    this.sql('INSERT OR REPLACE INTO verdict (tree, gate, body) VALUES (?, ?, ?)').run(
      tree,
      gate,
      json,
    );
  }

  log(event: Event): void {
    const { seq, at, version, ...body } = event;
    this.sql('INSERT INTO event (seq, at, version, run, type, body) VALUES (?, ?, ?, ?, ?, ?)').run(
      seq,
      at,
      version,
      runOf(event) ?? null,
      event.type,
      JSON.stringify(body),
    );
    for (const task of tasksOf(event)) {
      this.sql('INSERT OR IGNORE INTO event_task (task, seq) VALUES (?, ?)').run(task, seq);
    }
  }

  lastSeq(): number {
    return Number(this.sql('SELECT max(seq) AS seq FROM event').get()?.seq ?? 0);
  }
}

export function taskRecordOf(row: Row): TaskRecord {
  return taskRecordFrom(taskFrom(String(row.id), row.task), row.record);
}

/** Column with the time until which the lock of a run is valid. */
export const leaseColumn =
  "(SELECT json_extract(lock.owner, '$.until') FROM lock WHERE lock.name = 'run ' || run.id) AS lease";

export function leasedRunOf(row: Row): LeasedRun {
  const leaseUntil = typeof row.lease === 'number' ? row.lease : undefined;
  return { ...runRecordOf(row), leaseUntil };
}

export function runRecordOf(row: Row): RunRecord {
  return runRecordFrom(String(row.id), row.record);
}

export function eventOf(row: Row): Event {
  const seq = Number(row.seq);
  const envelope = { seq, at: Number(row.at), version: Number(row.version) };
  return eventFrom(envelope, row.body);
}
