import type { Entry } from '../model/action.ts';
import type { Task, TaskId } from '../model/task.ts';
import type { Sentences } from '../report/explain/sentences.ts';
import type { FrequentFailure } from '../report/failures/frequent-failures.ts';
import type { TaskNodes } from '../report/graph/nodes.ts';
import type { CandidateStory, ReturnedRow } from '../report/run/queue-story.ts';
import type { RunRow } from '../report/run/runs.ts';
import type { SpendTables } from '../report/spend/spend-tables.ts';
import type { Summary } from '../report/summary/summary.ts';
import type { AttemptStory } from '../report/task/attempts.ts';
import type { CompareView } from '../report/task/compare.ts';
import type { ChangedFile } from '../report/task/diff.ts';
import type { Evidence } from '../report/task/evidence.ts';
import type { Timeline } from '../report/timeline/timeline.ts';
import type { FailureView } from '../report/view/failure.ts';
import type { TaskNeed, TaskView } from '../report/view/task.ts';
import type { View } from '../report/view/view.ts';
import type { Action } from './action.ts';

/*
 * The API of the web server, as types: nothing here exists at run time, so the page can import it too.
 *
 * Every request carries the session cookie that `/?token=…` sets, or `Authorization: Bearer TOKEN`. Every route below
 * takes `?project=ID`; without it, it answers for the first project. Routes that read take `?at=SEQ` if their request
 * type extends `Moment`, and then answer as of that event. All data is JSON, except `/metrics` (text) and
 * `/api/report?run=RUN&offset=MINUTES` (HTML: what `ym report RUN` writes). Failures have the status 4xx or 5xx and the
 * body `Refused`.
 */

/** A value as it arrives: moments, which the program keeps as milliseconds, are ISO 8601 texts. */
export type Json<T> = T extends readonly (infer Item)[]
  ? readonly Json<Item>[]
  : T extends object
    ? { readonly [Key in keyof T]: Key extends MomentKey ? AsText<T[Key]> : Json<T[Key]> }
    : T;
type MomentKey = 'at' | 'since' | 'until' | `${string}At` | `${string}Since` | `${string}Until`;
type AsText<T> = T extends number ? string : Json<T>;

/** Body of every failed request. */
export interface Refused {
  readonly error: Sentences;
}

/** Shows the moment right after an event; the newest if absent. */
export interface Moment {
  readonly at?: number;
}

/** Names an attempt; the newest if absent. */
interface OfAttempt {
  readonly attempt?: number;
}

/** Requests that read. `:id` is the id of a task. The request is the query of the URL. */
export interface Reads {
  '/api/projects': { request: None; response: ProjectsAnswer };
  /** Output of `ym status --json --all`, and `seq`, the newest event that it includes. */
  '/api/view': { request: Moment; response: ViewAnswer };
  '/api/events': { request: EventsRequest; response: EventsAnswer };
  '/api/graph': { request: Moment; response: GraphAnswer };
  '/api/queue': { request: Moment & OfRun; response: QueueAnswer };
  '/api/inbox': { request: Moment; response: InboxAnswer };
  /** Newest first. */
  '/api/runs': { request: Moment; response: { readonly runs: readonly Json<RunRow>[] } };
  /** Output of `ym summary RUN --json`. */
  '/api/summary': { request: Moment & OfRun; response: Json<Summary> };
  /** Its times are milliseconds since 1970. */
  '/api/timeline': { request: Moment & TimelineRequest; response: Timeline & MaybeRun };
  '/api/spend': { request: Moment & OfRun; response: SpendTables & MaybeRun };
  /** Output of `ym failures --json`. */
  '/api/failures': { request: Moment; response: FailuresAnswer };
  '/api/tasks/:id': { request: Moment; response: TaskAnswer };
  '/api/tasks/:id/diff': { request: Moment & OfAttempt; response: DiffAnswer };
  '/api/tasks/:id/log': { request: Moment & LogRequest; response: LogAnswer };
  /** Output of the gate. */
  '/api/tasks/:id/gate': { request: Moment & OfAttempt & OfTurn; response: TextAnswer };
  '/api/tasks/:id/prompt': { request: Moment & OfAttempt & OfTurn; response: TextAnswer };
  '/api/tasks/:id/reviews': { request: Moment & OfAttempt; response: ReviewsAnswer };
  /** Output of `ym compare ID --json`, for a task with variants. */
  '/api/tasks/:id/variants': { request: Moment; response: Json<CompareView> };
}

