import type { Attempt, PreviousAttempt } from './attempt.ts';
import { withoutCall } from './attempt-state.ts';
import type { Failure } from './failure.ts';
import type { RunId } from './run.ts';
import type { Message, Task, TaskId } from './task.ts';

/** Status of a task, independent of the attempt that may be under way. */
export type TaskStatus =
  | { readonly id: 'open' }
  | { readonly id: 'landed'; readonly commit: string; readonly run: RunId; readonly at: number }
  /** Given up in this run. Another run tries again. */
  | { readonly id: 'failed'; readonly failure: Failure; readonly run: RunId }
  /** Failed too often. Only a person can reopen it. */
  | { readonly id: 'quarantined'; readonly failure: Failure }
  | { readonly id: 'blocked'; readonly failure: Failure }
  | { readonly id: 'canceled'; readonly failure: Failure; readonly at: number }
  /** Delivered as a branch or a pull request. It lands when a person merges that. */
  | {
      readonly id: 'delivered';
      readonly how: 'branch' | 'pr' | 'stack';
      readonly branch: string;
      readonly commit: string;
      readonly url?: string;
    }
  /** Counts as done for its dependents although nothing landed. */
  | { readonly id: 'skipped'; readonly reason: string };

/** State of one task, folded from its events. */
export interface TaskRecord {
  readonly task: Task;
  /** Order of arrival. */
  readonly order: number;
  /** Parents that are neither landed nor skipped. */
  readonly blockers: number;
  /** When it became ready. Kept while it waits for a slot. */
  readonly readySince?: number;
  readonly status: TaskStatus;
  /** Attempts so far; also the number of the newest one. */
  readonly attempts: number;
  /** Failed attempts since it last landed or a person last reopened it. */
  readonly failures: number;
  /** Agent starts in one run: one per attempt, and one per turn on returned work. */
  readonly starts?: { readonly run: RunId; readonly count: number };
  /** Attempts whose worktree holds work that could not be saved. */
  readonly unsavedAttempts?: readonly number[];
  /** The newest attempt, live or not. */
  readonly attempt?: Attempt;
  /** Failed attempt whose work and failure the next attempt is shown. */
  readonly previous?: PreviousAttempt;
  /** Messages from people to its agent, oldest first. */
  readonly messages?: readonly Message[];
  /** Work that a person handed in; the next run lands it. */
  readonly handedIn?: { readonly commit: string; readonly ref: string };
  /** Attempt of another task that co-claimed this one. Both land together. */
  readonly coClaimedBy?: { readonly run: RunId; readonly id: TaskId; readonly attempt: number };
}

/** State of a task as shown to people and in `--json`; see the glossary. */
export type TaskState =
  | 'open'
  | 'ready'
  | 'blocked'
  | 'working'
  | 'held'
  | 'gating'
  | 'reviewing'
  | 'queued'
  | 'landing'
  | 'landed'
  | 'delivered'
  | 'failed'
  | 'quarantined'
  | 'canceled'
  | 'skipped';

/** State of a task by its record alone. A task behind a stuck parent is `open` here; `graph/held-up.ts` finds those. */
export function stateOf(record: TaskRecord): TaskState {
  if (record.coClaimedBy !== undefined && record.status.id === 'open') return 'working';
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
        return 'reviewing';
      case 'awaiting':
        return 'blocked';
      case 'held':
        return 'held';
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
      return false;
  }
}
