import { limits } from '../model/limits.ts';
import type { RunRecord } from '../model/run-record.ts';
import { epicType, type TaskId } from '../model/task.ts';
import {
  type StateCounts,
  type TaskRecord,
  type TaskState,
  unfinishedIn,
} from '../model/task-record.ts';
import type { Choose, IdKind, StatusRecords } from '../port/store.ts';
import { countedScope, originTexts, type ScopedIds, scopedIds, scopeSigns } from '../task/scope.ts';
import { type Database, snapshot } from './driver.ts';
import { leaseColumns, leasedRunOf, scopedTaskOf, taskRecordOf } from './stored.ts';

type Queries = Pick<Database, 'prepare'>;

/** States in which a task blocks its dependents until a person or another run does something. */
const stuckStates = ['failed', 'quarantined', 'blocked', 'canceled'] as const;
/** A delivered task blocks its dependents until it is merged, except those stacked on it. */
const blocking = [...stuckStates, 'delivered'] as const;
const BLOCKING = blocking.map((state) => `'${state}'`).join(', ');
/** Compares the stored status: a task whose work waits for a person is also `blocked`, but continues afterwards. */
const STUCK = `task.state IN (${BLOCKING}) AND json_extract(task.record, '$.status.id') = task.state
       AND (task.state <> 'delivered' OR json_extract(task.record, '$.status.how') <> 'stack')`;

/** Compares text, so that damaged JSON causes no error. */
const VARIANT = `instr(task, '"variantOf":"') > 0`;
/** Tasks for which `isCounted` is false. They are few, and an index finds them by this condition word for word. */
const UNCOUNTED = `${VARIANT} OR instr(task, '"type":"${epicType}"') > 0`;

/** CROSS JOIN fixes the order from parent to child; the planner would scan all open tasks at each step. */
const HELD_UP = `
  WITH RECURSIVE held_up (id) AS (
    SELECT edge.child FROM task CROSS JOIN edge CROSS JOIN task AS child
     WHERE ${STUCK} AND edge.parent = task.id AND child.id = edge.child AND child.state = 'open'
    UNION
    SELECT edge.child FROM held_up CROSS JOIN edge CROSS JOIN task AS child
     WHERE edge.parent = held_up.id AND child.id = edge.child AND child.state = 'open'
  )
  SELECT count(*) AS number FROM held_up WHERE id NOT IN (SELECT id FROM task WHERE ${UNCOUNTED})`;
/** Failure of each blocked task, by kind; an open task is blocked while its agent asks or its work awaits approval. */
const BLOCKED = `
  SELECT CASE WHEN json_extract(record, '$.status.id') = 'blocked' THEN json_extract(record, '$.status.failure.kind')
              WHEN json_extract(record, '$.attempt.state.id') = 'asking' THEN 'question-open'
              WHEN json_extract(record, '$.variants.asked') IS NOT NULL THEN 'choice-needed'
              ELSE 'approval-needed' END AS kind, count(*) AS number
    FROM task WHERE state = 'blocked' AND NOT (${UNCOUNTED})`;
const AMONG = 'id IN (SELECT value FROM json_each(?))';

/** Reads only the fields of each task that a scope needs. */
const SCOPED = `
  SELECT id, json_patch('{}', json_object('id', id, 'type', json_extract(task, '$.type'),
           'labels', json_extract(task, '$.labels'), 'parent', json_extract(task, '$.parent'),
           'variantOf', json_extract(task, '$.variantOf'))) AS scoped
    FROM task`;
/** An index finds the tasks with an origin, so this is the condition of `task_origin` word for word. */
const ORIGIN = originTexts.map((text) => `instr(task, '${text}') > 0`).join(' OR ');
const SIGNED = `${SCOPED} WHERE ${AMONG} UNION ${SCOPED} WHERE ${ORIGIN}`;
const WITH_TEXT = `${SCOPED} WHERE EXISTS (SELECT 1 FROM json_each(?) WHERE instr(task, value) > 0)`;

/** Tasks that the counts cover; undefined stands for all. */
function countedIn(db: Queries, run: RunRecord | undefined): ScopedIds | undefined {
  const scope = countedScope(run);
  if (scope === undefined) return undefined;
  const rowsOf = (query: string, ...names: readonly (readonly string[])[]) =>
    db.prepare(query).all(...names.map((each) => JSON.stringify(each)));
  const { ids, texts } = scopeSigns(scope);
  const rows =
    texts.length === 0 ? rowsOf(SIGNED, ids) : rowsOf(`${SIGNED} UNION ${WITH_TEXT}`, ids, texts);
  return scopedIds(scope, rows.map(scopedTaskOf));
}

type Counts<Key extends string> = readonly (readonly [Key, number])[];

/** Leaves out the tasks of a part. */
function without<Key extends string>(all: Counts<Key>, part: Counts<Key>): Counts<Key> {
  const named = new Map(part);
  return all.flatMap(([key, count]) => {
    const left = count - (named.get(key) ?? 0);
    return left > 0 ? [[key, left] as const] : [];
  });
}

