import type { Failure, Result } from '../model/failure.ts';
import type { Task } from '../model/task.ts';

/** Where tasks come from. Reading is all or nothing: one bad item and no task is given. */
export interface TaskSource {
  /** For people: the file, folder or tracker. */
  readonly name: string;
  list(): Promise<Result<readonly Task[], readonly Failure[]>>;
  /** For people, after `list`: how a source was read that could have been meant in another way. */
  note?(): string | undefined;
}
