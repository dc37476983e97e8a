import type { Attempt } from '../model/attempt.ts';
import { BRANCHES, HELD, handedRef, KEPT, startedBy } from '../model/branch.ts';
import { attemptOf, type Command, type CommandOf, keyOf, type Work } from '../model/command.ts';
import type { EventBody } from '../model/event.ts';
import { type Failure, fail, ok, type Result, unreachable } from '../model/failure.ts';
import { type Job, jobLimits, type KnownWorker, type RefAt } from '../model/job.ts';
import type { RunRecord, WorkerState } from '../model/run-record.ts';
import { outcomeOf, settled } from '../model/trouble.ts';
import { gatePlace } from '../plan/gate-place.ts';
import type { Git } from '../port/git.ts';
import type { Clock } from '../port/processes.ts';
import type { Courier, Dispatch, SharedFiles } from '../port/workers.ts';
import type { Events } from './context.ts';
import {
  answered,
  bugAt,
  bugOf,
  type Gates,
  gateIds,
  gateOf,
  judgedBy,
  type Remote,
  wrongAnswer,
} from './job-answer.ts';
import { attemptRefs, refsInConflict, startsOf } from './job-refs.ts';
import { recoverWork } from './lost-work.ts';
import { SharedLanding } from './shared-landing.ts';
import { uuidFor } from './turn.ts';

type Judge = CommandOf<'judge-candidate'>;

const none: ReadonlySet<string> = new Set();

/**
 * Workers that had an internal error while they judged a candidate. Such an error does not tell whether the worker or the
 * candidate causes it, so the run keeps the worker until another machine has judged the same candidate.
 */
class GateErrors {
  readonly #workers = new Map<string, ReadonlySet<string>>();

  add(command: Judge, worker: string): void {
    this.#workers.set(keyOf(command), new Set([...this.#of(command), worker]));
  }

  /** True if the worker may judge the candidate: neither it nor too many others have failed with it. */
  allow(command: Judge, worker: string): boolean {
    const failed = this.#of(command);
    return failed.size < gateErrorsMax && !failed.has(worker);
  }

  #of(command: Judge): ReadonlySet<string> {
    return this.#workers.get(keyOf(command)) ?? none;
  }

  /** Returns the workers that are to blame, now that another machine has judged the candidate. */
  settle(command: Judge): ReadonlySet<string> {
    const found = this.#of(command);
    this.#workers.delete(keyOf(command));
    return found;
  }
}

/** After so many workers failed with the same candidate, the run judges it by itself. */
const gateErrorsMax = 2;

/** True if a candidate was judged: a gate that did not run tells nothing about it. */
function isVerdict(event: EventBody): boolean {
  return event.type === 'candidate-judged' && event.verdict.id !== 'not-run';
}

/**
 * Measures how long workers sent no heartbeat while the run could have seen one. If the run itself did not check for a
 * while, the database may have been down for the workers too: that gap counts as one heartbeat interval only.
 */
class WorkerSilence {
  readonly #ms = new Map<string, number>();
  #updatedAt: number | undefined;

