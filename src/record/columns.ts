import { isLive } from '../model/attempt.ts';
import { stateOf, type TaskRecord } from '../plan/record.ts';
import type { Row } from './driver.ts';
import { type Tables, taskRecordOf } from './tables.ts';

/** Lists columns and edges, which exist for quick queries, that differ from the records. */
export function columnDifferences(tables: Tables): readonly string[] {
  const rows = tables.sql('SELECT * FROM task ORDER BY ord').all();
  const edges = new Set(
    tables
      .sql('SELECT parent, child FROM edge')
      .all()
      .map((row) => edge(String(row.parent), String(row.child))),
  );
  const lines = rows.flatMap((row) => {
    const record = taskRecordOf(row);
    const { id, after } = record.task;
    const missing = after
      .filter((parent) => !edges.delete(edge(parent, id)))
      .filter((parent, index) => after.indexOf(parent) === index)
      .map((parent) => `edge from ${parent} to ${id}: missing`);
    return [...columnsThatDiffer(row, record), ...missing];
  });
  return [...lines, ...[...edges].map((each) => `edge ${each}: no task has this dependency`)];
}

function columnsThatDiffer(row: Row, record: TaskRecord): string[] {
  const live = record.attempt !== undefined && isLive(record.attempt.state) ? 1 : 0;
  const expected: Row = {
    ord: record.order,
    state: stateOf(record),
    priority: record.task.priority,
    blockers: record.blockers,
    live,
  };
  return Object.entries(expected)
    .filter(([name, value]) => row[name] !== value)
    .map(
      ([name, value]) =>
        `task ${record.task.id}: column ${name} is ${row[name]}, ${value} in its record`,
    );
}

function edge(parent: string, child: string): string {
  return `from ${parent} to ${child}`;
}
