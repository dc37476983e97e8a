import { heldUpIn } from '../../graph/held-up.ts';
import { isLive } from '../../model/attempt-state.ts';
import type { Choice } from '../../model/best-of.ts';
import { defined } from '../../model/defined.ts';
import type { RunId } from '../../model/run.ts';
import { epicType } from '../../model/task.ts';
import {
  choiceOf,
  type StateCounts,
  satisfies,
  type TaskRecord,
  type TaskState,
} from '../../model/task-record.ts';
import { isUnstarted } from '../../plan/start-reason.ts';
import { isMoving, stateOrder } from '../format/glyph.ts';
import { type BatchPlace, batchPlace } from './batch.ts';
import type { FailureView } from './failure.ts';
import { type ReadyReason, readyReasons } from './start.ts';
import {
  type BlockedCause,
  type RunsSeen,
  recordStateText,
  type StateView,
  stateViewOf,
  type WithdrawnView,
  withdrawnView,
} from './state.ts';
import { type CountedPhases, phasesOf } from './state-text.ts';

export type TaskView = TaskFacts & StateView;

interface TaskFacts {
  readonly id: string;
  readonly title: string;
  readonly priority: number;
  readonly attempts: number;
  /** Agent of its newest attempt. */
  readonly agent?: string;
  /** Parents that are neither landed nor skipped, unless the task itself is done. */
  readonly waitsFor: readonly string[];
  readonly coClaims: readonly string[];
  /** Tasks whose queued work conflicts with its work. */
  readonly clashes: readonly string[];
  /** Finished review rounds of a live attempt. */
  readonly reviewRounds: number;
  /** Its attempt belongs to a run that ended or died; a new run continues it. False if that was not looked up. */
  readonly leftBehind: boolean;
  /** Tasks that wait for it, directly or through others; absent if none does or that was not looked up. */
  readonly unblocks?: number;
  /** It is a heading of other tasks. Counts of tasks leave it out. */
  readonly epic?: true;
  /** Expected time of its landing in the run; absent if it is not known or was not looked up. */
  readonly endAt?: number;
  /** The task of which this one is a variant. Counts and lists of tasks leave variants out. */
  readonly variantOf?: string;
  readonly variants?: readonly string[];
  readonly choice?: Choice;
  /** The newest choice whose variant was given up before it landed, until the task has ended. */
  readonly withdrawn?: WithdrawnView;
  /** For a ready task in a run with batches, if that was looked up. */
  readonly batch?: BatchPlace;
  /** For a ready task without an attempt under way, if that was looked up: why it has not started. */
  readonly startReason?: ReadyReason;
}

export function taskViewsOf(records: readonly TaskRecord[], seen?: RunsSeen): readonly TaskView[] {
  return records.map(taskViewer(records, seen));
}

/** Makes views of tasks. `records` must hold their ancestors. */
export function taskViewer(
  records: readonly TaskRecord[],
  seen?: RunsSeen,
): (record: TaskRecord) => TaskView {
  const byId = new Map(records.map((record) => [record.task.id, record]));
  const heldUp = heldUpIn(records, byId);
  const reasonOf = seen === undefined ? () => undefined : readyReasons(records, seen);
  const texts = new Map(
    [...new Set(heldUp.values())].flatMap((id) => {
      const stuck = byId.get(id);
      return stuck === undefined ? [] : [[id, recordStateText(stuck)] as const];
    }),
  );
  return (record) => {
    const { id, title, after, priority } = record.task;
    const { attempt, status } = record;
    const live = attempt !== undefined && isLive(attempt.state) ? attempt : undefined;
    const open = status.id === 'open' ? live : undefined;
    const owner = runAtWork(record);
    const startReason = reasonOf(record);
    const waits = satisfies(record) ? [] : after.filter((parent) => byId.has(parent));
    return {
      id,
      title,
      ...stateViewOf(record, { heldUp, texts, seen }),
      priority,
      attempts: record.attempts,
      waitsFor: waits.filter((parent) => !satisfies(byId.get(parent))),
      coClaims: open?.coClaims ?? [],
      clashes: open?.captured?.clashes ?? [],
      reviewRounds: open?.reviews.length ?? 0,
      leftBehind: owner !== undefined && seen?.underWay.includes(owner) === false,
      ...defined({
        agent: attempt?.agent,
        epic: record.task.type === epicType ? (true as const) : undefined,
        variantOf: record.task.variantOf,
        variants: record.variants?.ids,
        choice: choiceOf(record),
        withdrawn: withdrawnView(record),
        batch: seen === undefined ? undefined : placeOf(record, seen, startReason),
        startReason,
      }),
    };
  };
}

/** The run whose live attempt works on a task, also as a task that another one co-claimed. */
export function runAtWork({ attempt, status, coClaimedBy }: TaskRecord): RunId | undefined {
  if (attempt !== undefined && isLive(attempt.state)) return attempt.run;
  return status.id === 'open' ? coClaimedBy?.run : undefined;
}

