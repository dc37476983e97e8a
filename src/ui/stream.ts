import type { EventLine, StreamMessages, ViewAnswer, ViewChange } from '../web/contract.ts';

/** State of a project, made from the messages of its stream so far. */
export interface Live {
  readonly view?: ViewAnswer;
  /** Newest first. */
  readonly events: readonly EventLine[];
  /** Grows whenever text or edges of tasks change, so that the graph is fetched again. */
  readonly graph: number;
}

export const nothingYet: Live = { events: [], graph: 0 };

const eventsKept = 500;

export function afterMessage<Kind extends keyof StreamMessages>(
  live: Live,
  kind: Kind,
  data: StreamMessages[Kind],
): Live {
  switch (kind) {
    case 'view':
      return { ...live, view: data as ViewAnswer, graph: live.graph + 1 };
    case 'change':
      return afterChange(live, data as ViewChange);
    case 'events':
      return { ...live, events: withEvents(live.events, data as StreamMessages['events']) };
    default:
      return live;
  }
}

/** A change that comes before any view, or again after a reconnect, changes nothing. */
function afterChange(live: Live, change: ViewChange): Live {
  const { view } = live;
  if (view === undefined || change.seq < view.seq) return live;
  const { seq, last, set, tasks, gone, graph } = change;
  return {
    ...live,
    view: { ...view, ...set, seq, last, tasks: withTasks(view.tasks, tasks, gone) } as ViewAnswer,
    graph: live.graph + (graph ? 1 : 0),
  };
}

function withTasks(
  tasks: ViewAnswer['tasks'],
  changed: ViewAnswer['tasks'],
  gone: readonly string[],
): ViewAnswer['tasks'] {
  if (changed.length === 0 && gone.length === 0) return tasks;
  const left = new Map(changed.map((task) => [task.id, task]));
  const without = new Set(gone);
  const kept = tasks.flatMap((task) => {
    const now = left.get(task.id) ?? task;
    left.delete(task.id);
    return without.has(task.id) ? [] : [now];
  });
  return [...kept, ...left.values()];
}

function withEvents(
  known: readonly EventLine[],
  { events }: StreamMessages['events'],
): readonly EventLine[] {
  const newest = known[0]?.seq ?? 0;
  const fresh = events.filter(({ seq }) => seq > newest).toReversed();
  return fresh.length === 0 ? known : [...fresh, ...known].slice(0, eventsKept);
}
