import type { Event } from '../model/event.ts';
import { fail, ok, type Result, usage } from '../model/failure.ts';
import { limits } from '../model/limits.ts';
import { followedUpBy, type Task, type TaskId } from '../model/task.ts';
import type { Store } from '../port/store.ts';
import { type Difference, differences } from '../source/merge.ts';
import type { CanceledTask } from './tasks.ts';

/** Changes of the plan in one stored step. */
interface PlanVersion {
  /** Counted from 1. */
  readonly number: number;
  readonly at: number;
  /** Sources of its tasks, as far as they are known. */
  readonly from: readonly string[];
  readonly added: readonly Task[];
  readonly changed: readonly { readonly id: TaskId; readonly keys: readonly Difference[] }[];
  readonly canceled: readonly CanceledTask[];
  /** Set for changes that an agent proposed because the agent of `task` gave up. They are stored once accepted. */
  readonly proposal?: { readonly task: TaskId; readonly agent: string; readonly consent: Consent };
}

/** A person accepts a proposal, declines it or has not decided. */
type Consent = 'waits' | 'accepted' | 'declined';

/** A version without the texts of its tasks. */
interface PlanVersionCounts extends Pick<PlanVersion, 'number' | 'at' | 'from' | 'proposal'> {
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
  const read = await readVersions(store, (version) => {
    const { number, at, from, added, changed, canceled, proposal } = version;
    const counts = { added: added.length, changed: changed.length, canceled: canceled.length };
    versions.push({ number, at, from, ...counts, proposal });
    if (versions.length > versionsListed) versions.shift();
  });
  return read.ok ? ok(versions.map((version) => decided(version, read.value.consents))) : read;
}

export async function planVersion(store: Events, number: number): Promise<Result<PlanVersion>> {
  let found: PlanVersion | undefined;
  const read = await readVersions(store, (version) => {
    if (version.number === number) found = version;
  });
  if (!read.ok) return read;
  const { count, consents } = read.value;
  if (found !== undefined) return ok(decided(found, consents));
  return usage(
    `the plan has no version ${number}`,
    count === 0
      ? 'No task was stored yet.'
      : `Give a number from 1 to ${count}; \`ym plan history\` lists them.`,
  );
}

type Consents = ReadonlyMap<number, Consent>;

function decided<Version extends Pick<PlanVersion, 'number' | 'proposal'>>(
  version: Version,
  consents: Consents,
): Version {
  const consent = consents.get(version.number);
  if (version.proposal === undefined || consent === undefined) return version;
  return { ...version, proposal: { ...version.proposal, consent } };
}

/** Reads the log page by page, and returns the number of versions. Only the last text of each task is kept. */
async function readVersions(
  store: Events,
  seen: (version: PlanVersion) => void,
): Promise<Result<{ readonly count: number; readonly consents: Consents }>> {
  const tasks = new Map<TaskId, Task>();
  const open = new Map<TaskId, number>();
  const consents = new Map<number, Consent>();
  let step: PlanEvent[] = [];
  let count = 0;
  const close = (): void => {
    if (step.length === 0) return;
    count += 1;
    const version = versionOf(count, step, tasks);
    if (version.proposal?.consent === 'waits') open.set(version.proposal.task, count);
    seen(version);
    step = [];
  };
  for (let after = 0; ; ) {
    const page = await store.events({ after, limit: limits.eventPage });
    if (!page.ok) return fail(page.failure);
    for (const event of page.value) {
      // Events that were stored in one step have the same time and follow each other.
      if (step[0] !== undefined && step[0].at !== event.at) close();
      if (isPlanEvent(event)) step.push(event);
      const number = event.type === 'task-decided' ? open.get(event.id) : undefined;
      if (event.type !== 'task-decided' || number === undefined) continue;
      open.delete(event.id);
      consents.set(number, event.decision.kind === 'approve' ? 'accepted' : 'declined');
    }
    if (page.value.length < limits.eventPage) break;
    after = page.value.at(-1)?.seq ?? after;
  }
  close();
  return ok({ count, consents });
}

type PlanEvent = Extract<
  Event,
  { type: 'task-added' | 'task-changed' | 'task-decided' | 'plan-proposed' }
>;

function isPlanEvent(event: Event): event is PlanEvent {
  if (event.type === 'task-decided') return event.decision.kind === 'cancel';
  if (event.type === 'plan-proposed') return event.outcome.id === 'proposed';
  return event.type === 'task-added' || event.type === 'task-changed';
}

/** A step that only proposes changes is a version with these changes. Stored texts are put into `tasks`. */
function versionOf(
  number: number,
  step: readonly PlanEvent[],
  tasks: Map<TaskId, Task>,
): PlanVersion {
  const [event] = step;
  const proposed = event?.type === 'plan-proposed' ? event : undefined;
  const version = { number, at: event?.at ?? 0 };
  if (proposed === undefined) return { ...version, ...storedIn(step, tasks) };
  const { id: task, agent, outcome } = proposed;
  const from = [`${agent}, because the agent of ${task} gave up`];
  if (step.length > 1 || outcome.id !== 'proposed') {
    const proposal = { task, agent, consent: 'accepted' } as const;
    return { ...version, ...storedIn(step, tasks), from, proposal };
  }
  const { added, canceled } = outcome;
  const changed = outcome.changed.map((one) => {
    return { id: one.id, keys: keysOf(tasks.get(one.id) ?? one, one) };
  });
  return {
    ...version,
    from,
    added,
    changed,
    canceled,
    proposal: { task, agent, consent: 'waits' },
  };
}

/** Also puts the new texts into `tasks`. */
function storedIn(
  step: readonly PlanEvent[],
  tasks: Map<TaskId, Task>,
): Pick<PlanVersion, 'from' | 'added' | 'changed' | 'canceled'> {
  const added: Task[] = [];
  const changed: { id: TaskId; keys: readonly Difference[] }[] = [];
  const canceled: CanceledTask[] = [];
  const from = new Set<string>();
  for (const event of step) {
    if (event.type === 'plan-proposed') continue;
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
  return { from: [...from], added, changed, canceled };
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
