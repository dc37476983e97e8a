import type { Config } from '../config/config.ts';
import { filesOf } from '../engine/dispatcher.ts';
import { attemptRefs } from '../engine/job-refs.ts';
import { keyOf } from '../model/command.ts';
import { type Failure, fail, ok, type Result } from '../model/failure.ts';
import { isSetup } from '../model/fault.ts';
import {
  type Announced,
  type Interruption,
  type Job,
  type JobEnd,
  jobLimits,
  type RefAt,
} from '../model/job.ts';
import type { RunId } from '../model/run.ts';
import { caught, outcomeOf, settled } from '../model/trouble.ts';
import type { Assignments, Courier, SharedFiles } from '../port/workers.ts';
import { explain } from '../report/explain/explain.ts';
import { LastCalls } from './last-calls.ts';
import { LeftWork, type WorkReports } from './left-work.ts';
import type { Opened } from './ports.ts';
import { closed, type OpenRun, openRun } from './worker-run.ts';

interface VersionReports {
  /** Called if the latest run has another version than the worker, once until that changes. */
  readonly onOtherVersion: (run: string) => void;
}

interface Parts extends VersionReports {
  readonly assignments: Pick<Assignments, 'announce'>;
  readonly self: Omit<Announced, 'state'>;
}

/** Announces a worker with every heartbeat. The answer has the version of the latest run. */
export class Announcement {
  readonly #parts: Parts;
  /** Version of the run that was reported last. */
  #other: string | undefined;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  async send(state: Announced['state']): Promise<Result<unknown>> {
    const { assignments, self, onOtherVersion } = this.#parts;
    const told = await assignments.announce({ ...self, state });
    const version = told.ok ? told.value?.version : undefined;
    if (state !== 'joined' || version === undefined) return told;
    const other = version === self.version ? undefined : version;
    if (other !== undefined && other !== this.#other) onOtherVersion(other);
    this.#other = other;
    return told;
  }
}

/** Parts of a worker: a repository of its own with the shared store, and the ways to jobs and commits. */
export interface WorkerParts extends WorkReports, VersionReports {
  /** Opens the repository with these refs; the first one, the target, is checked out. Its commits are there. */
  readonly open: (refs: readonly RefAt[]) => Promise<Result<Opened>>;
  /** Opens the repository as the last job of an earlier process left it; undefined if there was none. */
  readonly reopen: () => Promise<Result<Opened | undefined>>;
  readonly assignments: Assignments;
  readonly courier: (run: RunId) => Promise<Result<Courier>>;
  readonly files: (project: Opened, config: Config) => SharedFiles;
  readonly self: Omit<Announced, 'state'>;
  readonly onJob: (job: Job, end?: JobEnd) => void;
  /** Limits calls to the shared repository while the worker drains, if not as usual. */
  readonly lastCalls?: LastCalls;
}

/**
 * Performs commands of any run of the project in worktrees on this machine, until `drain` aborts and no attempt needs it
 * any more. A command that was under way when an earlier process of this worker died comes again and finds its traces.
 */
export class Worker {
  readonly #parts: WorkerParts;
  readonly #lastCalls: LastCalls;
  readonly #runs = new Map<RunId, Promise<Result<OpenRun>>>();
  /** Jobs under way, by the work they ask for: a run that was resumed may ask again, in other words. */
  readonly #jobs = new Map<string, Promise<JobEnd>>();
  /** Ids of these jobs. */
  readonly #underway = new Set<string>();
  /** Jobs that are performed now, and where their files go. */
  readonly #work = new Map<Job, SharedFiles>();
  /** Work that an earlier process left, until it is shared. */
  readonly #left: LeftWork;
  readonly #announcement: Announcement;
  #isHalted = false;
  #upkeep: Promise<void> | undefined;

  constructor(parts: WorkerParts) {
    const { lastCalls = new LastCalls() } = parts;
    this.#parts = parts;
    this.#lastCalls = lastCalls;
    this.#left = new LeftWork({ ...parts, lastCalls });
    this.#announcement = new Announcement(parts);
  }

