import { setImmediate } from 'node:timers/promises';
import { heldUpBy } from '../../src/graph/held-up.ts';
import type { Actor } from '../../src/model/actor.ts';
import { isLive } from '../../src/model/attempt-state.ts';
import { type Event, EventBody, runOf } from '../../src/model/event.ts';
import { fail, ok, type Result } from '../../src/model/failure.ts';
import type { AttemptRecord, RunHistory, Step } from '../../src/model/history.ts';
import { isSameOwner, lockOf, mayTake, projectLock } from '../../src/model/lease.ts';
import { limits } from '../../src/model/limits.ts';
import { type Note, notesOf } from '../../src/model/note.ts';
import type { QueueStep } from '../../src/model/queue-history.ts';
import type { Owner, RunId } from '../../src/model/run.ts';
import { hasEnded, type LeasedRun, type RunRecord } from '../../src/model/run-record.ts';
import { read } from '../../src/model/shape.ts';
import { isCounted, type TaskId } from '../../src/model/task.ts';
import {
  finishedStates,
  isStuck,
  stateOf,
  type TaskRecord,
  type TaskState,
} from '../../src/model/task-record.ts';
import type { Verdict } from '../../src/model/verdict.ts';
import { fold } from '../../src/plan/fold.ts';
import type {
  AdoptRequest,
  AttemptFilter,
  Choose,
  ClaimRequest,
  EventFilter,
  Flake,
  Holder,
  IdKind,
  StatusRecords,
  Store,
} from '../../src/port/store.ts';
import { differences, shorten } from '../../src/record/audit.ts';
import {
  type Changes,
  type Claim,
  type Counters,
  Draft,
  foldLater,
  type Loaded,
} from '../../src/record/draft.ts';
import type { Keys } from '../../src/record/keys.ts';
import { adopt, append, take } from '../../src/record/ledger.ts';
import { MemoryRecords } from '../../src/record/memory-records.ts';
import { countedScope, idsInScope } from '../../src/task/scope.ts';

/** A store that lives as long as its process. Same rules, same answers; tests and simulations run on it. */
export class MemoryStore implements Store {
  isShared = false;
  /** The tables. Open to tests that want to spoil them. */
  readonly records = new MemoryRecords();
  /** The person on whose behalf it is written. */
  actor: Actor | undefined;
  readonly #log: Event[] = [];
  readonly #owners = new Map<string, Holder>();
  readonly #claims = new Map<TaskId, Claim>();
  readonly #isSlow: boolean;
  #last: Promise<unknown> = Promise.resolve();
  #fence = 0;
  #open = true;

  constructor(isSlow = false) {
    this.#isSlow = isSlow;
  }

  async append(
    at: number,
    events: readonly EventBody[],
    writer?: RunId,
  ): Promise<Result<readonly Event[]>> {
    return this.#transact((draft) => append(draft, at, events, writer, this.actor));
  }

  async claim(at: number, wish: ClaimRequest): Promise<Result<Event>> {
    return this.#transact((draft) => take(draft, at, wish));
  }

  async adopt(at: number, wish: AdoptRequest): Promise<Result<Event>> {
    return this.#transact((draft) => adopt(draft, at, wish));
  }