type None = Readonly<Record<never, never>>;

/** Names a run as the commands do; the one that the view shows if absent. */
export interface OfRun {
  readonly run?: string;
}

/** Turn of the attempt, or round of a review; the newest if absent. */
interface OfTurn {
  readonly turn?: number;
}

export interface ProjectsAnswer {
  readonly projects: readonly ProjectRow[];
  /** The program that serves this page. */
  readonly version: string;
}

/** Fields of the view of a project. */
type RowField =
  | 'run'
  | 'counts'
  | 'stopped'
  | 'preparing'
  | 'needsYou'
  | 'spend'
  | 'paused'
  | 'pausedSteps';

/** One project; `missing` if its folder or store cannot be read now. */
export type ProjectRow = {
  readonly id: string;
  /** Name of its folder. */
  readonly name: string;
  readonly root: string;
} & (
  | ({
      readonly state: 'read';
      readonly seq: number;
    } & Json<Pick<View, RowField>>)
  | { readonly state: 'missing'; readonly error: Sentences }
);

export type ViewAnswer = Json<View> & {
  readonly seq: number;
  /** Number and time of the newest event of the log, for the slider of time travel. */
  readonly last: { readonly seq: number; readonly at?: string };
};

interface EventsRequest {
  /** Events with a lower number, newest first; the newest ones if absent. */
  readonly before?: number;
  readonly task?: TaskId;
  readonly run?: string;
  /** At most 500; 100 if absent. */
  readonly limit?: number;
}

interface EventsAnswer {
  /** Newest first. */
  readonly events: readonly EventLine[];
  /** Pass it as `before` for the next page; absent at the start of the log. */
  readonly before?: number;
}

/** One event of the log for people. */
export interface EventLine {
  readonly seq: number;
  readonly at: string;
  readonly type: string;
  /** Tasks it concerns. */
  readonly tasks: readonly TaskId[];
  readonly run?: string;
  readonly text: string;
  /** Name of the person who caused it, and the program they used. */
  readonly by?: string;
  readonly via?: string;
}

/** States are in the view too; fetch the graph again after a `change` with `graph: true`. */
type GraphAnswer = TaskNodes & { readonly seq: number };

export type QueueAnswer = {
  readonly seq: number;
  readonly run?: string;
  /** `main green 23/23`: how many values of the target the gate had passed on; empty before the first landing. */
  readonly green?: string;
  /** Candidates, newest first, at most 200. */
  readonly history: readonly Json<CandidateStory>[];
  /** Work that came back to its agent, newest first, at most 200. */
  readonly returned: readonly Json<ReturnedRow>[];
} & Json<Pick<View, 'candidates' | 'gates' | 'train'>>;

interface InboxAnswer {
  readonly seq: number;
  readonly items: readonly InboxItem[];
}

/** A decision that waits for the user, with the evidence for it. Evidence is absent where there is no work. */
export type InboxItem = Json<TaskNeed> & {
  readonly evidence?: Evidence & {
    readonly attempt: number;
    readonly agent: string;
    readonly files: readonly ChangedFile[];
    readonly added: number;
    readonly removed: number;
    readonly tokens?: number;
    readonly costUsd?: number;
    /** Time of its agents. */
    readonly ms: number;
  };
};

export interface FailuresAnswer {
  /** Number of attempts that were looked through. */
  readonly attempts: number;
  /** Most frequent first. */
  readonly failures: readonly Json<FrequentFailure>[];
}

/** `squeeze=no` gives idle time its full room. */
interface TimelineRequest extends OfRun {
  readonly rows?: 'slots' | 'tasks';
  readonly squeeze?: 'no';
}

/** Before the first run, there is no `run`, and the rest is empty. */
type MaybeRun = { readonly run?: string };

