import type { Failure } from '../model/failure.ts';
import type { Task, TaskId } from '../model/task.ts';

/** The type of a task that is there to resolve the conflict of another one. */
export const conflictType = 'conflict';

const label = 'conflict:';

/** One task has at most one conflict task, however often it comes to a conflict. */
export function conflictTaskId(id: TaskId): TaskId {
  return `${id.slice(0, 70)}-conflict`;
}

/** The task whose conflict this one is there to resolve. */
export function conflictOf({ type, labels }: Task): TaskId | undefined {
  if (type !== conflictType) return undefined;
  return labels.find((one) => one.startsWith(label))?.slice(label.length);
}

/** What is filed when the agent that made the work could not resolve its conflict: by another one, or by a person. */
export function conflictTask(
  task: Task,
  branch: string,
  { files, targetLog, branchLog, stat }: Extract<Failure, { kind: 'conflict' }>,
  target: string,
): Task {
  const part = (head: string, text: string | undefined): readonly string[] =>
    text === undefined || text === '' ? [] : [`${head}\n\n${text}`];
  return {
    id: conflictTaskId(task.id),
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