function placeOf(
  record: TaskRecord,
  { run, underWay }: RunsSeen,
  reason: ReadyReason | undefined,
): BatchPlace | undefined {
  if (run === undefined || !underWay.includes(run.id) || !isUnstarted(record)) return undefined;
  return batchPlace(record, run, reason?.id === 'batch');
}

/** A decision that waits for the user, about a task or about the whole run. */
export type NeedView = TaskNeed | RunNeed;

/** A fault outside of the work ends the run, or has ended it: a person fixes the cause and types the command. */
export interface RunNeed {
  readonly kind: 'run';
  readonly run: RunId;
  readonly command: string;
  readonly failure: FailureView;
}

/** What a decision is about, as a name. */
export function subjectOf(need: NeedView): string {
  return need.kind === 'run' ? need.run : need.task;
}

/** A task that does not continue before a person answers, approves, or decides about a failure. */
export type TaskNeed = {
  readonly task: string;
  readonly title: string;
  /** Agent of its newest attempt. */
  readonly agent?: string;
  readonly command: string;
  readonly failure: FailureView;
} & (
  | {
      readonly kind: 'approval' | 'question' | 'choice';
      readonly since: number;
      readonly run: RunId;
    }
  /** `landing`: files in the user's checkout keep its candidate from landing. */
  | { readonly kind: 'revision' | 'conflict' | 'blocked' | 'failed' | 'landing' }
);

const askedKinds = { answer: 'question', approval: 'approval', choice: 'choice' } as const;

/** Failures of a landing that a person clears away. */
const inTheWay: ReadonlySet<string> = new Set(['checkout-in-the-way', 'checkout-locked']);

/** Decisions about tasks that wait for the user. Canceled tasks are not listed, nor those that continue after their parent. */
export function needsIn(tasks: readonly TaskView[]): readonly TaskNeed[] {
  const waiting = new Set<string>();
  return tasks.flatMap((view): TaskNeed[] => {
    const { id: task, title, agent } = view;
    const facts = { task, title, agent };
    if (view.state === 'landing') {
      const { failure, candidate } = view;
      if (failure === undefined || !inTheWay.has(failure.kind) || waiting.has(candidate)) return [];
      waiting.add(candidate);
      return [{ ...facts, command: `ym why ${task}`, failure, kind: 'landing' }];
    }
    if (!('command' in view) || view.state === 'canceled') return [];
    const { failure, command } = view;
    const need = { ...facts, command, failure };
    if (view.state !== 'blocked') {
      return view.variantOf === undefined ? [{ ...need, kind: 'failed' }] : [];
    }
    if (view.cause === 'parent') return [];
    if (view.cause === 'revision') return [{ ...need, kind: 'revision' }];
    if ('since' in view) {
      const { since, run } = view;
      return [{ ...need, kind: askedKinds[view.cause], since, run }];
    }
    // Its task says what failed.
    if (view.variantOf !== undefined) return [];
    return [{ ...need, kind: command.startsWith('ym resolve ') ? 'conflict' : 'blocked' }];
  });
}

/** Blocked tasks per cause; causes without a task are absent. */
export type BlockedCounts = Readonly<Partial<Record<BlockedCause, number>>>;

const causesByKind: Readonly<Record<string, BlockedCause>> = {
  'question-open': 'answer',
  'approval-needed': 'approval',
  'revision-proposed': 'revision',
  'choice-needed': 'choice',
  'blocked-by-person': 'person',
  'parent-stuck': 'parent',
};

/** Sums up blocked tasks by the kind of their failure. */
export function blockedCounts(
  kinds: readonly (readonly [failureKind: string, count: number])[],
): BlockedCounts {
  return sums(kinds.map(([kind, count]) => [causesByKind[kind] ?? 'failure', count]));
}

/** Tasks that count; see `isCounted`. */
export function countedTasks(all: readonly TaskView[]): readonly TaskView[] {
  return all.filter(({ epic, variantOf }) => epic === undefined && variantOf === undefined);
}

interface TaskCounts extends CountedPhases {
  readonly counts: StateCounts;
  /** Tasks in the state `blocked`, by cause. */
  readonly blocked: BlockedCounts;
}

/** Counts tasks by state, and blocked ones by cause. */
export function countsOf(all: readonly TaskView[]): TaskCounts {
  const tasks = countedTasks(all);
  const blocked = tasks.filter((task) => task.state === 'blocked');
  return {
    counts: sums(tasks.map(({ state }) => [state, 1])),
    blocked: sums(blocked.map(({ cause }) => [cause, 1])),
    ...phasesOf(tasks),
  };
}

/** True if a run would go on with a task. */
export function hasUnfinished(counts: StateCounts): boolean {
  return stateOrder.some((state) => isUnfinished(state) && (counts[state] ?? 0) > 0);
}

/** True for a task that a run would go on with. */
export function isUnfinished(state: TaskState): boolean {
  return state === 'ready' || state === 'open' || isMoving(state);
}

function sums<Key extends string>(
  counted: readonly (readonly [Key, number])[],
): Partial<Record<Key, number>> {
  const counts: Partial<Record<Key, number>> = {};
  for (const [key, count] of counted) counts[key] = (counts[key] ?? 0) + count;
  return counts;
}
