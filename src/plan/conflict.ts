import type { Failure } from '../model/failure.ts';
import type { Task, TaskId } from '../model/task.ts';
import { hashOf } from './hash.ts';

/** The type of a task that is there to resolve the conflict of another one. */
export const conflictType = 'conflict';

const label = 'conflict:';

/**
 * The id of the conflict task of a task: one, however often it comes to a conflict. Another task may have that name by
 * chance; then the next one is tried.
 */
export function conflictTaskId(id: TaskId, taken: (id: TaskId) => Task | undefined): TaskId {
  const stem = id.length <= stemChars ? id : `${id.slice(0, stemChars - 9)}-${mark(id)}`;
  for (let n = 1; ; n += 1) {
    const name = n === 1 ? `${stem}-conflict` : `${stem}-conflict-${n}`;
    const other = taken(name);
    if (other === undefined || conflictOf(other) === id) return name;
  }
}

/** An id has at most 80 characters, and some are added to it here. */
const stemChars = 66;

/** Tells long names with the same beginning apart. */
function mark(text: string): string {
  return hashOf(text).toString(16).padStart(8, '0');
}

/** The task whose conflict this one is there to resolve. */
export function conflictOf({ type, labels }: Task): TaskId | undefined {
  if (type !== conflictType) return undefined;
  return labels.find((one) => one.startsWith(label))?.slice(label.length);
}

/** What is filed when the agent that made the work could not resolve its conflict: by another one, or by a person. */
export function conflictTask(
  id: TaskId,
  task: Task,
  branch: string,
  { files, targetLog, branchLog, stat }: Extract<Failure, { kind: 'conflict' }>,
  target: string,
): Task {
  const part = (head: string, text: string | undefined): readonly string[] =>
    text === undefined || text === '' ? [] : [`${head}\n\n${text}`];
  return {
    id,
    title: `Resolve the conflict of ${task.id} with ${target}`,
    body: [
      `The work of task ${task.id} ("${task.title}") is on the branch ${branch} and does not merge with ${target}.`,
      `Merge ${branch} into your branch, keep what both sides added, and see that the tests pass. A person can do it by \`ym resolve ${task.id}\`.`,
      ['Files in conflict:', ...files.map((file) => `- ${file}`)].join('\n'),
      ...part(`What ${branch} did:`, branchLog),
      ...part(`What ${target} did meanwhile:`, targetLog),
      ...part('Files that changed:', stat),
    ].join('\n\n'),
    after: [],
    priority: task.priority,
    type: conflictType,
    labels: [`${label}${task.id}`],
    paths: files,
    scope: 'predicted',
    checks: task.checks,
  };
}
