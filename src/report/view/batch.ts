import { type BatchSource, batchLimits } from '../../model/batch.ts';
import { hasEnded, type RunRecord } from '../../model/run-record.ts';
import type { TaskRecord } from '../../model/task-record.ts';
import { narrowingOf } from '../../plan/narrowing.ts';
import { isUnstarted, readyIn } from '../../plan/start-reason.ts';
import { inScope } from '../../task/scope.ts';
import { oneLine } from '../explain/explain.ts';
import { span } from '../format/time.ts';

/** The newest batch of a run, and whether the planner is asked for the next one. */
export interface BatchView {
  readonly number: number;
  readonly source: BatchSource;
  /** Tasks that start next; none if no tasks were chosen. */
  readonly tasks: readonly string[];
  readonly at: number;
  /** Reason if no tasks were chosen. */
  readonly reason?: string;
  readonly cause?: string;
}

const causeChars = 200;

export function batchView(run: RunRecord): BatchView | undefined {
  const current = run.batches?.current;
  if (current === undefined || hasEnded(run)) return undefined;
  const { number, source, at } = current;
  const of = { number, source, at };
  if (current.source !== 'skipped') return { ...of, tasks: current.ids };
  const { reason, failure } = current;
  const cause = failure === undefined ? undefined : oneLine(failure, causeChars);
  return { ...of, tasks: [], reason, cause };
}

/** Tasks that may start now: ready, in scope and not held back by a batch. `records` are all tasks. */
export function readySeen(records: readonly TaskRecord[], run: RunRecord, now: number): number {
  const byId = new Map(records.map((record) => [record.task.id, record]));
  const within = inScope(run.settings.scope, (id) => byId.get(id)?.task);
  const ready = records.filter((record) => isUnstarted(record) && within(record.task));
  const { first, until } = narrowingOf(run, readyIn(records), now);
  const isFirst = new Set(first);
  return until === undefined
    ? ready.length
    : ready.filter(({ task }) => isFirst.has(task.id)).length;
}

/** Place of a ready task in the order of starts: part of the newest batch, or held back by it. */
export interface BatchPlace {
  readonly number: number;
  readonly source: BatchSource;
  readonly place: 'first' | 'held-back';
}

/** `isHeldBack`: the batch is why the task has not started. */
export function batchPlace(
  { task: { id } }: TaskRecord,
  run: RunRecord,
  isHeldBack: boolean,
): BatchPlace | undefined {
  const view = batchView(run);
  if (view === undefined || view.tasks.length === 0) return undefined;
  const { number, source, tasks } = view;
  if (tasks.includes(id)) return { number, source, place: 'first' };
  return isHeldBack ? { number, source, place: 'held-back' } : undefined;
}

const choosers = {
  agent: 'suggested by an agent',
  planner: 'chosen by the planner',
} as const;

export function placeText({ number, source, place }: BatchPlace): string {
  const batch = `batch ${number}${source === 'skipped' ? '' : `, ${choosers[source]}`}`;
  if (place === 'first') return `It is part of ${batch}, and starts before other tasks.`;
  return `It waits for ${batch}, for at most ${span(batchLimits.batchFloorMs)}.`;
}
