import type { Event, EventBody } from '../model/event.ts';
import type { Result } from '../model/failure.ts';
import type { AttemptRecord, RunHistory, Step } from '../model/history.ts';
import type { Note } from '../model/note.ts';
import type { QueueStep } from '../model/queue-history.ts';
import { type Owner, ofOwner, type RunId } from '../model/run.ts';
import type { LeasedRun } from '../model/run-record.ts';
import { type Of, object, time } from '../model/shape.ts';
import type { TaskId } from '../model/task.ts';
import type { StateCounts, TaskRecord, TaskState } from '../model/task-record.ts';
import type { Verdict } from '../model/verdict.ts';

export interface EventFilter {
  /** Only events with a higher number. */
  readonly after?: number;
  readonly run?: RunId;
  readonly limit?: number;
}

export interface ClaimRequest {
  readonly run: RunId;
  readonly id: TaskId;
  readonly attempt: number;
  readonly slot: number;
  readonly agent: string;
  readonly branch: string;
  /** The worker of the slot. */
  readonly worker?: string;
  /** The claim expires then, unless renewed. */
  readonly leaseUntil: number;
}

export interface AdoptRequest {
  readonly run: RunId;
  readonly id: TaskId;
  readonly attempt: number;
  /** Current owner. */
  readonly from: RunId;
  readonly slot?: number;
  readonly leaseUntil: number;
}

/** Attempts of a run, of a task, the newest ones, or all that are live. */
export type AttemptFilter =
  | { readonly run: RunId }
  | { readonly task: TaskId }
  | { readonly live: true }
  | { readonly newest: number }
  | Readonly<Record<never, never>>;

/** Holder of a lock, and the end of its lease. */
export const Holder = object({ ...ofOwner, until: time });
export type Holder = Of<typeof Holder>;

/** Records of a short status, of one moment. */
export interface StatusRecords {
  /** Tasks by state; open tasks behind a stuck one count as `blocked`. Only those in scope while the run goes on. */
  readonly counts: StateCounts;
  /** The tasks counted as `blocked`, by the kind of their failure. */
  readonly blocked: readonly (readonly [failureKind: string, count: number])[];
  /** Number of unfinished tasks outside that scope. */
  readonly outside: number;
  /** Ids of the tasks in `active` outside that scope. */
  readonly activeOutside: readonly TaskId[];
  readonly run: LeasedRun | undefined;
  /** Tasks with a live attempt or with variants at work, in order of arrival. */
  readonly active: readonly TaskRecord[];
  /** First few failed, quarantined and blocked tasks without variants, in order of arrival. */
  readonly troubled: readonly TaskRecord[];
  readonly lastSeq: number;
}

/** Chooses the run to show from the newest run and all active ones. See `StatusRecords` for `active`. */
export type Choose = (
  runs: readonly LeasedRun[],
  active: readonly TaskRecord[],
) => LeasedRun | undefined;

export type IdKind = 'tasks' | 'runs';

/** A check that failed and passed on the same tree. */
export interface Flake {
  readonly command: string;
  readonly at: number;
  /** Number of its event. */
  readonly seq: number;
}

/**
 * The event log of a project and the tables folded from it. Several processes may use one store; every method is one
 * transaction. Expected trouble (`store-busy`, `store-corrupt`, `claim-lost`, `fenced`, disk full as `store-failed`)
 * is returned as a failure; nothing throws.
 */
export interface Store {
  /** True if clones of the project on other machines may use it too. */
  readonly isShared: boolean;
  /**
   * Appends events in order and folds them into the tables, all or nothing. `writer` is the writing run, or undefined
   * for a person: their events get the store's `actor`. Fails with `fenced` for an attempt whose task another run has claimed.
   */
  append(
    at: number,
    events: readonly EventBody[],
    writer?: RunId,
  ): Promise<Result<readonly Event[]>>;
  /**
   * Claims a task: stores `attempt-started` with a higher fence than ever before. Fails with `claim-lost` if another
   * run holds it with a lease that is valid at `at`, or if the task is no longer ready.
   */
  claim(at: number, request: ClaimRequest): Promise<Result<Event>>;
  /**
   * Takes over a live attempt: stores `attempt-adopted` with a new fence. Fails with `claim-lost` unless the attempt
   * still belongs to `from`, and that run has ended or its lease has expired.
   */
  adopt(at: number, request: AdoptRequest): Promise<Result<Event>>;
  /** Extends all claims of a run, and the locks of the process that drives it. */
  renew(run: RunId, leaseUntil: number): Promise<Result<void>>;

  /** Takes a named lock if `mayTake` says so; otherwise returns its holder. */
  lock(name: string, holder: Holder, dead?: Holder): Promise<Result<Holder | undefined>>;
  holder(name: string): Promise<Result<Holder | undefined>>;
  unlock(name: string, owner: Owner): Promise<Result<void>>;

  events(filter: EventFilter): Promise<Result<readonly Event[]>>;
  /** Number of the newest event, 0 in an empty store. What other processes write may count a moment later. */
  lastSeq(): Promise<Result<number>>;
  task(id: TaskId): Promise<Result<TaskRecord | undefined>>;
  /** In order of arrival. */
  tasks(states?: readonly TaskState[]): Promise<Result<readonly TaskRecord[]>>;
  /** Tasks with a live attempt, of any run, in order of arrival. */
  live(): Promise<Result<readonly TaskRecord[]>>;
  /** Ids of tasks in order of arrival, or of runs, newest first; all, or the first `most`. */
  ids(what: IdKind, most?: number): Promise<Result<readonly string[]>>;
  /** A short status, of the run that `choose` names, or of the newest. */
  status(choose?: Choose): Promise<Result<StatusRecords>>;
  run(id: RunId): Promise<Result<LeasedRun | undefined>>;
  /** Newest first. */
  runs(limit: number): Promise<Result<readonly LeasedRun[]>>;
  verdict(tree: string, gate: string): Promise<Result<Verdict | undefined>>;
  /** In order of their start. */
  attempts(filter: AttemptFilter): Promise<Result<readonly AttemptRecord[]>>;
  /** History of a task, oldest first. */
  steps(task: TaskId): Promise<Result<readonly Step[]>>;
  runHistory(run: RunId): Promise<Result<RunHistory | undefined>>;
  /** History of the merge queue and the gates of a run, oldest first. */
  queueSteps(run: RunId): Promise<Result<readonly QueueStep[]>>;
  /** Flaky checks of all runs since `since`, oldest first. */
  flakes(since: number): Promise<Result<readonly Flake[]>>;
  /** Notes as they were at `until`, or are now, in order; also those replaced or removed since. */
  notes(until?: number): Promise<Result<readonly Note[]>>;
  /** Folds the whole log again and lists differences to the tables; empty if there are none. */
  audit(): Promise<Result<readonly string[]>>;
  close(): Promise<void>;
}

/** Records of tasks and attempts, as a store has them now or had them at a moment. */
export type TaskRecords = Pick<Store, 'task' | 'ids' | 'attempts'>;

/** All records that reports about runs read, as a store has them now or had them at a moment. */
export type StoredRecords = TaskRecords &
  Pick<Store, 'tasks' | 'runs' | 'runHistory' | 'flakes' | 'steps'>;
