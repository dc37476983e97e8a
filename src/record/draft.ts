import type { Event } from '../model/event.ts';
import type { AttemptRecord, RunHistory, Step } from '../model/history.ts';
import type { QueueStep } from '../model/queue-history.ts';
import type { Records } from '../model/records.ts';
import type { RunId } from '../model/run.ts';
import type { RunRecord } from '../model/run-record.ts';
import type { TaskId } from '../model/task.ts';
import type { TaskRecord } from '../model/task-record.ts';
import type { Verdict } from '../model/verdict.ts';
import { attemptKey, type KeyKind, Keys } from './keys.ts';

/** A task belongs to the run with its claim. A fence number is never used twice, even after its claim is gone. */
export interface Claim {
  readonly task: TaskId;
  readonly run: RunId;
  readonly fence: number;
  readonly leaseUntil: number;
}

export interface LoadedTask {
  readonly record: TaskRecord;
  readonly claim: Claim | undefined;
}

/** Answer of a database to `Keys`, in any order. What it leaves out does not exist. */
export interface Loaded {
  readonly tasks: readonly LoadedTask[];
  readonly children: readonly (readonly [parent: TaskId, child: LoadedTask])[];
  readonly runs: readonly RunRecord[];
  readonly runHistories: readonly RunHistory[];
  readonly attempts: readonly AttemptRecord[];
}

/** The counters of a database, read when a transaction begins. */
export interface Counters {
  readonly lastSeq: number;
  readonly fence: number;
}

/** A record to write, and the same record as it was loaded. */
export interface Change<T> {
  readonly before: T | undefined;
  readonly after: T;
}

/** Everything that a transaction writes. */
export interface Changes {
  readonly events: readonly Event[];
  readonly tasks: readonly Change<TaskRecord>[];
  readonly runs: readonly Change<RunRecord>[];
  readonly runHistories: readonly Change<RunHistory>[];
  readonly attempts: readonly Change<AttemptRecord>[];
  readonly verdicts: readonly (readonly [tree: string, gate: string, verdict: Verdict])[];
  readonly steps: readonly (readonly [task: TaskId, step: Step])[];
  readonly queueSteps: readonly (readonly [run: RunId, step: QueueStep])[];
  readonly claims: ReadonlyMap<TaskId, Claim | undefined>;
  /** Undefined if no claim was made. */
  readonly fence: number | undefined;
}

class Loads<T> {
  readonly #loaded = new Map<string, T | undefined>();
  readonly changed = new Map<string, T>();

  has(key: string): boolean {
    return this.#loaded.has(key) || this.changed.has(key);
  }

  get(key: string): T | undefined {
    return this.changed.get(key) ?? this.#loaded.get(key);
  }

