import { isLive } from '../model/attempt-state.ts';
import { accountOf, type StopReason } from '../model/run.ts';
import { type RunRecord, startStep, type WorkerState } from '../model/run-record.ts';
import { neededLabels, type Task, type TaskId } from '../model/task.ts';
import { stateOf, type TaskRecord } from '../model/task-record.ts';
import { finder, inScope, isOverLimit } from '../task/scope.ts';
import { pauseOf } from './accounts.ts';
import { AgentPool } from './agent-pool.ts';
import { bestOfFor } from './best-of.ts';
import { reservedVariants } from './choice.ts';
import { freeSlots, slotNumbers, slotStatus } from './free-slots.ts';
import { overlapIn } from './leases.ts';
import { narrowingOf } from './narrowing.ts';
import { stepPause } from './paused-steps.ts';
import { wouldConflictAgain } from './returned-work.ts';
import { isReserved, roomIn, scarceBudget, slotFreeAt, startsNow } from './slots.ts';
import { haltOf } from './stop.ts';
import { fitsSlot, workerOf } from './workers.ts';

/** Why a ready task without a live attempt has not started in a run under way. `next`: nothing holds it back. */
export type StartReason =
  | {
      readonly id:
        | 'not-in-run'
        | 'over-limit'
        | 'stopping'
        | 'machine'
        | 'slots-paused'
        | 'slots-failed';
    }
  /** No slot belongs to a worker with all these labels, which the task needs. */
  | { readonly id: 'no-worker'; readonly labels: readonly string[] }
  /** Every worker that may take it takes nothing new. */
  | { readonly id: 'workers-away'; readonly workers: Readonly<Record<string, WorkerState>> }
  | { readonly id: 'budget'; readonly budget: StopReason }
  /** A fresh attempt would conflict again with work in flight. */
  | { readonly id: 'conflict' }
  | { readonly id: 'batch'; readonly until: number }
  /** Without `until` a person has to act first. */
  | { readonly id: 'account-paused'; readonly account: string; readonly until?: number }
  | { readonly id: 'agent-busy'; readonly agents: readonly string[] }
  /** The agent's pause between two tasks of a slot. */
  | { readonly id: 'pace'; readonly until: number }
  | { readonly id: 'worktree' | 'slot' | 'next' }
  /** No slot is free, and tasks without the overlap go first. */
  | { readonly id: 'overlap'; readonly task: TaskId };

/**
 * Returns why a ready task without a live attempt has not started, by the rules of `decide`. `records` are all tasks.
 */
export function startReasons(
  run: RunRecord,
  records: readonly TaskRecord[],
  now: number,
): (record: TaskRecord) => StartReason {
  const within = inScope(run.settings.scope, finder(records));
  const live = records.filter(({ attempt }) => isLiveIn(attempt, run));
  const ofRun = reasonOfRun(run, now);
  const free = freeSlots(run, live);
  const pool = new AgentPool(run, live, now);
  const unreserved = startsNow(run, live) - reservedIn(records);
  const overlap = overlapIn(run, live);
  const { first, until } = narrowingOf(run, readyIn(records), now);
  const inBatch = new Set(first);
  return (record) => {
    const { task } = record;
    const isHeldBack = until !== undefined && !inBatch.has(task.id);
    if (!within(task)) return { id: 'not-in-run' };
    if (isOverLimit(run, task.id)) return { id: 'over-limit' };
    if (ofRun !== undefined) return ofRun;
    const needed = bestOfFor(record, run.settings)?.count ?? 1;
    if (needed > unreserved && !isReserved(record)) {
      return { id: 'budget', budget: scarceBudget(run, live) };
    }
    const closed = closedReason(run, task);
    if (closed !== undefined) return closed;
    if (wouldConflictAgain(record, live)) return { id: 'conflict' };
    const paused = accountPause(run, pool, task, now);
    if (paused !== undefined) return paused;
    if (isHeldBack) return { id: 'batch', until };
    const slots = free.filter((slot) => fitsSlot(run, slot, task));
    if (slots.length === 0) {
      const other = overlap(task);
      return other === undefined ? { id: 'slot' } : { id: 'overlap', task: other };
    }
    if (roomIn(run, live) <= 0) return { id: 'worktree' };
    const agent = needed > 1 ? run.settings.agent : pool.assignTask(record)?.agent;
    if (agent === undefined) return { id: 'agent-busy', agents: pool.eligibleFor(task) };
    const at = Math.min(...slots.map((slot) => slotFreeAt(run, slot, agent)));
    return needed === 1 && at > now ? { id: 'pace', until: at } : { id: 'next' };
  };
}

