import type { Document, Path, Problem } from '../document/document.ts';
import { problemAt } from '../document/document.ts';
import {
  defaultPriority,
  defaultType,
  idFromTitle,
  type Task,
  type TaskId,
} from '../model/task.ts';
import type { TaskInput } from './schema.ts';

/** A task that has an id, with the defaults for whatever was left out. */
export function toTask(id: TaskId, input: TaskInput): Task {
  return {
    id,
    title: input.title,
    body: input.body ?? '',
    after: [...new Set(input.after ?? [])],
    priority: input.priority ?? defaultPriority,
    type: input.type ?? defaultType,
    labels: [...new Set(input.labels ?? [])],
    paths: input.paths ?? [],
    scope: input.scope ?? 'predicted',
    checks: input.checks ?? [],
    ...(input.agent === undefined ? {} : { agent: input.agent }),
  };
}

/** Gives ids to the tasks of one document, and refuses an id that is given twice there. */
export function assemble(
  inputs: readonly TaskInput[],
  document: Document,
  pathOf: (at: number) => Path,
): { readonly tasks: readonly Task[]; readonly problems: readonly Problem[] } {
  const problems: Problem[] = [];
  const taken = new Map<string, number | undefined>();
  for (const [at, { id }] of inputs.entries()) {
    if (id === undefined) continue;
    const line = document.lineOf([...pathOf(at), 'id']);
    const key = id.toLowerCase();
    if (taken.has(key)) problems.push(twice(id, line, taken.get(key)));
    else taken.set(key, line);
  }
  const next = new Map<string, number>();
  const tasks = inputs.map((input, at) => {
    if (input.id !== undefined) return toTask(input.id, input);
    const wanted = idFromTitle(input.title) || `task-${at + 1}`;
    return toTask(freeId(wanted, taken, next), input);
  });
  return { tasks, problems };
}

function twice(id: TaskId, line: number | undefined, first: number | undefined): Problem {
  const where = first === undefined ? '' : ` (first on line ${first})`;
  return problemAt(
    line,
    `the id "${id}" is used a second time${where}`,
    'Give each task an id of its own; letter case does not tell ids apart.',
  );
}

/** `next` remembers the last number given to a name, so that many equal titles cost no search. */
function freeId(
  wanted: TaskId,
  taken: Map<string, number | undefined>,
  next: Map<string, number>,
): TaskId {
  let number = next.get(wanted) ?? 1;
  let id = number === 1 ? wanted : `${wanted}-${number}`;
  while (taken.has(id)) {
    number += 1;
    id = `${wanted}-${number}`;
  }
  next.set(wanted, number);
  taken.set(id, undefined);
  return id;
}
