import type { Event } from '../model/event.ts';
import { fail, ok, type Result, usage } from '../model/failure.ts';
import { limits } from '../model/limits.ts';
import { followedUpBy, type Task, type TaskId } from '../model/task.ts';
import type { Store } from '../port/store.ts';
import { type Difference, differences } from '../source/merge.ts';
import type { CanceledTask } from './tasks.ts';

/** Changes of the plan in one stored step. */
export interface PlanVersion {
  /** Counted from 1. */
  readonly number: number;
  readonly at: number;
  /** Sources of its tasks, as far as they are known. */
  readonly from: readonly string[];
  readonly added: readonly Task[];
  readonly changed: readonly { readonly id: TaskId; readonly keys: readonly Difference[] }[];
  readonly canceled: readonly CanceledTask[];
}

/** A version without the texts of its tasks. */
export interface PlanVersionCounts extends Pick<PlanVersion, 'number' | 'at' | 'from'> {
  readonly added: number;
  readonly changed: number;
  readonly canceled: number;
}

type Events = Pick<Store, 'events'>;

/** Versions of the plan that are listed: the newest ones. */
const versionsListed = 1_000;

/** The newest versions of the plan, oldest first. */
export async function planVersions(store: Events): Promise<Result<readonly PlanVersionCounts[]>> {
  const versions: PlanVersionCounts[] = [];
  const read = await readVersions(store, ({ number, at, from, added, changed, canceled }) => {
    const counts = { added: added.length, changed: changed.length, canceled: canceled.length };
    versions.push({ number, at, from, ...counts });
    if (versions.length > versionsListed) versions.shift();
  });
  return read.ok ? ok(versions) : read;
}

/** One version of the plan. */
export async function planVersion(store: Events, number: number): Promise<Result<PlanVersion>> {
  let found: PlanVersion | undefined;
  const read = await readVersions(store, (version) => {
    if (version.number === number) found = version;
  });
  if (!read.ok) return read;
  if (found !== undefined) return ok(found);
  return usage(
    `the plan has no version ${number}`,
    read.value === 0
      ? 'No task was stored yet.'
      : `Give a number from 1 to ${read.value}; \`ym plan history\` lists them.`,
  );
}

/** Reads the log page by page, and returns the number of versions. Only the last text of each task is kept. */
async function readVersions(
  store: Events,
  seen: (version: PlanVersion) => void,
): Promise<Result<number>> {
  const tasks = new Map<TaskId, Task>();
  let step: PlanEvent[] = [];
  let number = 0;
  const close = (): void => {
    if (step.length === 0) return;
    number += 1;
    seen(versionOf(number, step, tasks));
    step = [];
  };
  for (let after = 0; ; ) {
    const page = await store.events({ after, limit: limits.eventPage });
    if (!page.ok) return fail(page.failure);
    for (const event of page.value) {
      // Events that were stored in one step have the same time and follow each other.
      if (step[0] !== undefined && step[0].at !== event.at) close();
      if (isPlanEvent(event)) step.push(event);
    }
    if (page.value.length < limits.eventPage) break;
    after = page.value.at(-1)?.seq ?? after;
  }
  close();
  return ok(number);
}

type PlanEvent = Extract<Event, { type: 'task-added' | 'task-changed' | 'task-decided' }>;

function isPlanEvent(event: Event): event is PlanEvent {
  if (event.type === 'task-decided') return event.decision.kind === 'cancel';
  return event.type === 'task-added' || event.type === 'task-changed';
}

/** Also puts the new texts into `tasks`. */
function versionOf(
  number: number,
  step: readonly PlanEvent[],
  tasks: Map<TaskId, Task>,
): PlanVersion {
  const added: Task[] = [];
  const changed: { id: TaskId; keys: readonly Difference[] }[] = [];
  const canceled: CanceledTask[] = [];
  const from = new Set<string>();
  for (const event of step) {
    if (event.type === 'task-decided') {
      const reason = event.decision.kind === 'cancel' ? event.decision.reason : '';
      canceled.push({ id: event.id, reason });
      continue;
    }
    const { task } = event;
    const before = tasks.get(task.id);
    tasks.set(task.id, task);
    const origin = originOf(task);
    if (origin !== undefined) from.add(origin);
    if (event.type === 'task-added') added.push(task);
    else changed.push({ id: task.id, keys: keysOf(before ?? task, task) });
  }
  return { number, at: step[0]?.at ?? 0, from: [...from], added, changed, canceled };
}

function originOf(task: Task): string | undefined {
  const parent = followedUpBy(task);
  return parent === undefined ? task.source : `the agent of ${parent}`;
}

/** A task that only comes from another source has no other difference. */
function keysOf(before: Task, task: Task): readonly Difference[] {
  const keys = differences(before, task);
  if (before.source === task.source) return keys;
  return [...keys, { key: 'source', from: before.source, to: task.source }];
}
