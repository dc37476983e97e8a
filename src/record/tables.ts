import { isLive } from '../model/attempt-state.ts';
import { type Event, runOf } from '../model/event.ts';
import type { AttemptRecord, RunHistory, Step } from '../model/history.ts';
import type { Records } from '../model/records.ts';
import type { RunId } from '../model/run.ts';
import { endOf, type RunRecord } from '../model/run-record.ts';
import type { Task, TaskId } from '../model/task.ts';
import { stateOf, type TaskRecord } from '../model/task-record.ts';
import type { Verdict } from '../model/verdict.ts';
import type { Database, Row, Statement } from './driver.ts';
import { runRecordOf, taskRecordOf } from './stored.ts';
import {
  attemptRecordFrom,
  eventFrom,
  runHistoryFrom,
  stepFrom,
  verdictFrom,
} from './stored-events.ts';

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

  attempt(task: TaskId, number: number): AttemptRecord | undefined {
    const row = this.sql('SELECT record FROM attempt WHERE task = ? AND number = ?').get(
      task,
      number,
    );
    return row === undefined ? undefined : attemptRecordOf(row);
  }

  putAttempt(record: AttemptRecord): void {
    const { task, number, runs, end } = record;
    const live = end.id === 'live' || end.id === 'giving-up' ? 1 : 0;
    const row = this.sql(
      `INSERT INTO attempt (task, number, live, record) VALUES (?, ?, ?, ?)
       ON CONFLICT (task, number) DO UPDATE SET live = excluded.live, record = excluded.record RETURNING id`,
    ).get(task, number, live, JSON.stringify(record));
    for (const run of runs) {
      this.sql('INSERT OR IGNORE INTO attempt_run (run, attempt) VALUES (?, ?)').run(
        run,
        Number(row?.id),
      );
    }
  }

  runHistory(run: RunId): RunHistory | undefined {
    const row = this.sql('SELECT record FROM run_history WHERE run = ?').get(run);
    return row === undefined ? undefined : runHistoryFrom(run, row.record);
  }

  putRunHistory(record: RunHistory): void {
    this.sql('INSERT OR REPLACE INTO run_history (run, record) VALUES (?, ?)').run(
      record.run,
      JSON.stringify(record),
    );
  }

  addStep(task: TaskId, step: Step): void {
    this.sql('INSERT INTO step (task, body) VALUES (?, ?)').run(task, JSON.stringify(step));
  }

  steps(task: TaskId): readonly Step[] {
    const rows = this.sql('SELECT body FROM step WHERE task = ? ORDER BY id').all(task);
    return rows.map((row) => stepFrom(row.body));
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
  }

  lastSeq(): number {
    return Number(this.sql('SELECT max(seq) AS seq FROM event').get()?.seq ?? 0);
  }
}

export function attemptRecordOf(row: Row): AttemptRecord {
  return attemptRecordFrom(row.record);
}

export function eventOf(row: Row): Event {
  const seq = Number(row.seq);
  const envelope = { seq, at: Number(row.at), version: Number(row.version) };
  return eventFrom(envelope, row.body);
}
