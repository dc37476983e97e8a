import type { Variants } from '../model/best-of.ts';
import { type Result, usage } from '../model/failure.ts';
import type { TaskId } from '../model/task.ts';
import { choiceOf, type TaskRecord } from '../model/task-record.ts';

/** Variants do the work of their task, so it has none of its own. `remedy` gets the chosen variant, or the first. */
export function seeVariants(
  record: TaskRecord,
  { ids }: Variants,
  what: 'work' | 'output' | 'prompt',
  remedy: (variant: TaskId | undefined, isChosen: boolean) => string,
): Result<never> {
  const chosen = choiceOf(record)?.variant;
  const whose =
    chosen === undefined ? `its variants: ${ids.join(', ')}` : `its chosen variant ${chosen}`;
  return usage(
    `the ${what} of "${record.task.id}" is that of ${whose}`,
    remedy(chosen ?? ids[0], chosen !== undefined),
  );
}
