import { PlannerSpend } from './batch.ts';
import { Failure } from './failure.ts';
import {
  closedUnion,
  list,
  names,
  type Of,
  object,
  optional,
  ordinal,
  text,
  time,
} from './shape.ts';
import { Task } from './task.ts';

export const CanceledTask = object({ id: text, reason: text });
export type CanceledTask = Of<typeof CanceledTask>;

const changes = { added: list(Task), changed: list(Task), canceled: list(CanceledTask) };

/** Changes of stored tasks that an agent proposes. */
export const PlanChanges = object(changes);
export type PlanChanges = Of<typeof PlanChanges>;

/** The tasks of a proposal, each with what would become of it. */
export function changeNames({ added, changed, canceled }: PlanChanges): readonly string[] {
  return [
    ...added.map(({ id }) => `+ ${id}`),
    ...changed.map(({ id }) => `~ ${id}`),
    ...canceled.map(({ id }) => `- ${id}`),
  ];
}

/** Result of asking an agent to revise the plan. */
export const RevisionOutcome = closedUnion('id', {
  proposed: changes,
  unchanged: {},
  failed: { failure: Failure },
});
export type RevisionOutcome = Of<typeof RevisionOutcome>;

export const RevisionsRecord = object({
  /** Tasks whose agents gave up, until a revision is asked for. */
  due: names,
  /** Tasks for which a revision was asked for, once for each call. */
  asked: names,
  call: optional(
    object({
      number: ordinal,
      id: text,
      agent: text,
      model: optional(text),
      reasoning: optional(text),
      since: time,
    }),
  ),
  spent: list(PlannerSpend),
});
export type RevisionsRecord = Of<typeof RevisionsRecord>;

export const noRevisions: RevisionsRecord = { due: [], asked: [], spent: [] };

export const revisionLimits = {
  perRun: 10,
  wallMs: 10 * 60_000,
} as const;