/** Counts tasks by state, all or only the named ones. Walks the graph only if something is stuck. */
function countTasks(db: Queries, only?: readonly TaskId[]): StateCounts {
  const among = only === undefined ? 'true' : AMONG;
  const names = only === undefined ? [] : [JSON.stringify(only)];
  const inStates = (condition: string) =>
    db
      .prepare(`SELECT state, count(*) AS number FROM task WHERE ${condition} GROUP BY state`)
      .all(...names)
      .map(({ state, number }) => [state as TaskState, Number(number)] as const);
  const all = inStates(among);
  const counts = new Map(without(all, inStates(`(${UNCOUNTED}) AND ${among}`)));
  // The stuck task may not be one of those named, or may not count itself.
  const stuck = only !== undefined || all.some(([state]) => blocking.some((one) => one === state));
  if (!stuck || !counts.has('open')) {
    return Object.fromEntries(counts);
  }
  const heldUp = Number(db.prepare(`${HELD_UP} AND ${among}`).get(...names)?.number ?? 0);
  return withHeldUp(counts, heldUp);
}

/** Counts the tasks that `counts` has as `blocked` by the kind of their failure. */
function countBlocked(db: Queries, counts: StateCounts, only?: readonly TaskId[]): Counts<string> {
  if (counts.blocked === undefined) return [];
  const among = only === undefined ? 'true' : AMONG;
  const names = only === undefined ? [] : [JSON.stringify(only)];
  const own = db
    .prepare(`${BLOCKED} AND ${among} GROUP BY kind`)
    .all(...names)
    .map(({ kind, number }) => [String(kind), Number(number)] as const);
  const heldUp = own.reduce((left, [, count]) => left - count, counts.blocked);
  return heldUp > 0 ? [...own, ['parent-stuck', heldUp]] : own;
}

/** Counts the tasks of a scope, given the counts of all. */
function countsIn(
  db: Queries,
  all: StateCounts,
  scoped: ScopedIds | undefined,
): Pick<StatusRecords, 'counts' | 'blocked'> {
  const blocked = () => countBlocked(db, all);
  if (scoped === undefined) return { counts: all, blocked: blocked() };
  const named = countTasks(db, scoped.ids);
  const namedBlocked = countBlocked(db, named, scoped.ids);
  if (scoped.are === 'inside') return { counts: named, blocked: namedBlocked };
  const left = without(Object.entries(all), Object.entries(named));
  return { counts: Object.fromEntries(left), blocked: without(blocked(), namedBlocked) };
}

/** Counts open tasks behind a stuck one as `blocked`. */
export function withHeldUp(counts: Map<TaskState, number>, heldUp: number): StateCounts {
  if (heldUp > 0) {
    const open = (counts.get('open') ?? 0) - heldUp;
    if (open > 0) counts.set('open', open);
    else counts.delete('open');
    counts.set('blocked', (counts.get('blocked') ?? 0) + heldUp);
  }
  return Object.fromEntries(counts);
}

/** The newest run, followed by the others that have not ended. */
const RUNS = `
  SELECT id, record, ${leaseColumns} FROM run
   WHERE ended_at IS NULL OR rowid = (SELECT rowid FROM run ORDER BY started_at DESC, rowid DESC LIMIT 1)
   ORDER BY started_at DESC, rowid DESC LIMIT ?`;

export const newest: Choose = ([first]) => first;

/** Reads a consistent short status. It needs little code, so that a program that reads nothing else starts fast. */
export function readStatus(db: Database, choose: Choose = newest): StatusRecords {
  return snapshot(db, () => statusOf(db, choose));
}

/** Returns ids of tasks in order of arrival, or of runs, newest first. */
export function readIds(db: Queries, what: IdKind, most = -1): readonly string[] {
  const rows = what === 'tasks' ? 'task ORDER BY ord' : 'run ORDER BY started_at DESC, rowid DESC';
  return db
    .prepare(`SELECT id FROM ${rows} LIMIT ?`)
    .all(most)
    .map(({ id }) => String(id));
}

/** Ids of the tasks that a scope does not hold. */
export function idsOutside(
  scoped: ScopedIds | undefined,
  records: readonly TaskRecord[],
): readonly TaskId[] {
  if (scoped === undefined) return [];
  const named = new Set(scoped.ids);
  return records
    .map(({ task }) => task.id)
    .filter((id) => named.has(id) === (scoped.are === 'outside'));
}

function statusOf(db: Queries, choose: Choose): StatusRecords {
  const runs = db.prepare(RUNS).all(limits.runsListed).map(leasedRunOf);
  const active = db
    .prepare("SELECT id, record, task FROM task WHERE live = 1 OR state = 'comparing' ORDER BY ord")
    .all()
    .map(taskRecordOf);
  const run = choose(runs, active);
  const all = countTasks(db);
  const scoped = countedIn(db, run);
  const { counts, blocked } = countsIn(db, all, scoped);
  const seq = db.prepare('SELECT max(seq) AS seq FROM event').get()?.seq;
  return {
    counts,
    blocked,
    outside: unfinishedIn(all) - unfinishedIn(counts),
    activeOutside: idsOutside(scoped, active),
    run,
    active,
    troubled: troubledOf(db),
    lastSeq: Number(seq ?? 0),
  };
}

/** A canceled task is stuck on purpose and not listed as trouble. */
export const troubledStates = stuckStates.filter((state) => state !== 'canceled');

function troubledOf(db: Queries): readonly TaskRecord[] {
  const marks = troubledStates.map(() => '?').join(', ');
  return db
    .prepare(
      `SELECT id, record, task FROM task WHERE state IN (${marks}) AND NOT (${VARIANT}) ORDER BY ord LIMIT ?`,
    )
    .all(...troubledStates, limits.troubledShown)
    .map(taskRecordOf);
}
