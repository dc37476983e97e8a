import type { Graph } from '../../graph/graph.ts';
import type { FoundEdge } from '../../graph/overlap.ts';
import { remainingPaths } from '../../graph/paths.ts';
import { ReadyQueue } from '../../graph/ready.ts';
import { given } from '../../model/given.ts';
import type { Task, TaskId } from '../../model/task.ts';
import { counted } from '../format/amount.ts';
import { cut } from '../format/layout.ts';
import type { Style } from '../format/style.ts';
import { table } from '../format/table.ts';

export interface PlanInput {
  readonly graph: Graph;
  /** First task first. */
  readonly criticalPath: readonly TaskId[];
  /** Tasks behind a stuck one, with its id. */
  readonly heldUp: ReadonlyMap<TaskId, TaskId>;
  /** Expected duration of a task, in any unit. */
  readonly weight: (task: Task) => number;
  /** Tasks that are done; they are left out and nothing waits for them. */
  readonly done?: ReadonlySet<TaskId>;
  readonly found?: readonly FoundEdge[];
}

export interface Plan {
  readonly tasks: readonly PlanRow[];
  readonly criticalPath: readonly TaskId[];
  /** Dependencies that no task declares; they do not change the order. */
  readonly found: readonly FoundEdge[];
  readonly totals: {
    readonly tasks: number;
    readonly ready: number;
    readonly heldUp: number;
    readonly work: number;
    /** Weight of the critical path: no number of slots makes the plan shorter. */
    readonly longest: number;
  };
}

interface PlanRow {
  readonly position: number;
  readonly id: TaskId;
  readonly title: string;
  readonly priority: number;
  readonly waitsFor: readonly TaskId[];
  readonly critical: boolean;
  /** Weight of the longest way from here to the end. */
  readonly remaining: number;
  readonly heldUpBy?: TaskId;
}

/** The order of work as data. */
export function planOf({ graph, criticalPath, heldUp, weight, done, found = [] }: PlanInput): Plan {
  const critical = new Set(criticalPath);
  const remaining = remainingPaths(graph, weight);
  const left = startOrder(graph, remaining, done);
  const rows = left.flatMap((id, at): PlanRow[] => {
    const task = graph.tasks.get(id);
    if (task === undefined) return [];
    const stuck = heldUp.get(id);
    return [
      {
        position: at + 1,
        id,
        title: task.title,
        priority: task.priority,
        waitsFor: task.after.filter((parent) => done?.has(parent) !== true),
        critical: critical.has(id),
        remaining: remaining.get(id) ?? 0,
        ...given({ heldUpBy: stuck }),
      },
    ];
  });
  const weightOf = (id: TaskId): number => {
    const task = graph.tasks.get(id);
    return task === undefined ? 0 : weight(task);
  };
  const total = (ids: readonly TaskId[]): number => ids.reduce((sum, id) => sum + weightOf(id), 0);
  return {
    tasks: rows,
    criticalPath,
    found,
    totals: {
      tasks: rows.length,
      ready: rows.filter((row) => row.waitsFor.length === 0 && row.heldUpBy === undefined).length,
      heldUp: rows.filter((row) => row.heldUpBy !== undefined).length,
      work: total(left),
      longest: total(criticalPath),
    },
  };
}

/** Order in which a run with one slot would start the tasks. */
function startOrder(
  graph: Graph,
  remaining: ReadonlyMap<TaskId, number>,
  done: ReadonlySet<TaskId> | undefined,
): TaskId[] {
  const open = (id: TaskId): boolean => done?.has(id) !== true;
  const ready = new ReadyQueue();
  const waits = new Map<TaskId, number>();
  const arrival = new Map([...graph.tasks.keys()].map((id, at) => [id, at]));
  const put = (task: Task): void => {
    const rank = remaining.get(task.id) ?? 0;
    ready.put(task.id, { priority: task.priority, rank, order: arrival.get(task.id) ?? 0 }, 0);
  };
  for (const task of graph.tasks.values()) {
    if (!open(task.id)) continue;
    const parents = [...new Set(task.after)].filter(open).length;
    waits.set(task.id, parents);
    if (parents === 0) put(task);
  }
  const order: TaskId[] = [];
  for (let id = ready.next(0, 1); id !== undefined; id = ready.next(0, 1)) {
    ready.delete(id);
    order.push(id);
    for (const child of graph.children(id)) {
      const task = graph.tasks.get(child);
      const parents = (waits.get(child) ?? 0) - 1;
      waits.set(child, parents);
      if (parents === 0 && task !== undefined && open(child)) put(task);
    }
  }
  return order;
}

/** `ym plan`: the order, dependencies, critical path and totals. */
export function planText(plan: Plan, style: Style, width: number): string[] {
  if (plan.tasks.length === 0) return ['Nothing to plan: no task is left to do.'];
  const rows = plan.tasks.map((row) => [
    String(row.position),
    { text: row.critical ? '*' : '', paint: style.yellow },
    { text: row.id, ...(row.critical ? { paint: style.bold } : {}) },
    `P${row.priority}`,
    row.heldUpBy === undefined
      ? row.waitsFor.join(', ')
      : { text: `stuck behind ${row.heldUpBy}`, paint: style.red },
    row.title,
  ]);
  const columns = [
    { title: '#', align: 'right' as const },
    '',
    'task',
    'prio',
    'waits for',
    { title: 'title', gives: true },
  ];
  return [
    ...table(columns, rows, width, style.dim),
    '',
    ...totalLines(plan, style),
    ...foundLines(plan, style, width),
  ];
}

/** Most found dependencies that are shown. */
const foundShown = 20;

function foundLines({ found }: Plan, style: Style, width: number): string[] {
  if (found.length === 0) return [];
  const lines = found.slice(0, foundShown).map(({ before, after, shared }, at) => {
    const more = shared.length > 1 ? ` and ${counted(shared.length - 1, 'other')}` : '';
    return cut(`  ${at + 1}  ${after} after ${before}: both name ${shared[0]}${more}`, width);
  });
  const rest = found.length - lines.length;
  return [
    '',
    style.yellow(
      `${counted(found.length, 'pair')} of tasks ${found.length === 1 ? 'names' : 'name'} the same files, and neither waits for the other:`,
    ),
    ...lines,
    ...(rest > 0 ? [`  and ${rest} more, in \`ym plan --json\``] : []),
    found.length === 1
      ? '`ym plan --apply 1` adds this dependency.'
      : '`ym plan --apply 1,2` or `--apply all` adds these dependencies.',
  ];
}

function totalLines({ criticalPath, totals }: Plan, style: Style): string[] {
  const path = criticalPath.join(' → ');
  const lines = [
    `${counted(totals.tasks, 'task')}, ${totals.ready} could start now` +
      (totals.heldUp > 0 ? `, ${totals.heldUp} stuck behind others` : ''),
  ];
  if (path !== '') lines.push(`${style.yellow('*')} critical path: ${path}`);
  if (totals.longest > 0) {
    const most = Math.round((totals.work / totals.longest) * 10) / 10;
    lines.push(`No more than ${counted(most, 'slot')} can be kept busy on average.`);
  }
  return lines;
}
