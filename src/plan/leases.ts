import { predictedFiles } from '../graph/learned-files.ts';
import { Places } from '../graph/places.ts';
import type { ReadyQueue } from '../graph/ready.ts';
import { changedFiles, isLive, mayWaitLong } from '../model/attempt-state.ts';
import type { LearnedFiles } from '../model/forecast.ts';
import type { RunRecord } from '../model/run-record.ts';
import type { Task, TaskId } from '../model/task.ts';
import type { TaskRecord } from '../model/task-record.ts';

/**
 * Files that work in flight changes, or will probably change. A lease is soft: it decides which ready task starts, never
 * whether one starts.
 */
export class Leases {
  readonly #learned: LearnedFiles | undefined;
  readonly #places = new Places();
  /** Work whose files are not in `#places` yet: most decisions start nothing and never ask. */
  #added: readonly TaskRecord[];

  constructor({ settings }: RunRecord, live: readonly TaskRecord[]) {
    this.#learned = settings.forecast?.files;
    this.#added = live.filter(isInFlight);
  }

  add(record: TaskRecord): void {
    this.#added = [...this.#added, record];
  }

  overlaps(task: Task): boolean {
    const files = filesOf(task, this.#learned);
    if (files.length === 0) return false;
    for (const { task: other, attempt } of this.#added) {
      const changed = attempt !== undefined && isLive(attempt.state) ? changedFiles(attempt) : [];
      this.#places.add(changed.length > 0 ? changed : filesOf(other, this.#learned));
    }
    this.#added = [];
    return files.some((file) => this.#places.has(file));
  }
}

/** Finds the task in flight whose files a task overlaps with. Undefined if the task starts in spite of overlaps. */
export function overlapIn(
  run: RunRecord,
  live: readonly TaskRecord[],
): (task: Task) => TaskId | undefined {
  const all = new Leases(run, live);
  const each = live.map((record) => [record.task.id, new Leases(run, [record])] as const);
  return (task) => {
    if (startsAnyway(task) || !all.overlaps(task)) return undefined;
    return each.find(([, leases]) => leases.overlaps(task))?.[0];
  };
}

/** True for a task that starts whatever it overlaps with. Variants overlap on purpose. */
function startsAnyway({ priority, variantOf }: Task): boolean {
  return priority === 0 || variantOf !== undefined;
}

/** Work that waits for a person may wait for long, so nothing waits for it. */
function isInFlight({ attempt }: TaskRecord): boolean {
  return !mayWaitLong(attempt?.state);
}

/** Predictions by task: a task keeps its text, and the learned files are those of the run. */
const predictions = new WeakMap<Task, readonly [LearnedFiles | undefined, readonly string[]]>();

function filesOf(task: Task, learned: LearnedFiles | undefined): readonly string[] {
  const known = predictions.get(task);
  if (known !== undefined && known[0] === learned) return known[1];
  const files = predictedFiles(task, learned);
  predictions.set(task, [learned, files]);
  return files;
}

/**
 * The ready task to start instead of `first`: the best one that overlaps with no work in flight. It is `first` if there
 * is none, so that no slot stays idle, if `first` has priority 0 or is a variant, which overlaps on purpose, and if the
 * others are far from the critical path, because a conflict costs less than a path that starts late. Only a few tasks
 * are compared, so the cost does not grow with their number.
 */
export function withoutOverlap(
  ready: ReadyQueue,
  first: TaskRecord,
  leases: Leases,
  candidate: (id: TaskId) => TaskRecord | undefined,
): TaskId {
  const { id } = first.task;
  if (startsAnyway(first.task) || !leases.overlaps(first.task)) return id;
  const least = ready.rank(id) * rankShare;
  let left = comparedMax;
  let found: TaskId | undefined;
  ready.next(0, Number.POSITIVE_INFINITY, (other) => {
    left -= 1;
    const record = ready.rank(other) < least ? undefined : candidate(other);
    if (record !== undefined && !leases.overlaps(record.task)) found = other;
    return left <= 0 || found !== undefined;
  });
  return found ?? id;
}

/** Ready tasks that are compared with work in flight. */
const comparedMax = 32;

/** A ready task that has waited this long starts even if it overlaps with work in flight. */
export const leaseWaitMs = 2 * 3600_000;

/** Least remaining path of a task that goes before an overlapping one, as a share of that one's. */
const rankShare = 1 / 3;
