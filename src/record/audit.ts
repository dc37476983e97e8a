import { isLive } from '../model/attempt-state.ts';
import type { AttemptRecord, RunHistory, Step } from '../model/history.ts';
import { limits } from '../model/limits.ts';
import type { QueueStep } from '../model/queue-history.ts';
import type { RunId } from '../model/run.ts';
import type { RunRecord } from '../model/run-record.ts';
import type { TaskId } from '../model/task.ts';
import { stateOf, type TaskRecord } from '../model/task-record.ts';
import type { Verdict } from '../model/verdict.ts';
import type { Claim } from './draft.ts';
import type { Row } from './driver.ts';
import type { MemoryRecords } from './memory-records.ts';
import { runRecordOf, taskRecordOf } from './stored.ts';
import { attemptRecordOf, type Tables } from './tables.ts';

/** Contents of a store's tables, to be compared with the log. */
export interface Found {
  readonly tasks: Iterable<TaskRecord>;
  readonly runs: Iterable<RunRecord>;
  readonly verdict: (tree: string, gate: string) => Verdict | undefined;
  readonly claims: Iterable<Claim>;
  readonly attempts: Iterable<AttemptRecord>;
  readonly runHistories: Iterable<RunHistory>;
  readonly steps: (task: TaskId) => readonly Step[];
  readonly queueSteps: (run: RunId) => readonly QueueStep[];
}

/** Contents of the tables of a SQLite database. */
export function foundIn(tables: Tables, claims: Iterable<Claim>): Found {
  const all = (text: string): readonly Row[] => tables.sql(text).all();
  return {
    tasks: all('SELECT id, record, task FROM task').map(taskRecordOf),
    runs: all('SELECT id, record FROM run').map(runRecordOf),
    verdict: (tree, gate) => tables.verdict(tree, gate),
    claims,
    attempts: all('SELECT record FROM attempt').map(attemptRecordOf),
    runHistories: all('SELECT run FROM run_history').flatMap(
      ({ run }) => tables.runHistory(String(run)) ?? [],
    ),
    steps: (task) => tables.steps(task),
    queueSteps: (run) => tables.queueSteps(run),
  };
}

/** Returns one line for each difference between the tables and the fold of the log. */
export function differences(byLog: MemoryRecords, found: Found): readonly string[] {
  return [
    ...compare('task', byLog.tasks, new Map([...found.tasks].map((each) => [each.task.id, each]))),
    ...compare('run', byLog.runs, new Map([...found.runs].map((each) => [each.id, each]))),
    ...[...byLog.verdicts()].flatMap(([tree, gate, verdict]) =>
      sameText(verdict, found.verdict(tree, gate))
        ? []
        : [`verdict on ${tree} by ${gate}: differs from the log`],
    ),
    ...compare(
      'attempt',
      byLog.attempts,
      new Map([...found.attempts].map((each) => [`${each.task} ${each.number}`, each])),
    ),
    ...compare(
      'history of run',
      byLog.runHistories,
      new Map([...found.runHistories].map((each) => [each.run, each])),
    ),
    ...[...byLog.steps].flatMap(([task, steps]) =>
      sameText(steps, found.steps(task)) ? [] : [`history of task ${task}: differs from the log`],
    ),
    ...[...byLog.queueSteps].flatMap(([run, steps]) =>
      sameText(steps, found.queueSteps(run))
        ? []
        : [`history of the merge queue of run ${run}: differs from the log`],
    ),
    ...[...found.claims].flatMap((claim) => strayClaim(claim, byLog)),
  ];
}

/** Bounds the list: for a broken store it can be as long as the store. */
export function shorten(lines: readonly string[]): readonly string[] {
  const more = lines.length - limits.auditLines;
  return more <= 0 ? lines : [...lines.slice(0, limits.auditLines), `and ${more} more`];
}

function compare<T extends object>(
  what: string,
  byLog: ReadonlyMap<string, T>,
  found: ReadonlyMap<string, T>,
): string[] {
  const ids = [...new Set([...byLog.keys(), ...found.keys()])];
  return ids
    .filter((id) => !sameText(byLog.get(id), found.get(id)))
    .map((id) => `${what} ${id}: differs from the log`);
}

function strayClaim({ task, run, fence }: Claim, byLog: MemoryRecords): string[] {
  const attempt = byLog.task(task)?.attempt;
  const isLiveOne = attempt?.run === run && attempt.fence === fence && isLive(attempt.state);
  return isLiveOne ? [] : [`claim of ${task} by ${run}: no live attempt belongs to it`];
}

function sameText(a: unknown, b: unknown): boolean {
  return ordered(a) === ordered(b);
}

/** JSON with sorted keys, so that the order of fields makes no difference. */
function ordered(value: unknown): string {
  const text = JSON.stringify(value, (_key, inner: unknown) =>
    typeof inner === 'object' && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)))
      : inner,
  );
  return text ?? 'undefined';
}

/**
 * Lists tasks whose columns and edges, which exist for quick queries, differ from their records. `tasks` has all columns;
 * `columnsOf` says what they should be.
 */
export function columnDifferences(
  tasks: readonly Row[],
  edgeRows: readonly Row[],
  columnsOf: (record: TaskRecord) => Row,
): readonly string[] {
  const edges = new Map<string, Set<string>>();
  for (const { parent, child } of edgeRows) {
    const id = String(child);
    edges.set(id, (edges.get(id) ?? new Set()).add(String(parent)));
  }
  const lines = tasks.flatMap((row) => {
    const record = taskRecordOf(row);
    const { id, after } = record.task;
    const columns = Object.entries(columnsOf(record)).filter(
      ([name, value]) => row[name] !== value,
    );
    const parents = edges.get(id) ?? new Set();
    edges.delete(id);
    const wanted = new Set(after);
    const isSame = parents.size === wanted.size && after.every((parent) => parents.has(parent));
    return [
      ...columns.map(([name]) => `task ${id}: column ${name} differs from its record`),
      ...(isSame ? [] : [`task ${id}: its edges differ from its record`]),
    ];
  });
  return [...lines, ...[...edges.keys()].map((id) => `task ${id}: has edges and no record`)];
}

export function taskColumns(record: TaskRecord) {
  return {
    ord: record.order,
    state: stateOf(record),
    priority: record.task.priority,
    blockers: record.blockers,
    live: record.attempt !== undefined && isLive(record.attempt.state) ? 1 : 0,
  };
}
