import { buildGraph } from '../../graph/graph.ts';
import { criticalPath, weightsOf } from '../../graph/paths.ts';
import type { TaskId } from '../../model/task.ts';
import { isRemoved, satisfies, stateOf, type TaskRecord } from '../../model/task-record.ts';

/** A task with its edges, for drawings that know the state of tasks from elsewhere. */
export interface GraphNode {
  readonly id: TaskId;
  readonly title: string;
  readonly after: readonly TaskId[];
  readonly state: string;
  readonly priority: number;
  readonly type: string;
  readonly parent?: TaskId;
  readonly labels: readonly string[];
}

export interface TaskNodes {
  /** In order of arrival. */
  readonly nodes: readonly GraphNode[];
  /** Tasks on the longest path of work that is left, in order. */
  readonly critical: readonly TaskId[];
}

export function taskNodes(records: readonly TaskRecord[]): TaskNodes {
  const shown = records.filter(
    (record) => !isRemoved(record) && record.task.variantOf === undefined,
  );
  const nodes = shown.map((record): GraphNode => {
    const { id, title, after, priority, type, parent, labels } = record.task;
    return {
      id,
      title,
      after,
      state: stateOf(record),
      priority,
      type,
      labels,
      parent,
    };
  });
  const left = shown.filter((record) => !satisfies(record)).map(({ task }) => task);
  const ids = new Set(left.map(({ id }) => id));
  const open = left.map((task) => ({ ...task, after: task.after.filter((id) => ids.has(id)) }));
  const graph = buildGraph(open);
  return { nodes, critical: graph.ok ? criticalPath(graph.value, weightsOf(open)) : [] };
}
