import type { ConfigValue } from '../app/config.ts';
import type { AttemptDiff } from '../app/diff.ts';
import type { WholeFile } from '../app/log.ts';
import type { Ending } from '../app/outcome.ts';
import type { OutputFilter } from '../app/output-files.ts';
import type { NewTask } from '../app/tasks.ts';
import type { Actor } from '../model/actor.ts';
import type { Concern } from '../model/concern.ts';
import type { Message, Task } from '../model/task.ts';
import type { Sentences } from '../report/explain/sentences.ts';
import type { TaskNodes } from '../report/graph/nodes.ts';
import type { Plan } from '../report/run/plan.ts';
import type { RunRow } from '../report/run/runs.ts';
import type { RunResult } from '../report/summary/result.ts';
import type { Summary } from '../report/summary/summary.ts';
import type { FailureView } from '../report/view/failure.ts';
import type { TaskView } from '../report/view/task.ts';
import type { View } from '../report/view/view.ts';

/*
 * The library. Every method does what the command of its name does, stores the same events, and neither prints nor
 * throws for expected trouble. Times are milliseconds since 1970.
 */

/** Expected trouble: what happened, why, what to do. Programs compare `kind`; more kinds may come. */
export interface Failure extends Sentences {}

export type Result<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly failure: Failure };

export interface YardOptions {
  /** Config values for what this object does, by dotted key, such as `{ jobs: 2, 'budget.cost': '5' }`. */
  readonly config?: Readonly<Record<string, unknown>>;
  /** Name that events are signed with; the user of git by default. */
  readonly actor?: string;
  /** Environment of agents, gates and git; that of this process by default. */
  readonly env?: Readonly<Record<string, string | undefined>>;
}

/** Sources as `ym import` takes them: files, folders, `beads:`, `https://…`; paths are relative to the project. */
export interface FromSources {
  readonly sources?: readonly string[];
}

export interface Imported {
  readonly added: readonly string[];
  readonly changed: readonly string[];
  /** Tasks that are no longer in their source; canceled if that was asked for. */
  readonly removed: readonly string[];
  /** Notes about the sources, agents that are not configured, and checks that look wrong. */
  readonly warnings: readonly string[];
}

export interface Planned extends Plan {
  /** Concerns of the critic that is configured, and about check commands. */
  readonly concerns: readonly Concern[];
}

/** `known`: without asking the critic again, as it saw this plan before. */
export interface PlanOptions extends FromSources {
  readonly critic?: 'ask' | 'known';
  readonly signal?: AbortSignal;
}

/** Tasks of a run: every ready task, those of epics, or named ones; of these, only the ones that the lists leave. */
export type RunScope = {
  readonly labels?: readonly string[];
  readonly types?: readonly string[];
  readonly except?: readonly string[];
} & (
  | { readonly kind: 'ready' }
  | { readonly kind: 'epics'; readonly epics: readonly string[] }
  | { readonly kind: 'only'; readonly tasks: readonly string[] }
);

export interface RunOptions extends FromSources {
  /** Tasks to work on: by default those of `sources`, else every task that is ready. */
  readonly scope?: RunScope;
  /** Allows other runs to be under way in the project. */
  readonly share?: boolean;
  /** Cancels tasks that are no longer in their source. */
  readonly pruneRemoved?: boolean;
  /** Runs a plan although it has warnings; a blocking concern still refuses it. */
  readonly force?: boolean;
}

export interface ResumeOptions {
  /** Id of the run, or a unique part of it; by default the newest that can be resumed. */
  readonly run?: string;
  /** Retries tasks that failed in the run. */
  readonly retryFailed?: boolean;
}

/** A run that this process drives. If the process ends, `resume` continues it. */
export interface YardRun {
  readonly id: string;
  /** About config and sources; of a resumed run also that the target of this clone was moved forward to its landings. */
  readonly warnings: readonly string[];
  /** Settles when the run has ended and everything is released. */
  readonly ended: Promise<Result<RunEnd>>;
  /** Ends it after the current turns, or now. */
  stop(how: 'finish' | 'now'): Promise<Result<void>>;
}

/** `done`: every task of the run is done. */
export interface RunEnd {
  readonly run: string;
  readonly ending: Ending;
  readonly result: RunResult;
  readonly warnings: readonly string[];
}

export interface HistoryEntry {
  readonly at: number;
  readonly attempt?: number;
  readonly actor?: Actor;
  readonly text: string;
  readonly note?: string;
  readonly failure?: FailureView;
}

/** A task with its state, the reason for it, and what happened to it. */
export interface TaskStory {
  readonly view: TaskView;
  readonly task: Task;
  readonly messages: readonly Message[];
  readonly history: readonly HistoryEntry[];
  /** Tasks that wait for it, directly and in all. */
  readonly unblocks?: { readonly direct: number; readonly all: number };
}