/** Why no slot of the run may take a task, whether or not agents work in them; undefined if one may. */
export function closedReason(run: RunRecord, task: Task): StartReason | undefined {
  const fitting = slotNumbers(run).filter((slot) => fitsSlot(run, slot, task));
  const statuses = new Set(fitting.map((slot) => slotStatus(run, slot)));
  if (statuses.has('open')) return undefined;
  if (statuses.has('paused')) return { id: 'slots-paused' };
  if (statuses.has('failed')) return { id: 'slots-failed' };
  const workers = awayOf(run, fitting);
  return Object.keys(workers).length === 0
    ? { id: 'no-worker', labels: neededLabels(task) }
    : { id: 'workers-away', workers };
}

/** Workers of these slots that take nothing new. */
function awayOf(run: RunRecord, slots: readonly number[]): Readonly<Record<string, WorkerState>> {
  const ids = new Set(slots.map((slot) => workerOf(run, slot)));
  const known = Object.entries(run.workers ?? {}).filter(([id]) => ids.has(id));
  const away = known.filter(([, { state }]) => state !== 'joined');
  return Object.fromEntries(away.map(([id, { state }]) => [id, state]));
}

function isLiveIn(attempt: TaskRecord['attempt'], { id }: RunRecord): boolean {
  return attempt?.run === id && isLive(attempt.state);
}

function reasonOfRun(run: RunRecord, now: number): StartReason | undefined {
  const halt = haltOf(run, { now, hasWorkToStart: true });
  if (halt !== undefined) {
    const { reason } = halt.stop;
    return isBudget(reason) ? { id: 'budget', budget: reason } : { id: 'stopping' };
  }
  if (run.target.verified !== undefined) return { id: 'stopping' };
  return stepPause(run, startStep, now) === undefined ? undefined : { id: 'machine' };
}

function isBudget(reason: StopReason): boolean {
  return reason === 'max-attempts' || reason.startsWith('budget-');
}

/** The pause that ends first, if every agent that may take the task is paused. */
function accountPause(
  run: RunRecord,
  pool: AgentPool,
  task: Task,
  now: number,
): StartReason | undefined {
  const pauses = pool.eligibleFor(task).map((agent) => {
    const pause = pauseOf(run, agent, now);
    return pause && { account: accountOf(run.settings, agent), until: pause.until };
  });
  const known = pauses.flatMap((pause) => pause ?? []);
  if (known.length < pauses.length) return undefined;
  const [soonest] = known.sort((a, b) => (a.until ?? Infinity) - (b.until ?? Infinity));
  if (soonest === undefined) return undefined;
  const { account, until } = soonest;
  return { id: 'account-paused', account, until };
}

function reservedIn(records: readonly TaskRecord[]): number {
  const compared = records.filter(
    ({ variants, status }) => variants !== undefined && status.id === 'open',
  );
  if (compared.length === 0) return 0;
  const byId = new Map(records.map((record) => [record.task.id, record]));
  const ids = compared.map(({ task }) => task.id);
  return reservedVariants({ compared: new Set(ids), task: (id) => byId.get(id) });
}

/** True for a ready task without a live attempt. */
export function isUnstarted(record: TaskRecord): boolean {
  const { attempt, coClaimedBy } = record;
  const isUnderWay = attempt !== undefined && isLive(attempt.state);
  return stateOf(record) === 'ready' && coClaimedBy === undefined && !isUnderWay;
}

/** The task and its variants, as far as they are ready and have not started. `records` are all tasks. */
export function readyIn(records: readonly TaskRecord[]): (id: TaskId) => readonly TaskId[] {
  const byId = new Map(records.map((record) => [record.task.id, record]));
  return (id) =>
    [id, ...(byId.get(id)?.variants?.ids ?? [])].filter((one) => {
      const record = byId.get(one);
      return record !== undefined && isUnstarted(record);
    });
}