  update(workers: readonly KnownWorker[], now: number): void {
    const sinceMs = Math.max(0, now - (this.#updatedAt ?? now));
    this.#updatedAt = now;
    const countedMs = Math.min(sinceMs, jobLimits.beatMs);
    for (const { id, silentMs } of workers) {
      const before = this.#ms.get(id);
      const isHeard = before === undefined || silentMs <= sinceMs;
      this.#ms.set(id, isHeard ? Math.min(silentMs, jobLimits.beatMs) : before + countedMs);
    }
  }

  isLost(worker: string): boolean {
    return (this.#ms.get(worker) ?? 0) > jobLimits.lostMs;
  }
}

/** Performs a command, here or elsewhere. */
export type Perform = (command: Command) => Promise<Result<Events>>;

interface DispatcherParts {
  readonly here: Perform;
  readonly dispatch: Dispatch;
  readonly courier: Courier;
  readonly files: SharedFiles;
  readonly git: Pick<Git, 'refs' | 'resolve' | 'commit' | 'moveRefs' | 'isAncestor'>;
  readonly clock: Pick<Clock, 'now' | 'sleep'>;
  readonly run: string;
  readonly target: string;
  readonly version: string;
  /** Gate of the run, and the quicker one of branches. */
  readonly gates: Gates;
  /** Seals a verdict that a worker reports. */
  readonly sealed: (event: EventBody) => EventBody;
}

/**
 * Performs commands where they belong: those in the worktree of an attempt on the worker that holds it, all others
 * here. Refs travel with each job, their commits through a shared repository.
 */
export class Dispatcher {
  readonly #parts: DispatcherParts;
  /** Jobs under way, by worker. */
  readonly #jobs = new Map<string, Set<Underway>>();
  /** Commands that are performed here and whose files others may want to see. */
  readonly #local = new Set<Command>();
  /** Workers that take new jobs. */
  #joined: readonly KnownWorker[] = [];
  /** Continue gates that wait for a worker with their labels, after the next look at the workers. */
  readonly #waiting: (() => void)[] = [];
  /** Workers whose worktrees are out of reach. */
  readonly #gone = new Set<string>();
  /** Workers that get nothing more: they cannot work for the run, or answered something that it did not ask for. */
  readonly #unfit = new Set<string>();
  readonly #gateErrors = new GateErrors();
  #sharing: Promise<void> | undefined;
  readonly #silence = new WorkerSilence();
  readonly #landing: SharedLanding;

  constructor(parts: DispatcherParts) {
    this.#parts = parts;
    this.#landing = new SharedLanding(parts);
  }

  readonly perform: Perform = async (command) => {
    const { here } = this.#parts;
    switch (command.type) {
      case 'prepare':
      case 'run-turn':
      case 'run-call':
      case 'capture':
      case 'judge-branch':
      case 'merge-target':
      case 'save': {
        const { worker } = command.work.attempt;
        if (worker !== undefined && !this.#gone.has(worker))
          return this.#performAt(worker, command);
        return this.#performHere(command);
      }
      case 'judge-candidate':
        return this.#judge(command);
      case 'land':
        return this.#landing.perform(command);
      case 'interrupt':
      case 'interrupt-call':
      case 'interrupt-gate':
      case 'halt':
        return this.#interrupt(command);
      default:
        return here(command);
    }
  };

  async #performHere(command: Command): Promise<Result<Events>> {
    const { here, files, run } = this.#parts;
    this.#local.add(command);
    const done = await settled(here(command));
    this.#local.delete(command);
    await files.send(...filesOf(command, run), true);
    return done;
  }

  async #judge(command: CommandOf<'judge-candidate'>): Promise<Result<Events>> {
    let place = this.#gatePlace(command);
    for (; place === 'wait'; place = this.#gatePlace(command)) {
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    }
    const done = await (place === 'here'
      ? this.#performHere(command)
      : settled(this.#performAt(place.worker, command)));
    if (!done.ok || !done.value.some(isVerdict)) return done;
    for (const one of this.#gateErrors.settle(command)) this.#unfit.add(one);
    return done;
  }

  #gatePlace(command: CommandOf<'judge-candidate'>): ReturnType<typeof gatePlace> {
    const able = this.#joined.filter(({ id }) => this.#gateErrors.allow(command, id));
    const rooms = able.map((worker) => {
      const jobs = [...(this.#jobs.get(worker.id) ?? [])];
      return { ...worker, busy: jobs.filter((job) => job.command.type === command.type).length };
    });
    return gatePlace(rooms, command.labels);
  }

  /** Events about workers whose state the run does not know yet. None if the database does not answer. */
  async changes(record: RunRecord, now: number): Promise<Events> {
    const { id: run, workers: before = {} } = record;
    // A slow link must not keep the run from anything else.
    this.#sharing ??= this.#shareFiles().finally(() => {
      this.#sharing = undefined;
    });
    const known = await this.#parts.dispatch.workers();
    if (!known.ok) return [];
    this.#silence.update(known.value, now);
    const isFit = ({ version }: KnownWorker): boolean => version === this.#parts.version;
    const stateOf = (worker: KnownWorker): WorkerState => {
      const { id, state, silentMs } = worker;
      const isHere = state === 'joined' && silentMs <= jobLimits.lostMs;
      if (this.#unfit.has(id) || (isHere && !isFit(worker))) return 'refused';
      if (state === 'ended' || silentMs <= jobLimits.lostMs) return state;
      return this.#silence.isLost(id) ? 'lost' : (before[id]?.state ?? 'lost');
    };
    const events = known.value.flatMap((worker): Events => {
      const { id, host, labels, slots, version } = worker;
      const state = stateOf(worker);
      const last = before[id]?.state;
      this.#note({ worker: id, state });
      const isNew = last !== 'joined' && last !== 'draining';
      const first = isFit(worker) ? 'joined' : 'refused';
      if (state === last || (isNew && state !== first)) return [];
      const of = { run, worker: id, host, labels: [...labels], slots, state };
      const versions = { worker: version, run: this.#parts.version };
      return [{ type: 'worker-changed', ...of, ...(isFit(worker) ? {} : { versions }) }];
    });
    this.#joined = known.value.filter((one) => isFit(one) && stateOf(one) === 'joined');
    for (const look of this.#waiting.splice(0)) look();
    return events;
  }

  #note({ worker, state }: { readonly worker: string; readonly state: WorkerState }): void {
    if (state === 'joined' || state === 'draining') {
      this.#gone.delete(worker);
      return;
    }
    this.#gone.add(worker);
    for (const { over } of this.#jobs.get(worker) ?? []) over.abort();
  }

  async #performAt(worker: string, command: CommandOf<Remote>): Promise<Result<Events>> {
    const id = uuidFor(`${this.#parts.run} ${JSON.stringify(command)}`);
    const underway = { id, command, over: new AbortController() };
    const jobs = this.#jobs.get(worker) ?? new Set();
    // Counts at once: another gate is about to look for a worker.
    this.#jobs.set(worker, jobs.add(underway));
    return this.#give(worker, underway).finally(() => jobs.delete(underway));
  }

  async #give(worker: string, { id, command, over }: Underway): Promise<Result<Events>> {
    const { dispatch, courier, run } = this.#parts;
    const refs = await this.#refs(command);
    if (!refs.ok) return refs;
    await courier.send(refs.value.map(({ commit }) => commit));
    const { gates } = this.#parts;
    const job = { id, run, command, refs: refs.value, gates: gateIds(gates) };
    const end = await dispatch.perform(worker, job, over.signal);
    const isUnfit = !end.ok && end.failure.kind === 'worker-unfit';
    if (!end.ok) return isUnfit ? this.#refuse(worker, job.id, end.failure) : end;
    // The run knows that the worker is gone, and decides about its attempts.
    if (end.value === undefined) return ok([]);
    // The same command may come again: it was interrupted before anything happened.
    if (end.value.id === 'done' && end.value.events.length === 0) {
      const forgotten = await dispatch.forget(worker, job.id);
      if (!forgotten.ok) return forgotten;
    }
    if (end.value.id === 'failed') return this.#fail(worker, job, end.value.failure);
    const asked = { run, command, gate: gateOf(gates, command) };
    const wrong = wrongAnswer(asked, end.value.events, end.value.refs);
    if (wrong !== undefined) return this.#refuse(worker, job.id, answered(worker, wrong));
    await this.#parts.files.fetch(run);
    const events = end.value.events.map((event) => judgedBy(worker, this.#parts.sealed(event)));
    if (command.type === 'judge-candidate') return ok(events);
    await courier.fetch(end.value.refs.map(({ commit }) => commit));
    const forged = await this.#otherTree(events);
    if (forged !== undefined) return this.#refuse(worker, job.id, answered(worker, forged));
    await this.#take(command.work, end.value.refs);
    return ok(events);
  }

  /**
   * Ends a job that failed on its worker. If the task broke another worker before, its attempt fails. After an internal
   * error in the gate of a candidate, the run keeps the worker until another machine has judged the candidate.
   */
  async #fail(
    worker: string,
    { id: job, run, command }: Pick<Job, 'id' | 'run'> & { readonly command: CommandOf<Remote> },
    found: Failure,
  ): Promise<Result<Events>> {
    if (found.kind === 'internal' && command.type === 'judge-candidate') {
      this.#gateErrors.add(command, worker);
      return this.#forget(worker, job, fail(bugAt(worker, found, 'gate-error')));
    }
    const of = attemptOf(command);
    const failure = found.kind === 'internal' ? bugOf(command, found) : undefined;
    if (of === undefined || failure === undefined) return this.#refuse(worker, job, found);
    return this.#forget(worker, job, ok([{ type: 'attempt-given-up', run, ...of, failure }]));
  }

  /** Ends a job that failed. A worker that cannot work for the run gets nothing more. */
  async #refuse(worker: string, job: string, found: Failure): Promise<Result<Events>> {
    const failure = found.kind === 'internal' ? bugAt(worker, found) : found;
    const failed = await this.#forget(worker, job, fail(failure));
    // Last: the run drops the worker as soon as it sees this, and the failure should be told before.
    if (failure.kind === 'worker-unfit') this.#unfit.add(worker);
    return failed;
  }

  /** Returns the result of a job after it was forgotten, so that the same job can be given again. */
  async #forget(worker: string, job: string, result: Result<Events>): Promise<Result<Events>> {
    const forgotten = await this.#parts.dispatch.forget(worker, job);
    return forgotten.ok ? result : forgotten;
  }

  /** The tree of a captured commit is read from git. */
  async #otherTree(events: Events): Promise<string | undefined> {
    for (const event of events) {
      if (event.type !== 'work-captured') continue;
      const found = await outcomeOf(this.#parts.git.commit(event.commit));
      if (!found.ok || found.value.tree !== event.tree) return `another tree of ${event.commit}`;
    }
    return undefined;
  }

  /** Files are for people: what cannot be shared now is shared later, and the run goes on. */
  async #shareFiles(): Promise<void> {
    const { files, run } = this.#parts;
    for (const command of this.#local) await files.send(...filesOf(command, run), false);
    if ([...this.#jobs.values()].some(({ size }) => size > 0)) await files.fetch(run);
  }

  /** Ends what nothing waits for any more. */
  close(): void {
    this.#landing.end();
  }

  /** Gets what an earlier process of the run had in another repository. */
  recover(run: RunRecord, attempts: readonly Attempt[]): Promise<Result<void>> {
    return settled(recoverWork(this.#parts, run, attempts));
  }

  /** Refs that a command may read: the target, and everything of the run's attempts and candidates. */
  async #refs(command: CommandOf<Remote>): Promise<Result<readonly RefAt[]>> {
    const { git, target, run } = this.#parts;
    const tip = await git.resolve(`refs/heads/${target}`);
    const found: RefAt[] = tip === undefined ? [] : [{ ref: `refs/heads/${target}`, commit: tip }];
    const branch = 'work' in command ? command.work.attempt.branch : '';
    const runs = new Set([run, startedBy({ branch, run })]);
    const prefixes = [...runs].flatMap((of) => [BRANCHES, KEPT, HELD].map((one) => `${one}${of}/`));
    for (const prefix of [...prefixes, handedRef('')]) {
      const refs = await git.refs(prefix);
      found.push(...refs);
    }
    const conflicting =
      'work' in command ? await outcomeOf(refsInConflict(git, command.work.task)) : ok([]);
    if (!conflicting.ok) return conflicting;
    found.push(...conflicting.value.filter(({ ref }) => !found.some((one) => one.ref === ref)));
    for (const at of command.type === 'prepare' ? startsOf(command) : []) {
      const commit = await git.resolve(at.commit);
      if (commit !== undefined && !found.some(({ ref }) => ref === at.ref)) found.push(at);
    }
    return ok(found);
  }

  /** Makes the refs of an attempt what they are on its worker. */
  async #take({ attempt }: Work, refs: readonly RefAt[]): Promise<void> {
    const { git } = this.#parts;
    const before = await attemptRefs(git, attempt.branch);
    const kept = new Set(refs.map(({ ref }) => ref));
    const moves = refs.map(({ ref, commit }) => ({ ref, to: commit }));
    const gone = before.filter(({ ref }) => !kept.has(ref)).map(({ ref }) => ({ ref }));
    await git.moveRefs([...moves, ...gone]);
    return undefined;
  }

  /** Interrupts what runs here, and at once what runs elsewhere; the job itself returns the end. */
  async #interrupt(
    command: CommandOf<'interrupt' | 'interrupt-call' | 'interrupt-gate' | 'halt'>,
  ): Promise<Result<Events>> {
    const { here, dispatch, run } = this.#parts;
    if (command.type === 'halt') this.#landing.end();
    for (const [worker, jobs] of this.#jobs) {
      const meant = [...jobs].filter(({ command: job }) => interrupts(command, job));
      if (meant.length === 0) continue;
      const asked = await dispatch.interrupt(worker, {
        run,
        command,
        jobs: meant.map(({ id }) => id),
      });
      if (!asked.ok) return asked;
    }
    return here(command);
  }
}

export function filesOf(command: Command, run: string): readonly [run: string, folder: string] {
  if ('work' in command) {
    const { task, attempt } = command.work;
    return [startedBy({ branch: attempt.branch, run }), `attempts/${task.id}-${attempt.number}`];
  }
  const { candidate = '', count = 0 } = command.type === 'judge-candidate' ? command.gate : {};
  return [run, `candidates/${candidate}-${count}`];
}

interface Underway {
  readonly id: string;
  readonly command: CommandOf<Remote>;
  readonly over: AbortController;
}

/** True if an interrupting command is meant for a job. */
function interrupts(
  command: CommandOf<'interrupt' | 'interrupt-call' | 'interrupt-gate' | 'halt'>,
  job: Command,
): boolean {
  switch (command.type) {
    case 'halt':
      return true;
    case 'interrupt-gate':
      return (
        job.type === 'judge-candidate' &&
        job.gate.candidate === command.candidate &&
        job.gate.count === command.count
      );
    case 'interrupt':
    case 'interrupt-call': {
      const about = attemptOf(job);
      return about?.id === command.id && about.attempt === command.attempt;
    }
    default:
      unreachable(command);
  }
}