export interface LogOptions extends Partial<OutputFilter> {
  readonly attempt?: number;
  /** Only the last bytes of each file; 0 means all. */
  readonly bytes?: number;
  /** Text as it is, even if it is the stream of a known agent. */
  readonly raw?: boolean;
}

export interface TaskLog {
  readonly task: string;
  readonly attempt: number;
  readonly files: readonly WholeFile[];
}

/** An event of the log. The fields of each type are in `schemas/event.json`. */
export interface LoggedEvent {
  readonly seq: number;
  readonly at: number;
  readonly type: string;
  readonly [field: string]: unknown;
}

export interface EventsOptions {
  readonly run?: string;
  readonly task?: string;
  /** Only events with a higher number. */
  readonly after?: number;
  readonly limit?: number;
  /** Waits for new events. When `signal` aborts, it gives what was stored until then, and ends. */
  readonly follow?: boolean;
  readonly signal?: AbortSignal;
}

/** Everything that agents made, and where it is; `balanced` is false if a commit is lost. */
export interface LedgerView {
  readonly balanced: boolean;
  readonly entries: readonly {
    readonly run: string;
    readonly task: string;
    readonly attempt: number;
    readonly commit: string;
    readonly at: number;
    readonly fate: { readonly id: string };
  }[];
}

/** `willContinue` is true if a run under way acts on the decision: it may work on the tasks, and is not stopping. */
export interface Decided {
  readonly willContinue: boolean;
}

/** Opens the project that contains a folder. Nothing is created before something is stored. */
export type OpenYard = (folder: string, options?: YardOptions) => Promise<Result<Yard>>;

type Ids = string | readonly string[];

/** A project with its tasks and runs. Close it when it is no longer needed. */
export interface Yard {
  /** Root of the checkout. */
  readonly root: string;

  /** Adds a task. Fields have the names of a plan file; without an id, it is made from the title. */
  add(task: NewTask): Promise<Result<Task & { readonly warnings: readonly string[] }>>;
  /** Changes fields of a task; null removes a value. */
  edit(id: string, changes: Readonly<Record<string, unknown>>): Promise<Result<Task>>;
  /** Adds and changes the tasks of sources, all or none. */
  import(
    sources: readonly string[],
    options?: { readonly dryRun?: boolean; readonly pruneRemoved?: boolean },
  ): Promise<Result<Imported>>;
  /** The order of work, of stored tasks and of sources that are not imported yet. */
  plan(options?: PlanOptions): Promise<Result<Planned>>;
  graph(): Promise<Result<TaskNodes>>;

  /** Starts a run in this process and returns when it is under way. */
  run(options?: RunOptions): Promise<Result<YardRun>>;
  resume(options?: ResumeOptions): Promise<Result<YardRun>>;
  /** Asks all runs under way to end, whichever process drives them. Returns their ids. */
  stop(how: 'finish' | 'now'): Promise<Result<readonly string[]>>;

  /** The value that `ym status --json --all` prints. */
  status(options?: { readonly run?: string }): Promise<Result<View>>;
  why(id: string): Promise<Result<TaskStory>>;
  log(id: string, options?: LogOptions): Promise<Result<TaskLog>>;
  diff(id: string, attempt?: number): Promise<Result<AttemptDiff>>;
  runs(): Promise<Result<readonly RunRow[]>>;
  summary(run?: string): Promise<Result<Summary>>;
  ledger(run?: string): Promise<Result<LedgerView>>;
  /** Events in order, in pages. A failure ends them. */
  events(options?: EventsOptions): AsyncGenerator<Result<readonly LoggedEvent[]>, void, void>;
  /** Effective values of config keys. */
  config(keys: readonly string[]): Result<readonly ConfigValue[]>;

  approve(ids: Ids, reason?: string): Promise<Result<Decided>>;
  reject(id: string, reason: string): Promise<Result<Decided>>;
  answer(id: string, text: string): Promise<Result<Decided>>;
  retry(ids: Ids, reason?: string): Promise<Result<Decided>>;
  cancel(ids: Ids, reason?: string): Promise<Result<Decided>>;
  skip(ids: Ids, reason?: string): Promise<Result<Decided>>;
  block(ids: Ids, reason?: string): Promise<Result<Decided>>;
  unblock(ids: Ids, reason?: string): Promise<Result<Decided>>;
  /** Chooses one of several variants of a task, by number or id. */
  choose(id: string, variant: string, reason?: string): Promise<Result<Decided>>;
  /** Sends a message to the agent of a task. Returns at once, with a text that says when the agent reads it. */
  tell(id: string, text: string): Promise<Result<string>>;

  /** Releases everything. A run that is under way releases its own when it ends. */
  close(): Promise<void>;
}