  load(key: string, record: T | undefined): void {
    if (!this.#loaded.has(key)) this.#loaded.set(key, record);
  }

  changes(): readonly Change<T>[] {
    return [...this.changed].map(([key, after]) => ({ before: this.#loaded.get(key), after }));
  }
}

/**
 * Records of one transaction. A record is loaded when it is read for the first time, and nothing is written until the
 * caller takes `changes`, so a database needs only two methods: load by `Keys`, and write `Changes`.
 */
export class Draft implements Records {
  readonly #counters: Counters;
  readonly #ask: (keys: Keys) => Loaded;
  readonly #of = {
    tasks: new Loads<TaskRecord>(),
    parents: new Loads<readonly TaskId[]>(),
    runs: new Loads<RunRecord>(),
    runHistories: new Loads<RunHistory>(),
    attempts: new Loads<AttemptRecord>(),
  } satisfies Record<KeyKind, unknown>;
  readonly #claims = new Loads<Claim>();
  readonly #changedClaims = new Map<TaskId, Claim | undefined>();
  readonly #events: Event[] = [];
  readonly #verdicts: (readonly [tree: string, gate: string, verdict: Verdict])[] = [];
  readonly #steps: (readonly [task: TaskId, step: Step])[] = [];
  readonly #queueSteps: (readonly [run: RunId, step: QueueStep])[] = [];
  /** Edges of tasks that were added or changed in this draft. */
  readonly #edges = new Map<TaskId, Set<TaskId>>();
  #fence: number;

  constructor(counters: Counters, ask: (keys: Keys) => Loaded) {
    this.#counters = counters;
    this.#ask = ask;
    this.#fence = counters.fence;
  }

  /** Loads those of `keys` that are not loaded yet. */
  load(keys: Keys): void {
    const missing = new Keys();
    for (const kind of ['tasks', 'parents', 'runs', 'runHistories'] as const) {
      for (const key of keys[kind]) if (!this.#of[kind].has(key)) missing.add(kind, key);
    }
    for (const [key, of] of keys.attempts) {
      if (!this.#of.attempts.has(key)) missing.addAttempt(...of);
    }
    if (!missing.isEmpty) this.add(missing, this.#ask(missing));
  }

  /** Adds what a database answered to `keys`. */
  add(keys: Keys, loaded: Loaded): void {
    for (const task of loaded.tasks) this.#addTask(task);
    const children = new Map([...keys.parents].map((parent) => [parent, [] as TaskId[]]));
    for (const [parent, child] of loaded.children) {
      this.#addTask(child);
      children.get(parent)?.push(child.record.task.id);
    }
    for (const [parent, ids] of children) this.#of.parents.load(parent, ids);
    for (const run of loaded.runs) this.#of.runs.load(run.id, run);
    for (const history of loaded.runHistories) this.#of.runHistories.load(history.run, history);
    for (const record of loaded.attempts) {
      this.#of.attempts.load(attemptKey(record.task, record.number), record);
    }
    // The others do not exist.
    for (const id of keys.tasks) {
      this.#of.tasks.load(id, undefined);
      this.#claims.load(id, undefined);
    }
    for (const kind of ['runs', 'runHistories', 'attempts'] as const) {
      for (const key of keys[kind].keys()) this.#of[kind].load(key, undefined);
    }
  }

  #addTask({ record, claim }: LoadedTask): void {
    this.#of.tasks.load(record.task.id, record);
    this.#claims.load(record.task.id, claim);
  }

  task(id: TaskId): TaskRecord | undefined {
    if (!this.#of.tasks.has(id)) this.load(new Keys().add('tasks', id));
    return this.#of.tasks.get(id);
  }

  putTask(record: TaskRecord): void {
    const { id, after } = record.task;
    if (this.task(id)?.task !== record.task) {
      for (const parent of after) {
        const children = this.#edges.get(parent);
        if (children === undefined) this.#edges.set(parent, new Set([id]));
        else children.add(id);
      }
    }
    this.#of.tasks.changed.set(id, record);
  }

  children(id: TaskId): readonly TaskId[] {
    if (!this.#of.parents.has(id)) this.load(new Keys().add('parents', id));
    const all = new Set([...(this.#of.parents.get(id) ?? []), ...(this.#edges.get(id) ?? [])]);
    // A changed task in this draft may have dropped an edge of the database.
    return [...all].filter((child) => this.task(child)?.task.after.includes(id));
  }

  run(id: RunId): RunRecord | undefined {
    if (!this.#of.runs.has(id)) this.load(new Keys().add('runs', id));
    return this.#of.runs.get(id);
  }

  putRun(record: RunRecord): void {
    this.#of.runs.changed.set(record.id, record);
  }

  putVerdict(tree: string, gate: string, verdict: Verdict): void {
    this.#verdicts.push([tree, gate, verdict]);
  }

  attempt(task: TaskId, number: number): AttemptRecord | undefined {
    const key = attemptKey(task, number);
    if (!this.#of.attempts.has(key)) this.load(new Keys().addAttempt(task, number));
    return this.#of.attempts.get(key);
  }

  putAttempt(record: AttemptRecord): void {
    this.#of.attempts.changed.set(attemptKey(record.task, record.number), record);
  }

  runHistory(run: RunId): RunHistory | undefined {
    if (!this.#of.runHistories.has(run)) this.load(new Keys().add('runHistories', run));
    return this.#of.runHistories.get(run);
  }

  putRunHistory(record: RunHistory): void {
    this.#of.runHistories.changed.set(record.run, record);
  }

  addStep(task: TaskId, step: Step): void {
    this.#steps.push([task, step]);
  }

  addQueueStep(run: RunId, step: QueueStep): void {
    this.#queueSteps.push([run, step]);
  }

  claim(task: TaskId): Claim | undefined {
    if (this.#changedClaims.has(task)) return this.#changedClaims.get(task);
    if (!this.#claims.has(task)) this.load(new Keys().add('tasks', task));
    return this.#claims.get(task);
  }

  setClaim(task: TaskId, claim: Claim | undefined): void {
    this.#changedClaims.set(task, claim);
  }

  nextFence(): number {
    this.#fence += 1;
    return this.#fence;
  }

  get lastSeq(): number {
    return this.#counters.lastSeq + this.#events.length;
  }

  log(event: Event): void {
    this.#events.push(event);
  }

  changes(): Changes {
    return {
      events: this.#events,
      tasks: this.#of.tasks.changes(),
      runs: this.#of.runs.changes(),
      runHistories: this.#of.runHistories.changes(),
      attempts: this.#of.attempts.changes(),
      verdicts: this.#verdicts,
      steps: this.#steps,
      queueSteps: this.#queueSteps,
      claims: this.#changedClaims,
      fence: this.#fence === this.#counters.fence ? undefined : this.#fence,
    };
  }
}

class NotLoaded extends Error {
  readonly keys: Keys;

  constructor(keys: Keys) {
    super('A record is read before it is loaded');
    this.keys = keys;
  }
}

/** Records that the rules of a transaction read first, whatever the counters are. */
export function firstKeys(rules: (draft: Draft) => unknown): Keys {
  const folded = foldLoaded({ lastSeq: 0, fence: 0 }, rules, []);
  return folded.isComplete ? new Keys() : folded.missing;
}

function strictDraft(counters: Counters): Draft {
  return new Draft(counters, (keys) => {
    throw new NotLoaded(keys);
  });
}

type Answers = readonly (readonly [Keys, Loaded])[];

type Folded<T> =
  | { readonly isComplete: true; readonly result: T; readonly draft: Draft }
  | { readonly isComplete: false; readonly missing: Keys };

/** Runs the rules of a transaction on what was loaded, up to the first record that is missing. */
export function foldLoaded<T>(
  counters: Counters,
  rules: (draft: Draft) => T,
  answers: Answers,
): Folded<T> {
  const draft = strictDraft(counters);
  for (const answer of answers) draft.add(...answer);
  try {
    return { isComplete: true, result: rules(draft), draft };
  } catch (error) {
    if (error instanceof NotLoaded) return { isComplete: false, missing: error.keys };
    throw error;
  }
}

/**
 * Runs the rules of a transaction for a database that answers later. They cannot wait for a record, so a try ends at the
 * first one that is missing, and the next try, on a new draft, begins with all that was loaded.
 */
export async function foldLater<T>(
  counters: Counters,
  load: (keys: Keys) => Promise<Loaded>,
  rules: (draft: Draft) => T,
  known: Answers = [],
): Promise<readonly [result: T, draft: Draft]> {
  const answers = [...known];
  for (;;) {
    const folded = foldLoaded(counters, rules, answers);
    if (folded.isComplete) return [folded.result, folded.draft];
    answers.push([folded.missing, await load(folded.missing)]);
  }
}
