import { compareLanding } from '../engine/landings.ts';
import { isLive } from '../model/attempt-state.ts';
import type { EventBody } from '../model/event.ts';
import { fail, ok, type Result, usage } from '../model/failure.ts';
import { limits } from '../model/limits.ts';
import type { RunId } from '../model/run.ts';
import type { Decision, TaskId } from '../model/task.ts';
import type { TaskRecord } from '../model/task-record.ts';
import { proposalOf } from '../plan/fold-revision.ts';
import { readingOf } from '../report/task/message.ts';
import { recordStateText } from '../report/view/state.ts';
import { needsIn, type RunNeed, type TaskNeed, taskViewsOf } from '../report/view/task.ts';
import { type LandingEvent, mayReopenVariants } from '../task/status.ts';
import { isUnderWay } from './liveness.ts';
import { activeRun, taskNamed, willContinue } from './lookup.ts';
import { acceptedChanges } from './plan-revision.ts';
import type { Liveness, Opened } from './ports.ts';
import { fullStatus } from './status.ts';

/** Decisions that a person makes about tasks by their ids. */
export type PersonDecision = Exclude<Decision, { kind: 'hold' | 'release' | 'hand-in' | 'choose' }>;

type Ports = Liveness & Pick<Opened, 'store'>;
type Deciding = Liveness & Pick<Opened, 'store' | 'git'>;

/** Result of a person's decision. `willContinue`: a run under way acts on it. */
export interface Decided {
  readonly willContinue: boolean;
}

const isBlank = (text: string): boolean => text.trim() === '';

const emptyText = (what: string): Result<never> => usage(`${what} is empty`, 'Write a few words.');

/** Stores a person's decision about tasks: one event for each, all or none. */
export async function decideTasks(
  ports: Ports & Deciding,
  ids: readonly TaskId[],
  decision: PersonDecision,
): Promise<Result<Decided>> {
  if (decision.kind === 'answer' && isBlank(decision.text)) return emptyText('the answer');
  if (decision.kind === 'reject' && isBlank(decision.reason)) return emptyText('the reason');
  const allowed = await checkDecision(ports, ids, decision.kind);
  if (!allowed.ok) return allowed;
  const events = await decisionEvents(ports.store, ids, decision);
  if (!events.ok) return events;
  const stored = await ports.store.append(ports.clock.now(), events.value);
  if (!stored.ok) return stored;
  return ok({ willContinue: await willContinue(ports, ids) });
}

/** One event for each decision, with the changes of the plan that it accepts. */
async function decisionEvents(
  store: Opened['store'],
  ids: readonly TaskId[],
  decision: PersonDecision,
): Promise<Result<readonly EventBody[]>> {
  const events: EventBody[] = [];
  for (const id of ids) {
    const record = await taskNamed(store, id);
    if (!record.ok) return record;
    const isRevision = proposalOf(record.value) !== undefined;
    const accepted =
      isRevision && decision.kind === 'approve'
        ? await acceptedChanges(store, record.value)
        : ok([]);
    if (!accepted.ok) return accepted;
    if (isRevision && decision.kind === 'reject') {
      events.push({ type: 'message-sent', id, text: decision.reason });
    }
    events.push(...accepted.value, { type: 'task-decided', id, decision });
  }
  return ok(events);
}

/** Refuses a decision that would change nothing in the state of one of the tasks. */
export async function checkDecision(
  ports: Deciding,
  ids: readonly TaskId[],
  kind: PersonDecision['kind'],
): Promise<Result<void>> {
  for (const id of ids) {
    const record = await taskToDecide(ports, id);
    if (!record.ok) return record;
    const allowed = mayDecide(kind, record.value);
    if (!allowed.ok) return allowed;
    if (!reopening.has(kind)) continue;
    const reopened = await checkVariant(ports.store, record.value);
    if (!reopened.ok) return reopened;
  }
  return ok(undefined);
}

