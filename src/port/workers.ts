import type { Result } from '../model/failure.ts';
import type {
  Announced,
  Interruption,
  Job,
  JobEnd,
  KnownWorker,
  RefAt,
  SharedProject,
} from '../model/job.ts';
import type { RunId } from '../model/run.ts';

/** The side of the process that drives a run. Trouble of the database is a failure; nothing throws. */
export interface Dispatch {
  publish(project: SharedProject): Promise<Result<void>>;
  workers(): Promise<Result<readonly KnownWorker[]>>;
  /** Gives a job to a worker, unless it has it already, and resolves with its end, or undefined once `signal` aborts. */
  perform(worker: string, job: Job, signal: AbortSignal): Promise<Result<JobEnd | undefined>>;
  /** Forgets the end of a job, so that the same command can be given again. */
  forget(worker: string, job: string): Promise<Result<void>>;
  /** Asks a worker to interrupt now. */
  interrupt(worker: string, interruption: Interruption): Promise<Result<void>>;
  close(): Promise<void>;
}

/** The side of a worker. */
export interface Assignments {
  /** Undefined as long as no run has published it. */
  project(): Promise<Result<SharedProject | undefined>>;
  /** Also says that the worker is alive. Returns what `project` does. Fails with `usage` if another process has its name. */
  announce(worker: Announced): Promise<Result<SharedProject | undefined>>;
  /**
   * Takes jobs of a worker, which was announced, as they come until `signal` aborts; then waits for those that run. Jobs that an earlier
   * process of the worker left come again. Fails if such a process is still there.
   */
  serve(worker: string, handle: JobHandler, signal: AbortSignal): Promise<Result<void>>;
  close(): Promise<void>;
}

export interface JobHandler {
  perform(job: Job): Promise<JobEnd>;
  interrupt(interruption: Interruption): Promise<void>;
}

/** Shares outputs and prompts of attempts between machines. */
export interface SharedFiles {
  /** Sends what is new in a folder of a run, without secrets; `isOver` if nothing writes there now. */
  send(run: RunId, folder: string, isOver: boolean): Promise<Result<void>>;
  /** Writes what other machines have sent into the run's folder on this one. */
  fetch(run: RunId): Promise<Result<void>>;
  close(): Promise<void>;
}

/** Carries commits between repositories through a shared one. */
export interface Courier {
  /** Puts commits where others can get them, unless `signal` aborts. Known ones cost nothing. */
  send(commits: readonly string[], signal?: AbortSignal): Promise<void>;
  /** Puts work where it stays after the run, under its refs, unless `signal` aborts. */
  keep(refs: readonly RefAt[], signal?: AbortSignal): Promise<void>;
  /** Work that was put there to stay, of all runs. Fails if `signal` aborts. */
  kept(signal?: AbortSignal): Promise<readonly RefAt[]>;
  /** Gets commits that this repository lacks. */
  fetch(commits: readonly string[]): Promise<void>;
  /** Gets everything that was sent for the run. */
  fetchAll(): Promise<void>;
  /** Removes everything that was sent for the run, in one call for every few commits. Ends with the first that fails. */
  clear(limit?: CallLimit): Promise<void>;
}

/** Limit of calls to a shared repository: one ends after `callMs`, and all of them once `signal` aborts. */
export interface CallLimit {
  readonly signal?: AbortSignal;
  readonly callMs?: number;
}
