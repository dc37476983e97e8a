import type { Failure } from '../model/failure.ts';
import { hashOf } from '../model/hash.ts';
import { newTask, type Task, type TaskId } from '../model/task.ts';

/** Type of tasks that resolve the conflict of another task. */
const conflictType = 'conflict';

/** Label prefix of a conflict task, followed by the id of the task whose conflict it resolves. */
export const conflictPrefix = 'conflict:';

/** Id of the one conflict task of a task. If an unrelated task has that id, the next number is tried. */
export function conflictTaskId(id: TaskId, taken: (id: TaskId) => Task | undefined): TaskId {
  const stem = id.length <= stemChars ? id : `${id.slice(0, stemChars - 9)}-${mark(id)}`;
  for (let n = 1; ; n += 1) {
    const name = n === 1 ? `${stem}-conflict` : `${stem}-conflict-${n}`;
    const other = taken(name);
    if (other === undefined || conflictOf(other) === id) return name;
  }
}

/** Leaves room for the suffix: an id has at most 80 characters. */
const stemChars = 66;

/** Keeps truncated ids with the same beginning distinct. */
function mark(text: string): string {
  return hashOf(text).toString(16).padStart(8, '0');
}

export function conflictOf({ type, labels }: Pick<Task, 'type' | 'labels'>): TaskId | undefined {
  if (type !== conflictType) return undefined;
  return labels.find((one) => one.startsWith(conflictPrefix))?.slice(conflictPrefix.length);
}

/** Task that is filed when an agent could not resolve the conflict of its own work. */
export function conflictTask(
  id: TaskId,
  task: Task,
  branch: string,
  { files, targetLog, branchLog, stat }: Extract<Failure, { kind: 'conflict' }>,
  target: string,
): Task {
  const part = (head: string, text: string | undefined): readonly string[] =>
    text === undefined || text === '' ? [] : [`${head}\n\n${text}`];
  return newTask({
    id,
    title: `Resolve the conflict of ${task.id} with ${target}`,
    body: [
      `The work of task ${task.id} ("${task.title}") is on the branch ${branch} and does not merge with ${target}.`,
      `Merge ${branch} into your branch, keep what both sides added, and see that the tests pass. A person can do it with \`ym resolve ${task.id}\`.`,
      ['Files in conflict:', ...files.map((file) => `- ${file}`)].join('\n'),
      ...part(`What ${branch} did:`, branchLog),
      ...part(`What ${target} did meanwhile:`, targetLog),
      ...part('Files that changed:', stat),
    ].join('\n\n'),
    priority: task.priority,
    type: conflictType,
    labels: [`${conflictPrefix}${task.id}`],
    paths: files,
    checks: task.checks,
  });
}
