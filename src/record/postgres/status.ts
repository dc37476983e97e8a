import { limits } from '../../model/limits.ts';
import type { RunRecord } from '../../model/run-record.ts';
import { type StateCounts, type TaskState, unfinishedIn } from '../../model/task-record.ts';
import type { Choose, IdKind, StatusRecords } from '../../port/store.ts';
import { countedScope, originTexts, scopedIds, scopeSigns } from '../../task/scope.ts';
import type { Row } from '../driver.ts';
import { idsOutside, newest, troubledStates, withHeldUp } from '../status.ts';
import { scopedTaskOf, taskRecordOf } from '../stored.ts';
import type { Parameter } from './literal.ts';
import { leasedRun, RUN } from './queries.ts';
import { type Session, statements } from './session.ts';

/** All tasks, or those of the first list, without those of the second. */
const AMONG = '($1::text[] IS NULL OR id = ANY ($1::text[])) AND id <> ALL ($2::text[])';

const sql = statements('status', {
  /** The newest run, followed by the others that have not ended. */
  runs: `${RUN} WHERE ended_at IS NULL
      OR run.id = (SELECT id FROM run ORDER BY started_at DESC, number DESC LIMIT 1)
    ORDER BY started_at DESC, number DESC LIMIT $1::bigint`,
  active: `SELECT id, record, task FROM task WHERE live = 1 OR state = 'comparing' ORDER BY ord`,
  seq: 'SELECT max(seq) AS seq FROM event',
  counts: `SELECT state, count(*) AS number FROM task WHERE counted = 1 AND ${AMONG} GROUP BY state`,
  /** Open tasks behind a stuck one, which need not be listed itself. */
  held_up: `WITH RECURSIVE held_up (id) AS (
      SELECT child.id FROM task JOIN edge ON edge.parent = task.id JOIN task AS child ON child.id = edge.child
      WHERE task.stuck = 1 AND child.state = 'open'
      UNION
      SELECT child.id FROM held_up JOIN edge ON edge.parent = held_up.id JOIN task AS child ON child.id = edge.child
      WHERE child.state = 'open')
    SELECT count(*) AS number FROM held_up JOIN task USING (id) WHERE counted = 1 AND ${AMONG}`,
  blocked: `SELECT cause, count(*) AS number FROM task
    WHERE state = 'blocked' AND counted = 1 AND ${AMONG} GROUP BY cause ORDER BY cause COLLATE "C"`,
  troubled: `SELECT id, record, task FROM task WHERE state = ANY ($1::text[]) AND variant = 0
    ORDER BY ord LIMIT $2::bigint`,
  /** Fields that a scope reads, of tasks with one of the ids or, in their JSON, one of the texts. */
  scoped: `SELECT id, json_strip_nulls(json_build_object('id', id, 'type', task::json -> 'type', 'labels',
      task::json -> 'labels', 'parent', task::json -> 'parent', 'variantOf', task::json -> 'variantOf'))::text AS scoped
    FROM task WHERE id = ANY ($1::text[])
      OR EXISTS (SELECT 1 FROM unnest($2::text[]) AS sign WHERE strpos(task, sign) > 0)
    ORDER BY ord`,
  task_ids: 'SELECT id FROM task ORDER BY ord LIMIT $1::bigint',
  run_ids: 'SELECT id FROM run ORDER BY started_at DESC, number DESC LIMIT $1::bigint',
});

/** Returns ids of tasks in order of arrival, or of runs, newest first. */
export async function readIds(
  session: Session,
  what: IdKind,
  most?: number,
): Promise<readonly string[]> {
  const statement = what === 'tasks' ? sql.task_ids : sql.run_ids;
  const [rows = []] = await session.batch([[statement, most ?? null]]);
  return rows.map(({ id }) => String(id));
}

/** Reads a short status of one moment, in two round trips; in three for a run with a scope. */
export async function readStatus(
  session: Session,
  choose: Choose = newest,
): Promise<StatusRecords> {
  const [, runRows = [], activeRows = [], [last] = []] = await session.batch([
    'BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY',
    [sql.runs, limits.runsListed],
    [sql.active],
    [sql.seq],
  ]);
  const active = activeRows.map(taskRecordOf);
  const run = choose(runRows.map(leasedRun), active);
  const scoped = await countedIn(session, run);
  const ids = scoped?.ids ?? [];
  const among: readonly Parameter[] = scoped?.are === 'inside' ? [ids, []] : [null, ids];
  const [allRows = [], countRows = [], [heldUp] = [], blockedRows = [], troubled = []] =
    await session.batch([
      [sql.counts, null, []],
      [sql.counts, ...among],
      [sql.held_up, ...among],
      [sql.blocked, ...among],
      [sql.troubled, troubledStates, limits.troubledShown],
      'COMMIT',
    ]);
  const counts = withHeldUp(countsOf(countRows), Number(heldUp?.number ?? 0));
  return {
    counts,
    blocked: blockedBy(counts, blockedRows),
    outside: unfinishedIn(Object.fromEntries(countsOf(allRows))) - unfinishedIn(counts),
    activeOutside: idsOutside(scoped, active),
    run,
    active,
    troubled: troubled.map(taskRecordOf),
    lastSeq: Number(last?.seq ?? 0),
  };
}

/** Tasks that the counts cover; undefined stands for all. */
async function countedIn(session: Session, run: RunRecord | undefined) {
  const scope = countedScope(run);
  if (scope === undefined) return undefined;
  const { ids, texts } = scopeSigns(scope);
  const [rows = []] = await session.batch([[sql.scoped, ids, [...originTexts, ...texts]]]);
  return scopedIds(scope, rows.map(scopedTaskOf));
}

function countsOf(rows: readonly Row[]): Map<TaskState, number> {
  return new Map(rows.map(({ state, number }) => [state as TaskState, Number(number)]));
}

function blockedBy(counts: StateCounts, rows: readonly Row[]): StatusRecords['blocked'] {
  const own = rows.map(({ cause, number }) => [String(cause), Number(number)] as const);
  const heldUp = own.reduce((left, [, count]) => left - count, counts.blocked ?? 0);
  return heldUp > 0 ? [...own, ['parent-stuck', heldUp]] : own;
}
