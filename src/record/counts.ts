import type { TaskId } from '../model/task.ts';
import type { TaskState } from '../plan/record.ts';
import type { Database } from './driver.ts';

export type Counts = Readonly<Partial<Record<TaskState, number>>>;

/** The states in which a task keeps its dependants waiting until a person or another run does something. */
export const stuckStates = ['failed', 'quarantined', 'blocked', 'cancelled'] as const;
/** What was handed over keeps them waiting for whoever merges it, but not those that are stacked on it. */
const barring = [...stuckStates, 'delivered'] as const;
const BARRING = barring.map((state) => `'${state}'`).join(', ');
/** By what it stands on: work that waits for a word of a person is `blocked` as well, and goes on after it. */
const STUCK = `task.state IN (${BARRING}) AND json_extract(task.record, '$.status.id') = task.state
       AND (task.state <> 'delivered' OR json_extract(task.record, '$.status.how') <> 'stack')`;

/** The joins are crossed so that they run from parent to child; the planner would walk all open tasks at each step. */
const HELD_UP = `
  WITH RECURSIVE barred (id) AS (
    SELECT edge.child FROM task CROSS JOIN edge CROSS JOIN task AS child
     WHERE ${STUCK} AND edge.parent = task.id AND child.id = edge.child AND child.state = 'open'
    UNION
    SELECT edge.child FROM barred CROSS JOIN edge CROSS JOIN task AS child
     WHERE edge.parent = barred.id AND child.id = edge.child AND child.state = 'open'
  )
  SELECT count(*) AS number FROM barred`;
const AMONG = ' WHERE id IN (SELECT value FROM json_each(?))';

/**
 * How many tasks are in each state, of all or of those named; the graph is only walked where something is stuck.
 */
export function countTasks(db: Pick<Database, 'prepare'>, only?: readonly TaskId[]): Counts {
  const counts = new Map<TaskState, number>();
  const among = only === undefined ? '' : AMONG;
  const names = only === undefined ? [] : [JSON.stringify(only)];
  const count = db.prepare(`SELECT state, count(*) AS number FROM task${among} GROUP BY state`);
  for (const row of count.all(...names)) {
    counts.set(row.state as TaskState, Number(row.number));
  }
  // What is stuck may be outside of the names.
  const stuck = only !== undefined || barring.some((state) => counts.has(state));
  if (!stuck || !counts.has('open')) {
    return Object.fromEntries(counts);
  }
  const heldUp = Number(db.prepare(`${HELD_UP}${among}`).get(...names)?.number ?? 0);
  return withHeldUp(counts, heldUp);
}

/** Moves open tasks that wait behind a stuck one over to `blocked`. */
export function withHeldUp(counts: Map<TaskState, number>, heldUp: number): Counts {
  if (heldUp > 0) {
    const open = (counts.get('open') ?? 0) - heldUp;
    if (open > 0) counts.set('open', open);
    else counts.delete('open');
    counts.set('blocked', (counts.get('blocked') ?? 0) + heldUp);
  }
  return Object.fromEntries(counts);
}
