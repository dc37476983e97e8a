import type { TaskId } from '../model/task.ts';

/** Numbers of open tasks that wait for a task directly, and in all. */
export interface Unblocks {
  readonly direct: number;
  readonly all: number;
}

/** Counts what finishing a task unblocks. Undefined if more than `most` tasks wait. */
export function unblocksOf(
  id: TaskId,
  children: (id: TaskId) => readonly TaskId[],
  isOpen: (id: TaskId) => boolean,
  most = Number.POSITIVE_INFINITY,
): Unblocks | undefined {
  const direct = children(id).filter(isOpen);
  const found = new Set(direct);
  // Iterating over a set also visits entries that are added meanwhile.
  for (const one of found) {
    if (found.size > most) return undefined;
    for (const child of children(one)) if (isOpen(child)) found.add(child);
  }
  return { direct: direct.length, all: found.size };
}

/** The tasks that wait for a task, in order of arrival. */
export function childrenIn(
  tasks: Iterable<{ readonly id: TaskId; readonly after: readonly TaskId[] }>,
): (id: TaskId) => readonly TaskId[] {
  const below = new Map<TaskId, TaskId[]>();
  for (const { id, after } of tasks) {
    for (const parent of new Set(after)) {
      const known = below.get(parent);
      if (known === undefined) below.set(parent, [id]);
      else known.push(id);
    }
  }
  return (id) => below.get(id) ?? none;
}

const none: readonly TaskId[] = [];
