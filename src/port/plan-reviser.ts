import type { Failure, Result } from '../model/failure.ts';
import type { PlanChanges } from '../model/revision.ts';
import type { TaskRecord } from '../model/task-record.ts';

/** An agent that gave up: its task, and its message. */
interface BlockedWork {
  readonly task: string;
  readonly message: string;
}

/** Writes the question about a revision of the plan, and checks the answer. Starts nothing and stores nothing. */
export interface PlanReviser {
  /** The prompt. `hasRepository` is true if the agent can read the files of the target. */
  question(known: readonly TaskRecord[], blocked: BlockedWork, hasRepository: boolean): string;
  /**
   * The changes that the answer proposes. Fails for an answer without a readable proposal, and for one that does not fit
   * the known tasks: cycles, unknown ids, tasks that are being worked on or are done.
   */
  changes(
    answer: string,
    known: readonly TaskRecord[],
    by: { readonly agent: string; readonly task: string },
  ): Result<PlanChanges, Failure>;
}
