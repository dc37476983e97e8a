import type { TaskRecord, TaskState } from '../../model/task-record.ts';
import { counted } from '../format/amount.ts';
import { failureIn } from '../view/state.ts';
import { isStopped, stateGlyph, stateText } from '../view/state-text.ts';
import type { TaskView } from '../view/task.ts';
import type { Drawing, DrawnEdge, DrawnNode, NodeStyle } from './drawing.ts';

const stateStyles: Readonly<Record<TaskState, NodeStyle>> = {
  open: 'waiting',
  ready: 'ready',
  blocked: 'blocked',
  working: 'active',
  claimed: 'active',
  comparing: 'active',
  finished: 'active',
  held: 'active',
  gating: 'active',
  unreviewed: 'active',
  reviewing: 'active',
  queued: 'moving',
  landing: 'moving',
  landed: 'done',
  delivered: 'moving',
  failed: 'error',
  quarantined: 'quarantined',
  canceled: 'canceled',
  skipped: 'skipped',
  done: 'done',
};

/**
 * Draws the task graph; with `all`, including tasks that are done. `views` are the tasks as lists show them. Unknown
 * dependencies are drawn as unknown nodes.
 */
export function taskDrawing(
  stored: readonly TaskRecord[],
  views: readonly TaskView[],
  all = false,
): Drawing {
  // A variant is a part of its task.
  const records = stored.filter(({ task }) => task.variantOf === undefined);
  const viewOf = new Map(views.map((view) => [view.id, view]));
  const known = new Set(records.map(({ task }) => task.id));
  const nodes: DrawnNode[] = [];
  const edges: DrawnEdge[] = [];
  const unknown = new Set<string>();
  let hidden = 0;
  for (const { task } of records) {
    const view = viewOf.get(task.id);
    if (view === undefined) continue;
    if (!all && ['landed', 'skipped', 'done'].includes(view.state)) {
      hidden += 1;
      continue;
    }
    const note = failureIn(view)?.what;
    nodes.push({
      id: view.id,
      glyph: stateGlyph(view),
      name: view.id,
      detail: stateText(view),
      style: isStopped(view) ? 'incomplete' : (stateStyles[view.state] ?? 'unknown'),
      note,
    });
    for (const parent of task.after) {
      edges.push({ from: parent, to: view.id, kind: 'needs' });
      if (!known.has(parent)) unknown.add(parent);
    }
  }
  for (const id of unknown) {
    nodes.push({ id, glyph: '?', name: id, detail: 'unknown', style: 'unknown' });
  }
  const count = counted(nodes.length, 'task');
  const also = hidden > 0 ? `, ${hidden} done not shown (--all)` : '';
  const empty =
    hidden > 0
      ? `No open tasks; ${counted(hidden, 'task is', 'tasks are')} done: ym graph --all`
      : 'No tasks';
  return { title: `${count}${also}`, empty, lanes: [], nodes, edges };
}
