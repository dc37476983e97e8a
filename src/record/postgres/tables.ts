import { type Event, runOf } from '../../model/event.ts';
import type { AttemptRecord } from '../../model/history.ts';
import { endOf, type RunRecord } from '../../model/run-record.ts';
import { isCounted, type TaskId } from '../../model/task.ts';
import { isStuck, stateOf, type TaskRecord } from '../../model/task-record.ts';
import { taskColumns } from '../audit.ts';
import type { Change, Changes, Claim, Counters, Loaded, LoadedTask } from '../draft.ts';
import type { Row } from '../driver.ts';
import type { Keys } from '../keys.ts';
import { runRecordOf, taskRecordOf } from '../stored.ts';
import { attemptRecordFrom, runHistoryFrom } from '../stored-events.ts';
import { BadRow } from '../trouble.ts';
import type { Parameter } from './literal.ts';
import { type Call, statements } from './session.ts';

const COLUMNS = 'task.id, task.record, task.task, claim.run, claim.fence, claim.lease_until';
const CLAIM = 'LEFT JOIN claim ON claim.task = task.id';

/** A list of rows as one parameter per column, in the order of the lists. */
const rows = (columns: string, ...casts: readonly string[]): string => {
  const lists = casts.map((type, at) => `$${at + 1}::${type}[]`).join(', ');
  return `unnest(${lists}) WITH ORDINALITY AS given (${columns}, nth)`;
};

/** The last number of a fence, as if no other transaction took one at the same time. */
export const FENCE = "nextval('fence') - 1 AS fence";
export const TRANSACTION = 'pg_current_xact_id()::text AS transaction';
const MOVED = "(SELECT value FROM meta WHERE name = 'moved') AS moved";

const sql = statements('table', {
  counters: `SELECT (SELECT max(seq) FROM event) AS seq, 0::bigint AS fence, ${TRANSACTION}, ${MOVED}`,
  counters_of_claim: `SELECT (SELECT max(seq) FROM event) AS seq, ${FENCE}, ${TRANSACTION}, ${MOVED}`,
  tasks: `SELECT ${COLUMNS} FROM task ${CLAIM} WHERE task.id = ANY ($1::text[])`,
  children: `SELECT edge.parent, ${COLUMNS} FROM edge JOIN task ON task.id = edge.child ${CLAIM}
    WHERE edge.parent = ANY ($1::text[])`,
  runs: 'SELECT id, record FROM run WHERE id = ANY ($1::text[])',
  run_histories: 'SELECT run, record FROM run_history WHERE run = ANY ($1::text[])',
  attempts: `SELECT record FROM attempt JOIN ${rows('task, number', 'text', 'int')} USING (task, number)`,

  add_events: `INSERT INTO event (seq, at, version, run, type, body)
    SELECT seq, at, version, run, type, body
    FROM ${rows('seq, at, version, run, type, body', 'bigint', 'bigint', 'int', 'text', 'text', 'text')}`,
  change_tasks: `UPDATE task SET state = given.state, blockers = given.blockers, live = given.live, stuck = given.stuck,
      cause = given.cause, record = given.record
    FROM ${rows('id, state, blockers, live, stuck, cause, record', 'text', 'text', 'int', 'int', 'int', 'text', 'text')}
    WHERE task.id = given.id`,
  put_tasks: `INSERT INTO task (id, state, blockers, live, stuck, cause, record, ord, priority, variant, counted, task)
    SELECT id, state, blockers, live, stuck, cause, record, ord, priority, variant, counted, task
    FROM ${rows('id, state, blockers, live, stuck, cause, record, ord, priority, variant, counted, task', 'text', 'text', 'int', 'int', 'int', 'text', 'text', 'bigint', 'int', 'int', 'int', 'text')}
    ON CONFLICT (id) DO UPDATE SET state = excluded.state, blockers = excluded.blockers, live = excluded.live,
      stuck = excluded.stuck, cause = excluded.cause, record = excluded.record, ord = excluded.ord,
      priority = excluded.priority, variant = excluded.variant, counted = excluded.counted, task = excluded.task`,
  drop_edges: `DELETE FROM edge USING ${rows('parent, child', 'text', 'text')}
    WHERE edge.parent = given.parent AND edge.child = given.child`,
  add_edges: `INSERT INTO edge (parent, child) SELECT parent, child FROM ${rows('parent, child', 'text', 'text')}
    ON CONFLICT DO NOTHING`,
  put_runs: `INSERT INTO run (id, started_at, ended_at, record) SELECT id, started_at, ended_at, record
    FROM ${rows('id, started_at, ended_at, record', 'text', 'bigint', 'bigint', 'text')} ORDER BY nth
    ON CONFLICT (id) DO UPDATE SET ended_at = excluded.ended_at, record = excluded.record`,
  put_verdicts: `INSERT INTO verdict (tree, gate, body) SELECT DISTINCT ON (tree, gate) tree, gate, body
    FROM ${rows('tree, gate, body', 'text', 'text', 'text')} ORDER BY tree, gate, nth DESC
    ON CONFLICT (tree, gate) DO UPDATE SET body = excluded.body`,
  put_attempts: `INSERT INTO attempt (task, number, live, record) SELECT task, number, live, record
    FROM ${rows('task, number, live, record', 'text', 'int', 'int', 'text')} ORDER BY nth
    ON CONFLICT (task, number) DO UPDATE SET live = excluded.live, record = excluded.record`,
  add_attempt_runs: `INSERT INTO attempt_run (run, attempt) SELECT given.run, attempt.id
    FROM ${rows('task, number, run', 'text', 'int', 'text')} JOIN attempt USING (task, number) ON CONFLICT DO NOTHING`,
  put_run_histories: `INSERT INTO run_history (run, record) SELECT run, record FROM ${rows('run, record', 'text', 'text')}
    ON CONFLICT (run) DO UPDATE SET record = excluded.record`,
  add_steps: `INSERT INTO step (task, body) SELECT task, body FROM ${rows('task, body', 'text', 'text')} ORDER BY nth`,
  add_queue_steps: `INSERT INTO queue_step (run, body)
    SELECT run, body FROM ${rows('run, body', 'text', 'text')} ORDER BY nth`,
  put_claims: `INSERT INTO claim (task, run, fence, lease_until) SELECT task, run, fence, lease_until
    FROM ${rows('task, run, fence, lease_until', 'text', 'text', 'bigint', 'bigint')}
    ON CONFLICT (task) DO UPDATE SET run = excluded.run, fence = excluded.fence, lease_until = excluded.lease_until`,
  drop_claims: 'DELETE FROM claim WHERE task = ANY ($1::text[])',
});