/** Refuses to reopen a variant whose task is over or blocked: its work could never be chosen. */
async function checkVariant(store: Opened['store'], { task }: TaskRecord): Promise<Result<void>> {
  if (task.variantOf === undefined) return ok(undefined);
  const original = await taskNamed(store, task.variantOf);
  if (!original.ok) return original;
  if (mayReopenVariants(original.value)) return ok(undefined);
  return usage(
    `${task.id} is a variant of ${task.variantOf}, which is ${recordStateText(original.value)}`,
    `Decide about the whole task: see \`ym why ${task.variantOf}\`.`,
  );
}

const decisions = [
  'answer',
  'approve',
  'reject',
  'retry',
  'unblock',
  'cancel',
  'skip',
  'block',
] as const satisfies readonly PersonDecision['kind'][];

/** Decisions that would change something in the state of a task. */
export async function decisionsFor(
  { store }: Pick<Opened, 'store'>,
  record: TaskRecord,
): Promise<readonly PersonDecision['kind'][]> {
  const isOver = !(await checkVariant(store, record)).ok;
  const done = doneBy[record.status.id];
  return decisions.filter(
    (kind) => kind !== done && mayDecide(kind, record).ok && !(isOver && reopening.has(kind)),
  );
}

const doneBy: Partial<Record<TaskRecord['status']['id'], PersonDecision['kind']>> = {
  canceled: 'cancel',
  skipped: 'skip',
};

const reopening: ReadonlySet<PersonDecision['kind']> = new Set(['retry', 'unblock'] as const);

/** A landing that was dropped since the last run is stored first, so that a person can decide about its task. */
async function taskToDecide(ports: Deciding, id: TaskId): Promise<Result<TaskRecord>> {
  const { store, clock } = ports;
  const record = await taskNamed(store, id);
  if (!record.ok) return record;
  const changes = await compareLanding(ports, record.value);
  if (!changes.ok) return changes;
  if (changes.value.length === 0) return record;
  const checked = await checkNoneElsewhere(ports, changes.value);
  if (!checked.ok) return checked;
  const stored = await store.append(clock.now(), changes.value);
  return stored.ok ? taskNamed(store, id) : stored;
}

/** Fails if another clone has landed the work and a run is under way: it would take the landing for dropped. */
async function checkNoneElsewhere(
  ports: Liveness & Pick<Opened, 'store'>,
  changes: readonly LandingEvent[],
): Promise<Result<void>> {
  const [behind] = changes.filter((one) => one.type === 'landing-dropped' && one.behind === true);
  if (behind === undefined) return ok(undefined);
  const active = await activeRun(ports);
  if (!active.ok || active.value === undefined) return active.ok ? ok(undefined) : active;
  const { target, id } = behind;
  const because = { id: 'run-elsewhere', run: active.value.id } as const;
  return fail({ kind: 'target-behind', target, tasks: [id], because });
}

function mayDecide(kind: PersonDecision['kind'], record: TaskRecord): Result<void> {
  const { task, attempt, status } = record;
  const state = recordStateText(record);
  const refuse = (): Result<never> =>
    fail({ kind: 'task-busy', task: task.id, state, wanted: kind });
  switch (kind) {
    case 'answer':
      if (attempt?.state.id === 'asking') return ok(undefined);
      return usage(
        `the agent of ${task.id} waits for no answer`,
        `See \`ym why ${task.id}\`, or write to the agent with \`ym tell ${task.id} TEXT\`.`,
      );
    case 'approve':
    case 'reject':
      if (attempt?.state.id === 'awaiting' && status.id === 'open') return ok(undefined);
      if (proposalOf(record) !== undefined) return ok(undefined);
      return usage(
        `task ${task.id} is ${state} and does not wait for approval, so there is nothing to ${kind}`,
        `See \`ym why ${task.id}\`.`,
      );
    case 'retry':
      return state === 'landed' || status.id === 'open' ? refuse() : ok(undefined);
    case 'unblock':
      return status.id === 'blocked' ? ok(undefined) : refuse();
    case 'cancel':
    case 'skip':
    case 'block':
      return state === 'landed' ? refuse() : ok(undefined);
  }
}

