import { ok, type Result } from '../model/failure.ts';
import { counted } from '../report/format/amount.ts';
import { isDone } from '../report/format/glyph.ts';
import { plain } from '../report/format/style.ts';
import { render } from '../report/graph/render.ts';
import { taskDrawing } from '../report/graph/tasks.ts';
import { type WrittenFormat, writtenPlan } from '../source/written-plan.ts';
import { type ListOptions, tasksListed } from './explain.ts';
import type { Liveness, Opened } from './ports.ts';

export type ExportFormat = WrittenFormat | 'mermaid';

interface ExportOptions extends ListOptions {
  readonly format: ExportFormat;
}

/** Tasks as text, and how many. All but Mermaid can be imported again. */
interface ExportedTasks {
  readonly text: string;
  readonly count: number;
}

export async function exportTasks(
  ports: Liveness & Pick<Opened, 'store' | 'git'>,
  { format, ...list }: ExportOptions,
): Promise<Result<ExportedTasks>> {
  const listed = await tasksListed(ports, list);
  if (!listed.ok) return listed;
  const records = await ports.store.tasks();
  if (!records.ok) return records;
  const stateOf = new Map(listed.value.tasks.map(({ id, state }) => [id, state]));
  const chosen = records.value.filter(({ task }) => stateOf.has(task.id));
  const count = chosen.length;
  if (format === 'mermaid') {
    const { nodes, edges, ...drawing } = taskDrawing(records.value, listed.value.tasks, true);
    const kept = {
      ...drawing,
      title: counted(count, 'task'),
      nodes: nodes.filter(({ id }) => stateOf.has(id)),
      edges: edges.filter(({ from, to }) => stateOf.has(from) && stateOf.has(to)),
    };
    return ok({ text: render(kept, format, plain, Number.POSITIVE_INFINITY), count });
  }
  const written = chosen.map(({ task }) => {
    const state = stateOf.get(task.id);
    return { task, done: state !== undefined && isDone(state) };
  });
  return ok({ text: writtenPlan(written, format), count });
}
