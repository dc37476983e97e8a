import {
  type BatchesRecord,
  type BatchPlan,
  batchLimits,
  noBatches,
  type PlannerSpend,
  type TaskBatch,
  type TurnName,
} from '../model/batch.ts';
import { defined } from '../model/defined.ts';
import type { RunEvent } from '../model/event.ts';
import type { Failure } from '../model/failure.ts';
import { isKilled, troubleOf } from '../model/fault.ts';
import type { RunRecord } from '../model/run-record.ts';
import type { TaskId } from '../model/task.ts';
import { plus, tokensOf } from '../model/turn.ts';
import { pauseAccount, unpauseAccount } from './accounts.ts';
import { spend } from './spend.ts';

/* Folds what changes the batches of a run. A run with one slot has none. */

type Of<Type extends RunEvent['type']> = Extract<RunEvent, { type: Type }>;

/** An agent suggested the next tasks. Its suggestion replaces the batch before. */
export function suggestBatch(
  run: RunRecord,
  suggested: readonly TaskId[],
  after: TurnName,
  at: number,
): RunRecord {
  if (run.settings.jobs < 2) return run;
  const { due: _due, ...batches } = run.batches ?? noBatches;
  const ids = suggested.slice(0, batchLimits.batchTasks);
  return withBatch(run, batches, { source: 'agent', ids, after, at });
}

/** The work of an attempt ended. Without a suggestion from this turn a batch is due. */
export function endOfWork(run: RunRecord, turn: TurnName): RunRecord {
  if (run.settings.jobs < 2) return run;
  const batches = run.batches ?? noBatches;
  const { current } = batches;
  if (current?.source === 'agent' && isSameTurn(current.after, turn)) return run;
  // Without a planner nothing else could follow.
  const isKnown = current?.source === 'skipped' && current.reason === 'planner_disabled';
  if (isKnown && run.settings.planner === undefined) return run;
  return { ...run, batches: { ...batches, due: turn } };
}

function isSameTurn(a: TurnName, b: TurnName): boolean {
  return a.id === b.id && a.attempt === b.attempt && a.turn === b.turn;
}

export function startPlanner(
  run: RunRecord,
  { call: number, agent, model, reasoning }: Of<'planner-started'>,
  since: number,
): RunRecord {
  const { due: after, ...batches } = run.batches ?? noBatches;
  if (after === undefined || batches.call !== undefined) return run;
  if (number !== batches.calls + 1) return run;
  const call = { number, after, agent, since, model, reasoning };
  return { ...run, batches: { ...batches, calls: number, call } };
}

/**
 * The answer of a planner is dropped if an agent suggested tasks meanwhile; it is paid for in any case. A planner that
 * was killed from outside is asked again.
 */
export function planBatch(run: RunRecord, event: Of<'batch-planned'>, at: number): RunRecord {
  const { plan, usage, model } = event;
  const batches = run.batches ?? noBatches;
  if (event.call === undefined) {
    const { due: after, ...rest } = batches;
    return after === undefined ? run : withBatch(run, rest, batchOf(plan, { after, at }));
  }
  const { call, killed = 0, ...rest } = batches;
  if (call === undefined || call.number !== event.call) return run;
  const failure = plan.source === 'skipped' ? plan.failure : undefined;
  const spent = withPlannerCall(rest.spent, {
    ...call,
    ...defined({ model: model ?? call.model, usage, failure }),
  });
  const paid = withAnswer(spend(run, usage), { agent: call.agent, failure }, at);
  if (isSuperseded(batches)) return { ...paid, batches: { ...rest, spent } };
  if (isKilled(failure) && killed < batchLimits.callRestarts) {
    return {
      ...paid,
      batches: { ...rest, spent, due: rest.due ?? call.after, killed: killed + 1 },
    };
  }
  const tokens = usage === undefined ? undefined : tokensOf(usage);
  return withBatch(paid, { ...rest, spent }, batchOf(plan, { after: call.after, at }, tokens));
}

/** True if an agent suggested tasks since the planner was asked. */
export function isSuperseded({ call, current }: BatchesRecord): boolean {
  return call !== undefined && current?.source === 'agent' && current.at >= call.since;
}

type Unnumbered<Batch> = Batch extends TaskBatch ? Omit<Batch, 'number'> : never;

function batchOf(
  plan: BatchPlan,
  of: Pick<TaskBatch, 'after' | 'at'>,
  tokens?: number,
): Unnumbered<TaskBatch> {
  if (plan.source === 'skipped') return { ...plan, ...of };
  return { ...plan, ...of, tokens };
}

function withBatch(
  run: RunRecord,
  batches: BatchesRecord,
  batch: Unnumbered<TaskBatch>,
): RunRecord {
  const { counts } = batches;
  const number = counts.agent + counts.planner + counts.skipped + 1;
  const { source } = batch;
  return {
    ...run,
    batches: {
      ...batches,
      counts: { ...counts, [source]: counts[source] + 1 },
      current: { ...batch, number },
    },
  };
}

/** Adds one call to the spend of its agent and model. One that was killed and used nothing does not count. */
export function withPlannerCall(
  spent: readonly PlannerSpend[],
  { agent, model, usage, failure }: Omit<PlannerSpend, 'calls'> & { readonly failure?: Failure },
): readonly PlannerSpend[] {
  if (usage === undefined && isKilled(failure)) return spent;
  const isOwn = (row: PlannerSpend): boolean => row.agent === agent && row.model === model;
  const before = spent.find(isOwn) ?? { agent, calls: 0, model };
  const sum = usage === undefined ? before.usage : plus(before.usage, usage);
  const row = { ...before, calls: before.calls + 1, ...defined({ usage: sum }) };
  return [...spent.filter((one) => !isOwn(one)), row];
}

/** Pauses the account of an agent whose service refused a call; ends the pause after an answer. */
export function withAnswer(
  run: RunRecord,
  { agent, failure }: { readonly agent: string; readonly failure?: Failure },
  at: number,
): RunRecord {
  if (failure === undefined) return unpauseAccount(run, agent, at);
  const trouble = troubleOf(failure);
  return trouble === 'pause' || trouble === 'hold' ? pauseAccount(run, agent, failure, at) : run;
}