/** Everything that waits for a person. */
export async function itemsToReview({
  store,
}: Pick<Opened, 'store'>): Promise<Result<readonly TaskNeed[]>> {
  const tasks = await store.tasks();
  return tasks.ok ? ok(needsIn(taskViewsOf(tasks.value))) : tasks;
}

/** The newest run, if a fault outside of the tasks has ended it with tasks left. */
export async function runToReview(opened: Opened): Promise<Result<readonly RunNeed[]>> {
  const view = await fullStatus(opened, undefined);
  if (!view.ok) return view;
  const { run, needsYou } = view.value;
  return ok(run.state === 'ended' ? needsYou.filter((need) => need.kind === 'run') : []);
}

/** Stores a decision about an item of a review if the task still waits for it: a person may take long. */
export async function decideReviewed(
  { store, clock }: Pick<Opened, 'store' | 'clock'>,
  { task: id, kind }: TaskNeed,
  decision: PersonDecision,
): Promise<Result<'stored' | 'too-late'>> {
  const items = await itemsToReview({ store });
  if (!items.ok) return items;
  if (items.value.find(({ task }) => task === id)?.kind !== kind) return ok('too-late');
  const events = await decisionEvents(store, [id], decision);
  if (!events.ok) return events;
  const stored = await store.append(clock.now(), events.value);
  return stored.ok ? ok('stored') : stored;
}

/** Runs that act on the decisions of a review: one under way, else those that hold the work and a new one. */
export type AfterReview =
  | { readonly id: 'active'; readonly run: RunId }
  | { readonly id: 'start'; readonly resume: readonly RunId[]; readonly only: readonly TaskId[] };

export async function afterReview(
  ports: Ports,
  decided: readonly TaskNeed[],
): Promise<Result<AfterReview>> {
  const active = await activeRun(ports);
  if (!active.ok) return active;
  if (active.value !== undefined) return ok({ id: 'active', run: active.value.id });
  const resume = [...new Set(decided.flatMap((item) => ('run' in item ? [item.run] : [])))];
  const only = decided.filter((item) => !('run' in item)).map(({ task }) => task);
  return ok({ id: 'start', resume, only });
}

/** Sends a person's message to the agent of a task, and returns when it reads it. */
export async function tellAgent(ports: Ports, id: TaskId, text: string): Promise<Result<string>> {
  if (isBlank(text)) return emptyText('the message');
  const before = await readingTime(ports, id);
  if (!before.ok) return before;
  const sent = { type: 'message-sent', id, text } as const;
  const stored = await ports.store.append(ports.clock.now(), [sent]);
  // The task may have changed while the message was stored.
  return stored.ok ? readingTime(ports, id) : stored;
}

/** Time at which the agent of a task reads a message sent now, or the reason why none will. */
export async function readingTime(ports: Ports, id: TaskId): Promise<Result<string>> {
  const record = await taskNamed(ports.store, id);
  if (!record.ok) return record;
  const driven = await isDriven(ports, record.value);
  if (!driven.ok) return driven;
  const reading = readingOf(record.value, driven.value);
  if (reading.id === 'read') return ok(reading.when);
  return usage(`no agent would read it: ${reading.because}`, reading.remedy);
}

/** True if the run of its live attempt is under way; without a live attempt, if any run is. */
async function isDriven(ports: Ports, { attempt }: TaskRecord): Promise<Result<boolean>> {
  const runs = await ports.store.runs(limits.runsListed);
  if (!runs.ok) return runs;
  const owner = attempt !== undefined && isLive(attempt.state) ? attempt.run : undefined;
  return ok(runs.value.some((run) => isUnderWay(ports, run) && (owner ?? run.id) === run.id));
}