/** What a transaction knows when it begins. */
export interface Beginning extends Counters {
  /** Number of the transaction in the database, which tells later whether it was committed. */
  readonly transaction: string;
  readonly movedTo: string | undefined;
}

/** Reads what is needed to begin. A transaction that claims a task needs a number for its fence. */
export const counters = (claims: boolean): Call => [claims ? sql.counters_of_claim : sql.counters];

export function beginningOf([row]: readonly Row[]): Beginning {
  if (typeof row?.fence !== 'number') throw new BadRow('The counter of claims is missing');
  return {
    lastSeq: Number(row.seq ?? 0),
    fence: row.fence,
    transaction: String(row.transaction),
    movedTo: typeof row.moved === 'string' ? row.moved : undefined,
  };
}

/** Statements that load records, and the reader of their answers. */
export function loading(keys: Keys): {
  readonly calls: readonly Call[];
  readonly read: (answers: readonly (readonly Row[])[]) => Loaded;
} {
  const attempts = [...keys.attempts.values()];
  const lists = {
    tasks: [sql.tasks, [...keys.tasks]],
    children: [sql.children, [...keys.parents]],
    runs: [sql.runs, [...keys.runs]],
    runHistories: [sql.run_histories, [...keys.runHistories]],
    attempts: [sql.attempts, ...columns(attempts)],
  } as const satisfies Record<keyof Loaded, Call>;
  const asked = Object.entries<Call>(lists).filter(([, [, list]]) => isFilled(list));
  return {
    calls: asked.map(([, call]) => call),
    read: (answers) => {
      const found = (name: keyof Loaded) =>
        answers[asked.findIndex(([kind]) => kind === name)] ?? [];
      return {
        tasks: found('tasks').map(loadedTask),
        children: found('children').map((row) => [String(row.parent), loadedTask(row)] as const),
        runs: found('runs').map(runRecordOf),
        runHistories: found('runHistories').map(({ run, record }) =>
          runHistoryFrom(String(run), record),
        ),
        attempts: found('attempts').map(({ record }) => attemptRecordFrom(record)),
      };
    },
  };
}

