import type { Event, EventBody } from '../model/event.ts';
import type { Result } from '../model/failure.ts';
import type { Owner, RunId } from '../model/run.ts';
import type { TaskId } from '../model/task.ts';
import type { Verdict } from '../model/verdict.ts';
import type { RunRecord, TaskRecord, TaskState } from '../plan/record.ts';

export interface EventFilter {
  /** Only events after this number. */
  readonly after?: number;
  readonly run?: RunId;
  readonly task?: TaskId;
  readonly limit?: number;
}

export interface ClaimRequest {
  readonly run: RunId;
  readonly id: TaskId;
  readonly attempt: number;
  readonly slot: number;
  readonly agent: string;
  readonly branch: string;
  /** Until when the claim holds without `renew`. */
  readonly leaseUntil: number;
}

export interface AdoptRequest {
  readonly run: RunId;
  readonly id: TaskId;
  readonly attempt: number;
  /** The run it is taken from. */
  readonly from: RunId;
  readonly slot?: number;
  readonly leaseUntil: number;
}

/** Who holds a lock. `until`: the last sign of life covers the time up to then. */
export interface Holder extends Owner {
  readonly until?: number;
}

/** A check that said two things of one tree. */
export interface Flake {
  readonly command: string;
  readonly at: number;
}

/**
 * The event log of a project and the tables that are its fold. Several processes may use one store at once; every verb
 * is one transaction. Expected trouble (`store-busy`, `store-corrupt`, `claim-lost`, `fenced`, disk full as
 * `store-failed`) comes back as a failure; nothing throws.
 */
export interface Store {
  /**
   * Appends events in order and folds them into the tables, all or nothing. `writer` is the run that writes, or
   * undefined for a person: an attempt event of a task that another run holds the claim of is `fenced`.
   */
  append(
    at: number,
    events: readonly EventBody[],
    writer?: RunId,
  ): Promise<Result<readonly Event[]>>;
  /**
   * Takes a task: stores `attempt-started` with a fence higher than any before. `claim-lost` when another run holds it
   * with a lease that has not run out at `at`, or when the task is not open and ready any more.
   */
  claim(at: number, wish: ClaimRequest): Promise<Result<Event>>;
  /**
   * Takes a live attempt over: stores `attempt-adopted` with a new fence. `claim-lost` unless the attempt still belongs to
   * `from`, and that run has ended or its claim has run out.
   */
  adopt(at: number, wish: AdoptRequest): Promise<Result<Event>>;
  /** Prolongs all claims of a run, and its lock. */
  renew(run: RunId, leaseUntil: number): Promise<Result<void>>;

  /** Takes a named lock when it is free or held by `instead`; otherwise says who holds it. */
  lock(name: string, owner: Owner, instead?: Owner): Promise<Result<Owner | undefined>>;
  holder(name: string): Promise<Result<Holder | undefined>>;
  unlock(name: string, owner: Owner): Promise<Result<void>>;

  events(filter: EventFilter): Promise<Result<readonly Event[]>>;
  /** Number of the newest event, 0 in an empty store. */
  lastSeq(): Promise<Result<number>>;
  task(id: TaskId): Promise<Result<TaskRecord | undefined>>;
  /** In order of arrival. */
  tasks(states?: readonly TaskState[]): Promise<Result<readonly TaskRecord[]>>;
  taskIds(): Promise<Result<readonly TaskId[]>>;
  /** How many tasks are in each state; open tasks behind a stuck parent count as `blocked`. */
  counts(): Promise<Result<Readonly<Partial<Record<TaskState, number>>>>>;
  run(id: RunId): Promise<Result<RunRecord | undefined>>;
  /** Newest first. */
  runs(limit: number): Promise<Result<readonly RunRecord[]>>;
  verdict(tree: string, gate: string): Promise<Result<Verdict | undefined>>;
  /** The checks of any run that were red and then green on the same tree, `since` then, oldest first. */
  flakes(since: number): Promise<Result<readonly Flake[]>>;
  /** Folds the whole log again and lists where the tables differ from it; empty when all is well. */
  audit(): Promise<Result<readonly string[]>>;
  close(): Promise<void>;
}
