import { type Failure, fail, ok } from '../../src/model/failure.ts';
import type { Task } from '../../src/model/task.ts';
import type { TaskSource } from '../../src/source/plan-file.ts';

/** Tasks that are there already; with failures, a source that cannot be read. */
export function memorySource(
  name: string,
  tasks: readonly Task[],
  failures: readonly Failure[] = [],
): TaskSource {
  return { name, list: async () => (failures.length > 0 ? fail(failures) : ok(tasks)) };
}