export function writing(changes: Changes): readonly Call[] {
  const { tasks, claims } = changes;
  const isNewText = ({ before, after }: Change<TaskRecord>): boolean => before?.task !== after.task;
  const put = tasks.filter(isNewText);
  const changed = tasks.filter((change) => !isNewText(change)).map(({ after }) => columnsOf(after));
  const edges = (of: (change: Change<TaskRecord>) => TaskRecord | undefined) =>
    put.flatMap((change) => {
      const child = change.after.task.id;
      return (of(change)?.task.after ?? []).map((parent) => [parent, child]);
    });
  const ended = [...claims].flatMap(([task, claim]) => (claim === undefined ? [task] : []));
  const calls: readonly Call[] = [
    addEvents(changes.events.map(eventRow)),
    [sql.change_tasks, ...columns(changed)],
    [sql.put_tasks, ...columns(put.map(({ after }) => [...columnsOf(after), ...textOf(after)]))],
    [sql.drop_edges, ...columns(edges(({ before }) => before))],
    [sql.add_edges, ...columns(edges(({ after }) => after))],
    [sql.put_runs, ...columns(changes.runs.map(({ after }) => runRow(after)))],
    [sql.put_verdicts, ...columns(changes.verdicts.map(([a, b, body]) => [a, b, json(body)]))],
    [sql.put_attempts, ...columns(changes.attempts.map(({ after }) => attemptRow(after)))],
    [sql.add_attempt_runs, ...columns(changes.attempts.flatMap(newRuns))],
    [
      sql.put_run_histories,
      ...columns(changes.runHistories.map(({ after }) => [after.run, json(after)])),
    ],
    [sql.add_steps, ...columns(changes.steps.map(([task, step]) => [task, json(step)]))],
    [sql.add_queue_steps, ...columns(changes.queueSteps.map(([run, step]) => [run, json(step)]))],
    putClaims([...claims.values()].filter((claim) => claim !== undefined)),
    [sql.drop_claims, ended],
  ];
  return calls.filter(([, list]) => isFilled(list));
}

/** A statement about no rows is left out. */
const isFilled = (list: unknown): boolean => Array.isArray(list) && list.length > 0;

/** Rows have the columns of the table `event`, in their order. */
export function addEvents(events: readonly (readonly (string | number | null)[])[]): Call {
  return [sql.add_events, ...columns(events)];
}

export function putClaims(claims: readonly Claim[]): Call {
  const row = ({ task, run, fence, leaseUntil }: Claim) => [task, run, fence, leaseUntil];
  return [sql.put_claims, ...columns(claims.map(row))];
}

const json = (value: object): string => JSON.stringify(value);

/** Turns rows into columns; no rows have no columns. */
function columns(table: readonly (readonly (string | number | null)[])[]): Parameter[] {
  const [first = []] = table;
  return first.map((_, at) => table.map((row) => row[at] ?? null));
}

export function eventRow(event: Event) {
  const { seq, at, version, ...body } = event;
  return [seq, at, version, runOf(event) ?? null, event.type, json(body)] as const;
}

export function columnsOf(record: TaskRecord) {
  const { task, ...rest } = record;
  const { state, blockers, live } = taskColumns(record);
  const { stuck, cause } = ownColumns(record);
  return [task.id, state, blockers, live, stuck, cause, json(rest)];
}

function textOf(record: TaskRecord) {
  const { ord, priority } = taskColumns(record);
  const { variant, counted } = ownColumns(record);
  return [ord, priority, variant, counted, json(record.task)];
}

/** What queries need from a record, and SQLite reads in its JSON. */
export function ownColumns(record: TaskRecord) {
  return {
    stuck: isStuck(record) ? 1 : 0,
    cause: causeOf(record),
    variant: record.task.variantOf === undefined ? 0 : 1,
    counted: isCounted(record.task) ? 1 : 0,
  };
}

/** Kind of the failure that blocks a task; an open task is blocked while its agent asks or its work awaits approval. */
function causeOf(record: TaskRecord): string | null {
  if (stateOf(record) !== 'blocked') return null;
  if (record.status.id === 'blocked') return record.status.failure.kind;
  if (record.attempt?.state.id === 'asking') return 'question-open';
  return record.variants?.asked === undefined ? 'approval-needed' : 'choice-needed';
}

function runRow(record: RunRecord) {
  return [record.id, record.startedAt, endOf(record) ?? null, json(record)];
}

export function attemptRow(record: AttemptRecord) {
  const { task, number, end } = record;
  const live = end.id === 'live' || end.id === 'giving-up' ? 1 : 0;
  return [task, number, live, json(record)] as const;
}

function newRuns({ before, after: { task, number, runs } }: Change<AttemptRecord>) {
  return runs.filter((run) => !before?.runs.includes(run)).map((run) => [task, number, run]);
}

export function loadedTask(row: Row): LoadedTask {
  return { record: taskRecordOf(row), claim: row.run === null ? undefined : claimOf(row) };
}

/** Reads a row whose task is in the column `id`. */
export function claimOf({ id, run, fence, lease_until }: Row): Claim {
  const task: TaskId = String(id);
  return { task, run: String(run), fence: Number(fence), leaseUntil: Number(lease_until) };
}
