import { Attempt, PreviousAttempt } from './attempt.ts';
import { withoutCall } from './attempt-state.ts';
import { type Choice, Variants } from './best-of.ts';
import { Failure } from './failure.ts';
import { DeliveredAs } from './run.ts';
import {
  closedUnion,
  count,
  list,
  names,
  type Of,
  object,
  optional,
  ordinal,
  text,
  time,
} from './shape.ts';
import { SourceState } from './source-change.ts';
import { Message, Task } from './task.ts';

/** Status of a task, independent of the attempt that may be under way. */
export const TaskStatus = closedUnion('id', {
  open: {},
  landed: { commit: text, run: text, at: time },
  /** Given up in this run. Another run tries again. */
  failed: { failure: Failure, run: text },
  /** Failed too often. Only a person can reopen it. */
  quarantined: { failure: Failure },
  blocked: { failure: Failure },
  canceled: { failure: Failure, at: time },
  /** Delivered as a branch or a pull request. It lands when a person merges that. */
  delivered: { how: DeliveredAs, branch: text, commit: text, url: optional(text) },
  /** Counts as done for its dependents although nothing landed. */
  skipped: { reason: text },
  done: {},
});
export type TaskStatus = Of<typeof TaskStatus>;

/** State of one task, folded from its events. */
export const TaskRecord = object({
  task: Task,
  /** Order of arrival. */
  order: count,
  /** Parents that are neither landed nor skipped, and waits that are not over. */
  blockers: count,
  waitsOver: optional(names),
  /** When it became ready. Kept while it waits for a slot. */
  readySince: optional(time),
  status: TaskStatus,
  /** State that was last written to the place it was imported from; `open` if absent. */
  writtenState: optional(SourceState),
  /** Attempts so far; also the number of the newest one. */
  attempts: count,
  /** Failed attempts since it last landed or a person last reopened it. */
  failures: count,
  /** Agent starts in the run of the newest attempt: one per attempt, and one per turn on returned work. */
  starts: count,
  /** Attempts whose worktree holds work that could not be saved. */
  unsavedAttempts: list(ordinal),
  /** The newest attempt, live or not. */
  attempt: optional(Attempt),
  /** Failed attempt whose work and failure the next attempt is shown. */
  previous: optional(PreviousAttempt),
  /** Messages from people to its agent, oldest first. */
  messages: list(Message),
  /** Work that a person handed in; the next run lands it. */
  handedIn: optional(object({ commit: text, ref: text })),
  /** Attempt of another task that co-claimed this one. Both land together. */
  coClaimedBy: optional(object({ run: text, id: text, attempt: ordinal })),
  /** Its variants, once they exist. Agents work on them, never on the task itself. */
  variants: optional(Variants),
});
export type TaskRecord = Of<typeof TaskRecord>;

/** Record of a task that no agent has worked on. */
export function newTaskRecord({
  task,
  order,
  blockers,
}: Pick<TaskRecord, 'task' | 'order' | 'blockers'>): TaskRecord {
  const none: readonly never[] = [];
  return {
    task,
    order,
    blockers,
    status: { id: 'open' },
    attempts: 0,
    failures: 0,
    starts: 0,
    unsavedAttempts: none,
    messages: none,
  };
}

/** Waits of a task that are not over. */
export function openWaits({ task, waitsOver = [] }: Pick<TaskRecord, 'task' | 'waitsOver'>) {
  return (task.wait ?? []).filter((wait) => !waitsOver.includes(wait));
}

/** The waits that keep a task from starting: all of its parents are done. */
export function lastWaits(record: TaskRecord): readonly string[] {
  const waits = record.status.id === 'open' ? openWaits(record) : [];
  return record.blockers === waits.length ? waits : [];
}

/** State of a task as shown to people and in `--json`; see the glossary. */
export type TaskState =
  | 'open'
  | 'ready'
  | 'blocked'
  | 'working'
  | 'comparing'
  | 'finished'
  | 'claimed'
  | 'held'
  | 'gating'
  | 'unreviewed'
  | 'reviewing'
  | 'queued'
  | 'landing'
  | 'landed'
  | 'delivered'
  | 'failed'
  | 'quarantined'
  | 'canceled'
  | 'skipped'
  | 'done';

/** Tasks per state; empty states are absent. */
export type StateCounts = Readonly<Partial<Record<TaskState, number>>>;

/** States in which a task is finished unless a person reopens it. */
export const finishedStates: ReadonlySet<string> = new Set<TaskState>([
  'landed',
  'delivered',
  'skipped',
  'done',
  'canceled',
]);

/** Number of tasks that are not finished. */
export function unfinishedIn(counts: StateCounts): number {
  const open = Object.entries(counts).filter(([state]) => !finishedStates.has(state));
  return open.reduce((sum, [, number]) => sum + number, 0);
}

/** State of a task by its record alone. A task behind a stuck parent is `open` here; `graph/held-up.ts` finds those. */
export function stateOf(record: TaskRecord): TaskState {
  if (record.coClaimedBy !== undefined && record.status.id === 'open') return 'claimed';
  if (record.variants !== undefined && record.status.id === 'open') {
    return record.variants.asked === undefined ? 'comparing' : 'blocked';
  }
  if (record.attempt !== undefined && record.status.id === 'open') {
    const state = withoutCall(record.attempt.state);
    switch (state.id) {
      case 'preparing':
      case 'prepared':
      case 'working':
      case 'capturing':
      case 'giving-up':
        return 'working';
      case 'gating':
        return 'gating';
      case 'unreviewed':
        return record.attempt.state.id === 'calling' ? 'reviewing' : 'unreviewed';
      case 'awaiting':
        return 'blocked';
      case 'held':
        return 'held';
      case 'finished':
        return 'finished';
      case 'queued':
        return 'queued';
      case 'landing':
        return state.stopped === true ? 'queued' : 'landing';
      case 'asking':
        return 'blocked';
      case 'returned':
      case 'between-turns':
      case 'landed':
      case 'planned':
      case 'failed':
        break;
    }
  }
  if (record.status.id !== 'open') return record.status.id;
  return record.blockers > 0 ? 'open' : 'ready';
}

/** The choice that counts: the chosen variant has landed, or is on its way. */
export function choiceOf(record: TaskRecord): Choice | undefined {
  const choice = record.variants?.choice;
  if (choice === undefined) return undefined;
  if (record.coClaimedBy?.id === choice.variant) return choice;
  return record.status.id === 'landed' || record.status.id === 'delivered' ? choice : undefined;
}

/** True if a person removed the task with `ym rm`. */
export function isRemoved({ status }: TaskRecord): boolean {
  if (status.id !== 'canceled') return false;
  return status.failure.kind === 'canceled-by-person' && status.failure.removed === true;
}

/** True if the children of the task may start. */
export function satisfies(record: TaskRecord | undefined): boolean {
  switch (record?.status.id) {
    case 'landed':
    case 'skipped':
    case 'done':
      return true;
    case 'delivered':
      return record.status.how === 'stack';
    default:
      return false;
  }
}

/** True if the children of the task cannot start without a person or another run. */
export function isStuck(record: TaskRecord): boolean {
  switch (record.status.id) {
    case 'failed':
    case 'quarantined':
    case 'blocked':
    case 'canceled':
      return true;
    case 'delivered':
      return !satisfies(record);
    case 'open':
    case 'landed':
    case 'skipped':
    case 'done':
      return false;
  }
}
