import { isLive } from '../model/attempt-state.ts';
import { type Event, runOf } from '../model/event.ts';
import type { AttemptRecord, RunHistory, Step } from '../model/history.ts';
import type { QueueStep } from '../model/queue-history.ts';
import type { RunId } from '../model/run.ts';
import { endOf } from '../model/run-record.ts';
import type { TaskId } from '../model/task.ts';
import { stateOf, type TaskRecord } from '../model/task-record.ts';
import type { Verdict } from '../model/verdict.ts';
import { Holder } from '../port/store.ts';
import type { Change, Changes, Claim, Counters, Loaded, LoadedTask } from './draft.ts';
import type { Database, Row, Statement } from './driver.ts';
import type { Keys } from './keys.ts';
import { rowOf, runRecordOf, taskRecordOf } from './stored.ts';
import {
  attemptRecordFrom,
  eventFrom,
  queueStepFrom,
  runHistoryFrom,
  stepFrom,
  verdictFrom,
} from './stored-events.ts';
import { BadRow } from './trouble.ts';

interface Lookup {
  readonly one: string;
  readonly many: string;
}

function lookup(text: string, column: string): Lookup {
  return {
    one: `${text} WHERE ${column} = ?`,
    many: `${text} WHERE ${column} IN (SELECT value FROM json_each(?))`,
  };
}

const COLUMNS = 'task.id, task.record, task.task, claim.run, claim.fence, claim.lease_until';
const CLAIM = 'LEFT JOIN claim ON claim.task = task.id';
const byTask = lookup(`SELECT ${COLUMNS} FROM task ${CLAIM}`, 'task.id');
const byParent = lookup(
  `SELECT edge.parent, ${COLUMNS} FROM edge JOIN task ON task.id = edge.child ${CLAIM}`,
  'edge.parent',
);
const byRun = lookup('SELECT id, record FROM run', 'id');
const ATTEMPT = 'SELECT record FROM attempt WHERE task = ? AND number = ?';
const ATTEMPTS =
  'SELECT record FROM attempt WHERE (task, number) IN (SELECT value ->> 0, value ->> 1 FROM json_each(?))';
const historyByRun = lookup('SELECT run, record FROM run_history', 'run');

/** Tables of a store, for the transactions of `ledger.ts`. Throws SQLite's errors. The caller opens transactions. */
export class Tables {
  readonly #db: Database;
  readonly #prepared = new Map<string, Statement>();

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