  async serve(drain: AbortSignal, clock: Opened['clock']): Promise<Result<void>> {
    const { assignments, self } = this.#parts;
    const over = new AbortController();
    const done = new AbortController();
    const handler = {
      perform: (job: Job) => this.#once(job),
      interrupt: (interruption: Interruption) => this.#interrupt(interruption),
    };
    const begin = (): void => this.#lastCalls.begin();
    drain.addEventListener('abort', begin);
    if (drain.aborted) begin();
    const joined = await this.#announcement.send('joined');
    if (!joined.ok) return joined;
    const beats = this.#beat(drain, over.signal, clock).then(async (failure) => {
      done.abort();
      if (failure === undefined) return undefined;
      await this.halt();
      return fail(failure);
    });
    // Before the first job: a job of the same run uses the same worktrees.
    await this.#left.save();
    const served = await assignments.serve(self.id, handler, done.signal);
    over.abort();
    begin();
    const beaten = await beats;
    await this.#upkeep;
    for (const opening of beaten === undefined ? this.#runs.values() : []) {
      const run = await opening;
      if (run.ok) await run.value.leave();
    }
    await this.#left.leave(beaten === undefined);
    if (beaten === undefined) await this.#announcement.send('ended');
    for (const run of this.#runs.values()) await closed(run);
    return beaten ?? served;
  }

  /**
   * Sends heartbeats. Meanwhile it shares files and cleans up after runs. Resolves when it is drained, and with a failure
   * if another process has taken the name while this one was away. The server may hold the name for a connection of this
   * process that was lost, so that is certain only after a while.
   */
  async #beat(
    drain: AbortSignal,
    over: AbortSignal,
    clock: Opened['clock'],
  ): Promise<Failure | undefined> {
    let refused = 0;
    while (!over.aborted) {
      await clock.sleep(jobLimits.beatMs, over);
      if (over.aborted) return undefined;
      const told = await this.#announcement.send(drain.aborted ? 'draining' : 'joined');
      refused = !told.ok && told.failure.kind === 'usage' ? refused + 1 : 0;
      if (!told.ok && refused * jobLimits.beatMs > 2 * jobLimits.lostMs) return told.failure;
      // A heartbeat does not wait for a slow link.
      // What could not be shared now is tried again at the next beat.
      this.#upkeep ??= outcomeOf(this.#shareAndTidy()).then(() => {
        this.#upkeep = undefined;
      });
      if (drain.aborted && (await this.#isDrained())) return undefined;
    }
    return undefined;
  }

  /** Shares the files of jobs under way, and closes runs that need nothing more of this worker. */
  async #shareAndTidy(): Promise<void> {
    for (const [{ run, command }, files] of this.#work) {
      await files.send(...filesOf(command, run), false);
    }
    await this.#left.share();
    for (const [id, opening] of this.#runs) {
      const run = await opening;
      const jobs = [...this.#work.keys()].filter((job) => job.run === id);
      if (run.ok && !(await run.value.tidy(jobs))) continue;
      this.#runs.delete(id);
      await closed(opening);
    }
  }

  /** True if nothing runs here, and no attempt on this worker has a step left that it can do. */
  async #isDrained(): Promise<boolean> {
    if (this.#jobs.size > 0) return false;
    for (const opening of this.#isHalted ? [] : this.#runs.values()) {
      const run = await opening;
      if (run.ok && (await run.value.isNeeded())) return false;
    }
    return true;
  }

  #once(job: Job): Promise<JobEnd> {
    const key = `${job.run} ${keyOf(job.command)}`;
    const before = this.#jobs.get(key);
    this.#underway.add(job.id);
    if (before !== undefined) return before.finally(() => this.#underway.delete(job.id));
    this.#parts.onJob(job);
    const doing = this.#do(job)
      .catch((error: unknown) => failed(caught(error)))
      .then((end) => {
        this.#jobs.delete(key);
        this.#underway.delete(job.id);
        this.#parts.onJob(job, end);
        return end;
      });
    this.#jobs.set(key, doing);
    return doing;
  }

  /** Ends the agents that run now; their jobs report it. A worker that drains waits for nothing else then. */
  async halt(): Promise<void> {
    this.#isHalted = true;
    for (const opening of this.#runs.values()) {
      const run = await opening;
      if (run.ok) await run.value.perform({ type: 'halt', by: 'a signal' });
    }
  }

  async #do(job: Job): Promise<JobEnd> {
    const { run: id, command, refs } = job;
    const courier = await this.#parts.courier(id);
    if (!courier.ok) return failed(courier.failure);
    await courier.value.fetch(refs.map(({ commit }) => commit));
    const run = await this.#run(id, refs);
    if (!run.ok) return failed(notOpened(this.#parts.self.id, run.failure));
    const differs = gateDifference(this.#parts.self.id, job.gates, run.value.gates);
    if (differs !== undefined) return failed(differs);
    const { git } = run.value.opened;
    const others = refs.filter(({ ref }) => !run.ok || !run.value.isOwnRef(ref));
    await git.moveRefs(others.map(({ ref, commit }) => ({ ref, to: commit })));
    const { files } = run.value;
    this.#work.set(job, files);
    const done = await run.value.perform(command).finally(() => this.#work.delete(job));
    await files.send(...filesOf(command, id), true);
    if (!done.ok) return failed(done.failure);
    const made =
      'work' in command
        ? await outcomeOf(attemptRefs(git, command.work.attempt.branch))
        : ok<RefAt[]>([]);
    if (!made.ok) return failed(made.failure);
    await courier.value.send(made.value.map(({ commit }) => commit));
    return { id: 'done', events: done.value, refs: made.value };
  }

  async #interrupt({ run: id, command, jobs }: Interruption): Promise<void> {
    if (!jobs.some((job) => this.#underway.has(job))) return;
    const run = await this.#runs.get(id);
    if (run?.ok) await run.value.perform(command);
  }

  /** Opens a run once. If that fails, the next job tries again. */
  #run(id: RunId, refs: readonly RefAt[]): Promise<Result<OpenRun>> {
    const before = this.#runs.get(id);
    if (before !== undefined) return before;
    const opening = settled(openRun(this.#parts, id, refs, this.#lastCalls));
    this.#runs.set(id, opening);
    void opening.then((run) => (run.ok ? undefined : this.#runs.delete(id)));
    return opening;
  }
}

const failed = (failure: Failure): JobEnd => ({ id: 'failed', failure });

/** If this machine lacks something, the run gives the tasks to other workers. After other trouble it tries again here. */
function notOpened(worker: string, failure: Failure): Failure {
  if (!isSetup(failure)) return failure;
  const { what, why } = explain(failure);
  const detail = `${what} ${why}`.trim();
  return { kind: 'worker-unfit', worker, problem: 'set-up', detail };
}

/** A worker with another gate would give verdicts that the run does not look for. */
function gateDifference(
  worker: string,
  wanted: readonly string[],
  found: readonly string[],
): Failure | undefined {
  const other = found.find((gate, at) => gate !== wanted[at]);
  if (other === undefined && found.length === wanted.length) return undefined;
  const detail = `${found.join(', ')} instead of ${wanted.join(', ')}`;
  return { kind: 'worker-unfit', worker, problem: 'gate', detail };
}