  async renew(run: RunId, leaseUntil: number): Promise<Result<void>> {
    return this.#verb(() => {
      for (const [task, claim] of this.#claims) {
        const until = Math.max(claim.leaseUntil, leaseUntil);
        if (claim.run === run) this.#claims.set(task, { ...claim, leaseUntil: until });
      }
      const driver = this.#owners.get(lockOf(run));
      for (const name of [lockOf(run), projectLock]) {
        const holder = this.#owners.get(name);
        if (holder === undefined || !isSameOwner(holder, driver)) continue;
        this.#owners.set(name, { ...holder, until: leaseUntil });
      }
    });
  }

  async lock(name: string, holder: Holder, dead?: Holder): Promise<Result<Holder | undefined>> {
    return this.#verb(() => {
      const before = this.#owners.get(name);
      if (!mayTake(before, holder, dead)) return before;
      this.#owners.set(name, holder);
      return undefined;
    });
  }

  async holder(name: string): Promise<Result<Holder | undefined>> {
    return this.#verb(() => this.#owners.get(name));
  }

  async unlock(name: string, owner: Owner): Promise<Result<void>> {
    return this.#verb(() => {
      if (isSameOwner(this.#owners.get(name), owner)) this.#owners.delete(name);
    });
  }

  async events({ after = 0, run, limit }: EventFilter): Promise<Result<readonly Event[]>> {
    return this.#verb(() =>
      this.#log
        .slice(after)
        .filter((event) => run === undefined || runOf(event) === run)
        .slice(0, limit),
    );
  }

  async lastSeq(): Promise<Result<number>> {
    return this.#verb(() => this.#log.length);
  }

  async task(id: TaskId): Promise<Result<TaskRecord | undefined>> {
    return this.#verb(() => this.records.task(id));
  }

  async tasks(states?: readonly TaskState[]): Promise<Result<readonly TaskRecord[]>> {
    return this.#verb(() =>
      [...this.records.tasks.values()].filter(
        (record) => states === undefined || states.includes(stateOf(record)),
      ),
    );
  }

  async live(): Promise<Result<readonly TaskRecord[]>> {
    return this.#verb(() =>
      [...this.records.tasks.values()].filter(
        ({ attempt }) => attempt !== undefined && isLive(attempt.state),
      ),
    );
  }

  async ids(what: IdKind, most?: number): Promise<Result<readonly string[]>> {
    return this.#verb(() =>
      what === 'tasks'
        ? [...this.records.tasks.keys()].slice(0, most)
        : this.#newest()
            .map(({ id }) => id)
            .slice(0, most),
    );
  }

  async status(choose: Choose = ([first]) => first): Promise<Result<StatusRecords>> {
    return this.#verb(() => {
      const tasks = [...this.records.tasks.values()];
      const active = tasks.filter(
        (record) =>
          (record.attempt !== undefined && isLive(record.attempt.state)) ||
          stateOf(record) === 'comparing',
      );
      const whole = tasks.filter(({ task }) => isCounted(task));
      const runs = this.#newest().filter((run, index) => index === 0 || !hasEnded(run));
      const run = choose(runs, active);
      const scope = countedScope(run);
      const all = tasks.map(({ task }) => task);
      const only = scope && idsInScope(scope, all);
      const counted = whole.filter(({ task }) => only?.includes(task.id) ?? true);
      const isTroubled = (record: TaskRecord): boolean =>
        ['failed', 'quarantined', 'blocked'].includes(stateOf(record));
      return {
        ...this.#count(counted),
        outside: whole.filter(
          (record) => !counted.includes(record) && !finishedStates.has(stateOf(record)),
        ).length,
        activeOutside: active
          .map(({ task }) => task.id)
          .filter((id) => only?.includes(id) === false),
        run,
        active,
        troubled: tasks
          .filter((record) => record.task.variantOf === undefined && isTroubled(record))
          .slice(0, limits.troubledShown),
        lastSeq: this.#log.length,
      };
    });
  }

  async run(id: RunId): Promise<Result<LeasedRun | undefined>> {
    return this.#verb(() => {
      const record = this.records.run(id);
      return record === undefined ? undefined : this.#leased(record);
    });
  }

  async runs(limit: number): Promise<Result<readonly LeasedRun[]>> {
    return this.#verb(() => this.#newest().slice(0, limit));
  }

  #newest(): readonly LeasedRun[] {
    return [...this.records.runs.values()]
      .reverse()
      .sort((a, b) => b.startedAt - a.startedAt)
      .map((record) => this.#leased(record));
  }

  #leased(record: RunRecord): LeasedRun {
    const leaseUntil = this.#owners.get(lockOf(record.id))?.until;
    const heardAt = leaseUntil === undefined ? undefined : leaseUntil - limits.leaseMs;
    const own = this.#log.findLast((event) => runOf(event) === record.id);
    return { ...record, leaseUntil, heardAt, lastEventAt: hasEnded(record) ? undefined : own?.at };
  }

  async verdict(tree: string, gate: string): Promise<Result<Verdict | undefined>> {
    return this.#verb(() => this.records.verdict(tree, gate));
  }

  async attempts(filter: AttemptFilter): Promise<Result<readonly AttemptRecord[]>> {
    return this.#verb(() =>
      [...this.records.attempts.values()].filter(({ task, runs, end }, at, { length }) => {
        if ('task' in filter) return task === filter.task;
        if ('run' in filter) return runs.includes(filter.run);
        if ('newest' in filter) return at >= length - filter.newest;
        return !('live' in filter) || end.id === 'live' || end.id === 'giving-up';
      }),
    );
  }

  async steps(task: TaskId): Promise<Result<readonly Step[]>> {
    return this.#verb(() => this.records.steps.get(task) ?? []);
  }

  async runHistory(run: RunId): Promise<Result<RunHistory | undefined>> {
    return this.#verb(() => this.records.runHistory(run));
  }

  async queueSteps(run: RunId): Promise<Result<readonly QueueStep[]>> {
    return this.#verb(() => this.records.queueSteps.get(run) ?? []);
  }

  async flakes(since: number): Promise<Result<readonly Flake[]>> {
    return this.#verb(() =>
      this.#log
        .flatMap((event) =>
          event.type === 'check-flaked' && event.at >= since
            ? [{ command: event.command, at: event.at, seq: event.seq }]
            : [],
        )
        .sort((a, b) => a.at - b.at),
    );
  }

  async notes(until = Number.MAX_SAFE_INTEGER): Promise<Result<readonly Note[]>> {
    return this.#verb(() =>
      notesOf(
        this.#log.flatMap((event) =>
          (event.type === 'note-added' || event.type === 'note-removed') && event.at <= until
            ? [event]
            : [],
        ),
      ),
    );
  }

  async audit(): Promise<Result<readonly string[]>> {
    return this.#verb(() => {
      const byLog = new MemoryRecords();
      for (const event of this.#log) fold(byLog, event);
      const found = {
        tasks: this.records.tasks.values(),
        runs: this.records.runs.values(),
        verdict: (tree: string, gate: string) => this.records.verdict(tree, gate),
        claims: this.#claims.values(),
        attempts: this.records.attempts.values(),
        runHistories: this.records.runHistories.values(),
        steps: (task: TaskId) => this.records.steps.get(task) ?? [],
        queueSteps: (run: RunId) => this.records.queueSteps.get(run) ?? [],
      };
      return shorten(differences(byLog, found));
    });
  }

  async close(): Promise<void> {
    this.#open = false;
  }

  #verb<T>(body: () => T): Result<T> {
    return this.#open ? ok(body()) : closed();
  }

  /** Runs slow transactions one after the other. */
  async #transact<T>(rules: (draft: Draft) => Result<T>): Promise<Result<T>> {
    if (!this.#isSlow) return this.#open ? this.#transactNow(rules) : closed();
    const next = this.#last.then(() => (this.#open ? this.#transactSlowly(rules) : closed()));
    this.#last = next;
    return next;
  }

  get #counters(): Counters {
    return { lastSeq: this.#log.length, fence: this.#fence };
  }

  #transactNow<T>(rules: (draft: Draft) => Result<T>): Result<T> {
    const draft = new Draft(this.#counters, (keys) => this.#load(keys));
    const result = rules(draft);
    if (result.ok) this.#write(draft.changes());
    return result;
  }

  async #transactSlowly<T>(rules: (draft: Draft) => Result<T>): Promise<Result<T>> {
    const load = async (keys: Keys): Promise<Loaded> => {
      await setImmediate();
      return this.#load(keys);
    };
    const [result, draft] = await foldLater(this.#counters, load, rules);
    await setImmediate();
    if (result.ok) this.#write(draft.changes());
    return result;
  }

  #load({ tasks, parents, runs, runHistories, attempts }: Keys): Loaded {
    const task = (id: TaskId) => {
      const record = this.records.task(id);
      return record === undefined ? [] : [{ record, claim: this.#claims.get(id) }];
    };
    return {
      tasks: [...tasks].flatMap(task),
      children: [...parents].flatMap((parent) =>
        this.records
          .children(parent)
          .flatMap((id) => task(id).map((child) => [parent, child] as const)),
      ),
      runs: [...runs].flatMap((id) => this.records.run(id) ?? []),
      runHistories: [...runHistories].flatMap((id) => this.records.runHistory(id) ?? []),
      attempts: [...attempts.values()].flatMap((of) => this.records.attempt(...of) ?? []),
    };
  }

  #write(changes: Changes): void {
    for (const event of changes.events) {
      // Other stores write JSON and check it when they read; a wrong event is a bug of its writer.
      if (read(EventBody, event) !== event) throw new Error(`Wrong: ${JSON.stringify(event)}`);
      this.#log.push(event);
    }
    for (const { after } of changes.tasks) this.records.putTask(after);
    for (const { after } of changes.runs) this.records.putRun(after);
    for (const { after } of changes.attempts) this.records.putAttempt(after);
    for (const { after } of changes.runHistories) this.records.putRunHistory(after);
    for (const verdict of changes.verdicts) this.records.putVerdict(...verdict);
    for (const step of changes.steps) this.records.addStep(...step);
    for (const step of changes.queueSteps) this.records.addQueueStep(...step);
    for (const [task, claim] of changes.claims) {
      if (claim === undefined) this.#claims.delete(task);
      else this.#claims.set(task, claim);
    }
    this.#fence = changes.fence ?? this.#fence;
  }

  #count(counted: readonly TaskRecord[]): Pick<StatusRecords, 'counts' | 'blocked'> {
    const { tasks } = this.records;
    const has = (id: TaskId, what: (record: TaskRecord) => boolean): boolean => {
      const record = tasks.get(id);
      return record !== undefined && what(record);
    };
    const isOpen = (record: TaskRecord): boolean => stateOf(record) === 'open';
    const openChildren = (id: TaskId) => this.records.children(id).filter((of) => has(of, isOpen));
    const heldUp = heldUpBy(tasks.keys(), openChildren, (id) => has(id, isStuck));
    const [counts, blocked] = [new Map<TaskState, number>(), new Map<string, number>()];
    const add = <K>(to: Map<K, number>, key: K): void => void to.set(key, (to.get(key) ?? 0) + 1);
    for (const record of counted) {
      const state = heldUp.has(record.task.id) ? 'blocked' : stateOf(record);
      add(counts, state);
      if (state === 'blocked') add(blocked, causeOf(record));
    }
    const byKind = [...blocked].sort(([a], [b]) => (rank(a) < rank(b) ? -1 : 1));
    return { counts: Object.fromEntries(counts), blocked: byKind };
  }
}

/** Kind of the failure that blocks a task. */
function causeOf({ status, attempt, variants }: TaskRecord): string {
  if (status.id === 'blocked') return status.failure.kind;
  if (attempt?.state.id === 'asking') return 'question-open';
  if (variants?.asked !== undefined) return 'choice-needed';
  return attempt?.state.id === 'awaiting' ? 'approval-needed' : 'parent-stuck';
}

/** Tasks behind a stuck one come last. */
function rank(kind: string): string {
  return kind === 'parent-stuck' ? '~' : kind;
}

function closed(): Result<never> {
  return fail({ kind: 'store-failed', file: ':memory:', detail: 'It is already closed' });
}

export function memoryStore(): MemoryStore {
  return new MemoryStore();
}

/** Answers later: other code of the process runs between the reads and the writes of a transaction. */
export function slowMemoryStore(): MemoryStore {
  return new MemoryStore(true);
}
