import { type Document, type Problem, problemAt } from '../document/document.ts';
import { given } from '../model/given.ts';
import {
  defaultPriority,
  defaultType,
  idFromTitle,
  type Task,
  type TaskId,
} from '../model/task.ts';
import type { TaskInput } from './schema.ts';

/** Fills in the defaults of a task. */
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
    ...given({ agent: input.agent }),
  };
}

/** Gives every task of a document an id. Reports ids that are used twice; letter case does not tell ids apart. */
export function assemble(
  inputs: readonly TaskInput[],
  document: Document,
): { readonly tasks: readonly Task[]; readonly problems: readonly Problem[] } {
  const problems: Problem[] = [];
  const lineOf = (at: number): number | undefined => document.lineOf(['tasks', at, 'id']);
  const taken = new Map<string, number>();
  for (const [at, { id }] of inputs.entries()) {
    if (id === undefined) continue;
    const first = taken.get(id.toLowerCase());
    if (first === undefined) taken.set(id.toLowerCase(), at);
    else problems.push(usedTwice(id, lineOf(at), lineOf(first)));
  }
  const next = new Map<string, number>();
  const tasks = inputs.map((input, at) => {
    if (input.id !== undefined) return toTask(input.id, input);
    const wanted = idFromTitle(input.title) || `task-${at + 1}`;
    const id = freeId(wanted, taken, next);
    taken.set(id, at);
    return toTask(id, input);
  });
  return { tasks, problems };
}

function usedTwice(id: TaskId, line: number | undefined, first: number | undefined): Problem {
  const where = first === undefined ? '' : ` (first on line ${first})`;
  return problemAt(
    line,
    `the id "${id}" is used a second time${where}`,
    'Give each task its own id; letter case does not tell ids apart.',
  );
}

/** Finds an id that is not taken. `next` keeps the last number of each name, so that many equal titles stay cheap. */
function freeId(
  wanted: TaskId,
  taken: ReadonlyMap<string, number>,
  next: Map<string, number>,
): TaskId {
  let number = next.get(wanted) ?? 1;
  let id = number === 1 ? wanted : `${wanted}-${number}`;
  while (taken.has(id)) {
    number += 1;
    id = `${wanted}-${number}`;
  }
  next.set(wanted, number);
  return id;
}
