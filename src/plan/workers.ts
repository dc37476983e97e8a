import type { Attempt, AttemptState } from '../model/attempt.ts';
import { withoutCall } from '../model/attempt-state.ts';
import type { RunEvent } from '../model/event.ts';
import type { Failure } from '../model/failure.ts';
import { limits, poolSize } from '../model/limits.ts';
import type { RunRecord, SlotRecord } from '../model/run-record.ts';
import { neededLabels, type Task, type TaskId } from '../model/task.ts';
import type { TaskRecord } from '../model/task-record.ts';

/** Folds the state of a worker. It keeps its slots while it is away, and gets further ones if it comes back with more. */
export function changeWorker(
  run: RunRecord,
  { worker, slots: count, host, labels, state }: Extract<RunEvent, { type: 'worker-changed' }>,
): RunRecord {
  const workers = { ...run.workers, [worker]: { host, labels, state } };
  const own = run.slots.filter((slot) => slot.worker === worker).length;
  const missing = state === 'joined' ? Math.min(count, limits.jobsMax) - own : 0;
  const added = Array.from({ length: Math.max(0, missing) }, () => ({ errors: 0, worker }));
  const slots = run.slots.map((slot) =>
    isBack(slot, worker, state) ? { ...slot, errors: 0 } : slot,
  );
  return { ...run, workers, slots: [...slots, ...added] };
}

function isBack(slot: SlotRecord, worker: string, state: string): boolean {
  return slot.worker === worker && state === 'joined';
}

/** The worker of a slot; undefined for a slot of the process that drives the run. */
export function workerOf({ slots }: RunRecord, slot: number): string | undefined {
  return slots[slot - 1]?.worker;
}

/** True if a task may start in the slot: its worker has every label that the task needs. */
export function fitsSlot(run: RunRecord, slot: number, task: Pick<Task, 'labels'>): boolean {
  const has = run.workers?.[workerOf(run, slot) ?? '']?.labels ?? [];
  return neededLabels(task).every((label) => has.includes(label));
}

/** Worktrees that all machines of the run may hold at once. */
export function poolOf({ settings, slots, workers = {} }: RunRecord): number {
  const joined = Object.entries(workers).filter(([, { state }]) => state === 'joined');
  const remote = joined.map(([id]) => poolSize(slots.filter(({ worker }) => worker === id).length));
  return remote.reduce((sum, size) => sum + size, settings.pool);
}

/** Failure of an attempt that cannot go on, because its worktree is on a worker that is gone or takes nothing new. */
export function lostWith(run: RunRecord, id: TaskId, attempt: Attempt): Failure | undefined {
  const { worker, state } = attempt;
  if (worker === undefined) return undefined;
  const known = run.workers?.[worker];
  const how = known?.state ?? 'lost';
  if (how === 'joined' || !(how === 'draining' ? startsTurn(state) : usesWorktree(state)))
    return undefined;
  const gone: Failure = { kind: 'worker-gone', worker, host: known?.host ?? '', how };
  return how === 'refused' ? (errorIn(run, id, attempt) ?? gone) : gone;
}

/** The internal error of the worker in a step of the attempt. */
function errorIn(
  { pausedSteps }: RunRecord,
  id: TaskId,
  { number, worker }: Attempt,
): Failure | undefined {
  const isOwn = (step: string): boolean => {
    const [, task, attempt] = step.split(' ');
    return task === id && attempt === `${number}`;
  };
  const own = Object.entries(pausedSteps).filter(([step]) => isOwn(step));
  return own.map(([, { failure }]) => failure).find((failure) => errorBy(failure) === worker);
}

function errorBy(failure: Failure): string | undefined {
  const isError = failure.kind === 'worker-unfit' && failure.problem === 'error';
  return isError ? failure.worker : undefined;
}

/** Worker that had an internal error in an attempt of the run at the task. */
export function brokenBy({ attempt }: TaskRecord, run: string): string | undefined {
  if (attempt?.run !== run) return undefined;
  const { state, brokeWorker } = attempt;
  return state.id === 'failed' ? (errorBy(state.failure) ?? brokeWorker) : brokeWorker;
}

/** True if the worker of an attempt has to do its next step: a further turn is given up instead while it drains. */
export function needsWorker({ state }: Attempt): boolean {
  return state.id === 'giving-up' || (usesWorktree(state) && !startsTurn(state));
}

/** True if the next step of the attempt is a further turn. */
function startsTurn(state: AttemptState): boolean {
  return state.id === 'between-turns' || state.id === 'returned' || state.id === 'prepared';
}

/** True if the next step of the attempt happens in its worktree. Work in the queue is in git already. */
export function usesWorktree(state: AttemptState): boolean {
  switch (withoutCall(state).id) {
    case 'preparing':
    case 'prepared':
    case 'working':
    case 'between-turns':
    case 'capturing':
    case 'gating':
    case 'returned':
    case 'held':
      return true;
    default:
      return false;
  }
}