/** Output of `ym why ID --json`, with the task itself and its attempts. */
export type TaskAnswer = Json<TaskView> & {
  readonly seq: number;
  readonly task: Task;
  readonly history: readonly Json<{
    readonly at: number;
    readonly attempt?: number;
    readonly text: string;
    readonly note?: string;
    readonly failure?: FailureView;
  }>[];
  readonly messages: readonly {
    readonly seq: number;
    readonly at: string;
    readonly text: string;
    /** The agent's question that it answers. */
    readonly question?: string;
    readonly readIn?: { readonly attempt: number; readonly turn: number };
  }[];
  readonly unblocks?: { readonly direct: number; readonly all: number };
  /** Oldest first. The task itself has their number in `attempts`. */
  readonly attemptHistory: readonly Json<AttemptStory>[];
  /** Actions that the task accepts now. */
  readonly may: readonly Action['kind'][];
};

interface DiffAnswer {
  readonly task: TaskId;
  readonly attempt: number;
  readonly from: string;
  readonly to: string;
  readonly files: readonly ChangedFile[];
  readonly added: number;
  readonly removed: number;
  /** Unified diff as git prints it, cut at a file boundary after 16 MB. */
  readonly patch: string;
  readonly cut: boolean;
}

export interface LogRequest extends OfAttempt, OfTurn {
  /** Number of the first entry to return, from 0; the last `limit` entries if absent. */
  readonly from?: number;
  /** At most 2000; 500 if absent. */
  readonly limit?: number;
}

/** Entries of one turn's output. A tool call that ends later is a second entry with the same `key`. */
export interface LogAnswer {
  readonly task: TaskId;
  readonly attempt: number;
  readonly turn: number;
  readonly from: number;
  readonly entries: readonly Entry[];
  /** Number of entries so far. */
  readonly total: number;
  /** True while the process writes: follow it with `/api/tails`. */
  readonly isLive: boolean;
  /** The process was running at the past moment. The time of each entry is not known, so these are all entries. */
  readonly wasRunning?: true;
}

/** Text of one or more files, cut at the front. */
interface TextAnswer {
  readonly task: TaskId;
  readonly attempt: number;
  readonly files: readonly {
    readonly name: string;
    readonly text: string;
    readonly cut: boolean;
  }[];
}

interface ReviewsAnswer {
  readonly task: TaskId;
  readonly attempt: number;
  readonly rounds: readonly {
    /** `review`, `critique` or `improve`. */
    readonly kind: string;
    readonly round: number;
    readonly agent: string;
    readonly answer: string;
    readonly findings: readonly string[];
  }[];
}

/*
 * GET /api/stream?project=ID: server-sent events of a project. The page opens one. Browsers allow six connections to a
 * server, so a hidden page closes its streams. After a reconnect with Last-Event-ID the missing `change`
 * messages follow, or one `view` if the server no longer has them; then fetch `/api/events` again. Ids are opaque.
 */
export interface StreamMessages {
  /** The whole view: first, and whenever changes would not do. */
  view: ViewAnswer;
  /** Changes since the message before. */
  change: ViewChange;
  /** New events of the log, oldest first; at most 100, then `skipped` counts older ones. */
  events: { readonly events: readonly EventLine[]; readonly skipped: number };
  /** The project cannot be read now; the server tries again. A `view` or `change` follows once it can. */
  trouble: Refused;
  /** The server ends; the browser connects again. */
  bye: { readonly why: string };
}

export interface ViewChange {
  readonly seq: number;
  readonly last: ViewAnswer['last'];
  /** New values of fields of the view; null for a field that it no longer has. */
  readonly set: Partial<Omit<ViewAnswer, 'tasks' | 'seq' | 'last'>>;
  /** New and changed tasks; a new one goes to the end of the list. */
  readonly tasks: readonly Json<TaskView>[];
  readonly gone: readonly TaskId[];
  /** True if the text or the edges of tasks changed: the graph is to be fetched again. */
  readonly graph: boolean;
}

/*
 * GET /api/tails?project=ID&tail=TASK&tail=TASK…: server-sent events with the output of live attempts, up to 64 of them
 * in one connection. First come the last 200 entries of each, then new ones.
 */
export interface TailMessages {
  entries: {
    readonly task: TaskId;
    readonly attempt: number;
    /** `turn`, `review`, `critique` or `improve`, with its number. */
    readonly part: string;
    /** Number of the first entry in this part's output. After a reconnect, entries come again with their numbers. */
    readonly from: number;
    readonly entries: readonly Entry[];
  };
  /** The attempt is over. */
  over: { readonly task: TaskId; readonly attempt: number; readonly state: string };
}
