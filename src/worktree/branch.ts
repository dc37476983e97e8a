import type { RunId } from '../model/run.ts';
import type { TaskId } from '../model/task.ts';

/** The branch an attempt works on. Task ids are valid parts of ref names by construction. */
export function branchOf(run: RunId, task: TaskId, attempt: number): string {
  return `yard/${run}/${task}-${attempt}`;
}

/** Holds accepted work that has not landed, so that no clean-up of git can take it. */
export function keepRef(run: RunId, task: TaskId, attempt: number): string {
  return `refs/yard/keep/${run}/${task}-${attempt}`;
}