  /** Rows with one of `keys`. One key is looked up directly, which is faster. */
  #among({ one, many }: Lookup, keys: ReadonlySet<string>): readonly Row[] {
    if (keys.size === 0) return [];
    if (keys.size > 1) return this.sql(many).all(JSON.stringify([...keys]));
    const [only = ''] = keys;
    return this.sql(one).all(only);
  }

  counters(): Counters {
    const text = `SELECT (SELECT max(seq) FROM event) AS seq, value AS fence FROM meta WHERE name = 'fence'`;
    const row = this.sql(text).get();
    if (typeof row?.fence !== 'number') throw new BadRow('The counter of claims is missing');
    return { lastSeq: Number(row.seq ?? 0), fence: row.fence };
  }

  load({ tasks, parents, runs, runHistories, attempts }: Keys): Loaded {
    return {
      tasks: this.#among(byTask, tasks).map(loadedTask),
      children: this.#among(byParent, parents).map(
        (row) => [String(row.parent), loadedTask(row)] as const,
      ),
      runs: this.#among(byRun, runs).map(runRecordOf),
      runHistories: this.#among(historyByRun, runHistories).map((row) =>
        runHistoryFrom(String(row.run), row.record),
      ),
      attempts: this.#attempts([...attempts.values()]),
    };
  }

  #attempts(keys: readonly (readonly [task: TaskId, number: number])[]): readonly AttemptRecord[] {
    const [first, ...more] = keys;
    if (first === undefined) return [];
    const rows =
      more.length === 0
        ? this.sql(ATTEMPT).all(...first)
        : this.sql(ATTEMPTS).all(JSON.stringify(keys));
    return rows.map(attemptRecordOf);
  }

  write(changes: Changes): void {
    for (const event of changes.events) this.#log(event);
    for (const change of changes.tasks) this.#putTask(change);
    for (const { after } of changes.runs) {
      this.sql(
        `INSERT INTO run (id, started_at, ended_at, record) VALUES (?, ?, ?, ?)
         ON CONFLICT (id) DO UPDATE SET ended_at = excluded.ended_at, record = excluded.record`,
      ).run(after.id, after.startedAt, endOf(after) ?? null, JSON.stringify(after));
    }
    for (const [tree, gate, verdict] of changes.verdicts) {
      const text = 'INSERT OR REPLACE INTO verdict (tree, gate, body) VALUES (?, ?, ?)';
      this.sql(text).run(tree, gate, JSON.stringify(verdict));
    }
    for (const change of changes.attempts) this.#putAttempt(change);
    for (const { after } of changes.runHistories) {
      const text = 'INSERT OR REPLACE INTO run_history (run, record) VALUES (?, ?)';
      this.sql(text).run(after.run, JSON.stringify(after));
    }
    for (const [task, step] of changes.steps) {
      this.sql('INSERT INTO step (task, body) VALUES (?, ?)').run(task, JSON.stringify(step));
    }
    for (const [run, step] of changes.queueSteps) {
      this.sql('INSERT INTO queue_step (run, body) VALUES (?, ?)').run(run, JSON.stringify(step));
    }
    for (const [task, claim] of changes.claims) this.#putClaim(task, claim);
    if (changes.fence !== undefined) {
      this.sql("UPDATE meta SET value = ? WHERE name = 'fence'").run(changes.fence);
    }
  }

  /** The text of a task can be long and rarely changes, so it is written only if it has changed. */
  #putTask({ before, after: record }: Change<TaskRecord>): void {
    const { task, ...rest } = record;
    const live = record.attempt !== undefined && isLive(record.attempt.state) ? 1 : 0;
    const json = JSON.stringify(rest);
    const state = stateOf(record);
    if (before?.task === task) {
      const text = 'UPDATE task SET state = ?, blockers = ?, live = ?, record = ? WHERE id = ?';
      this.sql(text).run(state, record.blockers, live, json, task.id);
      return;
    }
    for (const parent of before?.task.after ?? []) {
      this.sql('DELETE FROM edge WHERE parent = ? AND child = ?').run(parent, task.id);
    }
    for (const parent of task.after) {
      this.sql('INSERT OR IGNORE INTO edge (parent, child) VALUES (?, ?)').run(parent, task.id);
    }
    this.sql(
      'INSERT OR REPLACE INTO task (id, ord, state, priority, blockers, live, record, task) VALUES (?, ?, ?, ?, ?, ?, ?, ?)',
    ).run(
      task.id,
      record.order,
      state,
      task.priority,
      record.blockers,
      live,
      json,
      JSON.stringify(task),
    );
  }

  #putAttempt({ before, after }: Change<AttemptRecord>): void {
    const { task, number, runs, end } = after;
    const live = end.id === 'live' || end.id === 'giving-up' ? 1 : 0;
    const row = this.sql(
      `INSERT INTO attempt (task, number, live, record) VALUES (?, ?, ?, ?)
       ON CONFLICT (task, number) DO UPDATE SET live = excluded.live, record = excluded.record RETURNING id`,
    ).get(task, number, live, JSON.stringify(after));
    for (const run of runs.filter((one) => !before?.runs.includes(one))) {
      const text = 'INSERT OR IGNORE INTO attempt_run (run, attempt) VALUES (?, ?)';
      this.sql(text).run(run, Number(row?.id));
    }
  }

  #putClaim(task: TaskId, claim: Claim | undefined): void {
    if (claim === undefined) {
      this.sql('DELETE FROM claim WHERE task = ?').run(task);
      return;
    }
    const { run, fence, leaseUntil } = claim;
    this.sql(
      'INSERT OR REPLACE INTO claim (task, run, fence, lease_until) VALUES (?, ?, ?, ?)',
    ).run(task, run, fence, leaseUntil);
  }

  #log(event: Event): void {
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

  claims(): readonly Claim[] {
    const rows = this.sql('SELECT task AS id, run, fence, lease_until FROM claim').all();
    return rows.flatMap((row) => claimOf(row) ?? []);
  }

  /** Never shortens a claim. */
  renewClaims(run: RunId, leaseUntil: number): void {
    const text = 'UPDATE claim SET lease_until = max(lease_until, ?) WHERE run = ?';
    this.sql(text).run(leaseUntil, run);
  }

  holder(name: string): Holder | undefined {
    const row = this.sql('SELECT owner FROM lock WHERE name = ?').get(name);
    return row === undefined ? undefined : rowOf(Holder, row.owner, `The lock ${name}`);
  }

  /** Stores the holder of a lock, or frees it. */
  setHolder(name: string, holder: Holder | undefined): void {
    if (holder === undefined) this.sql('DELETE FROM lock WHERE name = ?').run(name);
    else {
      const text = 'INSERT OR REPLACE INTO lock (name, owner) VALUES (?, ?)';
      this.sql(text).run(name, JSON.stringify(holder));
    }
  }

  verdict(tree: string, gate: string): Verdict | undefined {
    const row = this.sql('SELECT body FROM verdict WHERE tree = ? AND gate = ?').get(tree, gate);
    return row === undefined ? undefined : verdictFrom(row.body);
  }

  runHistory(run: RunId): RunHistory | undefined {
    const row = this.sql('SELECT record FROM run_history WHERE run = ?').get(run);
    return row === undefined ? undefined : runHistoryFrom(run, row.record);
  }

  steps(task: TaskId): readonly Step[] {
    const rows = this.sql('SELECT body FROM step WHERE task = ? ORDER BY id').all(task);
    return rows.map((row) => stepFrom(row.body));
  }

  queueSteps(run: RunId): readonly QueueStep[] {
    const rows = this.sql('SELECT body FROM queue_step WHERE run = ? ORDER BY id').all(run);
    return rows.map((row) => queueStepFrom(row.body));
  }
}

function loadedTask(row: Row): LoadedTask {
  return { record: taskRecordOf(row), claim: claimOf(row) };
}

function claimOf(row: Row): Claim | undefined {
  if (row.run === null) return undefined;
  const [fence, leaseUntil] = [Number(row.fence), Number(row.lease_until)];
  return { task: String(row.id), run: String(row.run), fence, leaseUntil };
}

export function attemptRecordOf(row: Row): AttemptRecord {
  return attemptRecordFrom(row.record);
}

export function eventOf(row: Row): Event {
  const seq = Number(row.seq);
  const envelope = { seq, at: Number(row.at), version: Number(row.version) };
  return eventFrom(envelope, row.body);
}
