import type { Failure } from '../../model/failure.ts';
import { faultOf } from '../../model/fault.ts';
import type { AttemptRecord } from '../../model/history.ts';
import type { TaskRecord } from '../../model/task-record.ts';
import { explain } from '../explain/explain.ts';
import { counted } from '../format/amount.ts';
import { cut, wrap } from '../format/layout.ts';
import type { Style } from '../format/style.ts';
import { table } from '../format/table.ts';

/** One kind of failure over many attempts, with its newest example. */
export interface FrequentFailure {
  readonly kind: Failure['kind'];
  readonly times: number;
  readonly runs: number;
  /** Times by agent and by type of task, most frequent first. */
  readonly agents: readonly Share[];
  readonly types: readonly Share[];
  readonly example: {
    readonly task: string;
    readonly attempt: number;
    readonly run: string;
    readonly what: string;
    /** Remedy, as a sentence, or what became of the task since. */
    readonly do: string;
  };
}

interface Share {
  readonly name: string;
  readonly times: number;
}

/** A failure of a turn, or of an attempt whose last turn has not got it already. */
interface Occurrence {
  readonly failure: Failure;
  readonly agent: string;
  readonly run: string;
  readonly record: AttemptRecord;
}

type FindTask = (id: string) => Pick<TaskRecord, 'task' | 'status'> | undefined;

/** Failures by kind, most frequent first. What a person or the end of a run stopped is no failure. */
export function frequentFailures(
  attempts: readonly AttemptRecord[],
  find: FindTask,
): readonly FrequentFailure[] {
  const byKind = new Map<Failure['kind'], Occurrence[]>();
  for (const one of attempts.flatMap(occurrencesIn)) {
    const { whose, trouble } = faultOf(one.failure);
    if (whose === 'user' && trouble === 'interruption') continue;
    const known = byKind.get(one.failure.kind);
    if (known === undefined) byKind.set(one.failure.kind, [one]);
    else known.push(one);
  }
  return [...byKind]
    .map(([kind, all]) => frequentOf(kind, all, find))
    .sort((a, b) => b.times - a.times || a.kind.localeCompare(b.kind));
}

function occurrencesIn(record: AttemptRecord): readonly Occurrence[] {
  const { turns, end, runs, agent } = record;
  const ofTurns = turns.flatMap(({ failure, agent: by, run }): Occurrence[] =>
    failure === undefined ? [] : [{ failure, agent: by, run, record }],
  );
  const last = turns.at(-1)?.failure?.kind;
  if (!('failure' in end) || end.failure.kind === last) return ofTurns;
  return [...ofTurns, { failure: end.failure, agent, run: runs.at(-1) ?? '', record }];
}

function frequentOf(
  kind: Failure['kind'],
  all: readonly Occurrence[],
  find: FindTask,
): FrequentFailure {
  const open = all.filter(({ record }) => endedSince(find(record.task)) === undefined);
  const newest = (open.length === 0 ? all : open).reduce((latest, one) =>
    one.record.changedAt >= latest.record.changedAt ? one : latest,
  );
  const { task, number } = newest.record;
  const { what, do: remedy } = explain(newest.failure, task);
  return {
    kind,
    times: all.length,
    runs: new Set(all.map(({ run }) => run)).size,
    agents: sharesOf(all.map(({ agent }) => agent || 'unknown')),
    types: sharesOf(all.map(({ record }) => find(record.task)?.task.type ?? 'removed task')),
    example: { task, attempt: number, run: newest.run, what, do: endedSince(find(task)) ?? remedy },
  };
}

/** What became of a task that needs nothing more; undefined if its failure may still need a remedy. */
function endedSince(found: ReturnType<FindTask>): string | undefined {
  if (found === undefined) return 'The task was removed since.';
  switch (found.status.id) {
    case 'landed':
      return 'The task has landed since.';
    case 'skipped':
    case 'canceled':
    case 'delivered':
      return `The task was ${found.status.id} since.`;
    default:
      return undefined;
  }
}

function sharesOf(names: readonly string[]): readonly Share[] {
  const times = new Map<string, number>();
  for (const name of names) times.set(name, (times.get(name) ?? 0) + 1);
  return [...times]
    .map(([name, count]) => ({ name, times: count }))
    .sort((a, b) => b.times - a.times);
}

/** Kinds that are shown; `--json` has all. */
const kindsMax = 20;

export function failuresText(
  failures: readonly FrequentFailure[],
  attempts: number,
  style: Style,
  width: number,
): string[] {
  if (failures.length === 0) {
    return wrap(`No failures in ${counted(attempts, 'attempt')}.`, width);
  }
  const shares = (all: readonly Share[]): string =>
    all
      .slice(0, 3)
      .map(({ name, times }) => `${name} ${times}`)
      .join(', ');
  const shown = failures.slice(0, kindsMax);
  const rows = shown.map(({ kind, times, runs, agents, types }) => [
    String(times),
    kind,
    String(runs),
    shares(agents),
    shares(types),
  ]);
  const columns = [
    { title: 'times', align: 'right' as const },
    'failure',
    { title: 'runs', align: 'right' as const },
    'agents',
    { title: 'types', gives: true },
  ];
  return [
    ...table(columns, rows, width, style.dim).map((line) => cut(line, width)),
    ...shown.flatMap(({ kind, example }) => [
      '',
      style.bold(cut(`${kind}, such as ${example.task}.${example.attempt}`, width)),
      ...wrap(`${example.what} ${example.do}`, Math.max(8, width - 2)).map((line) => `  ${line}`),
    ]),
  ];
}
