import { type BatchPlan, batchLimits, type SkipReason } from '../model/batch.ts';
import type { Command, ReadyTask } from '../model/command.ts';
import type { RunRecord } from '../model/run-record.ts';
import type { TaskRecord } from '../model/task-record.ts';
import type { AgentPool } from './agent-pool.ts';
import { isSuperseded } from './fold-batch.ts';
import { narrowingOf } from './narrowing.ts';
import { awaitsPreflight } from './preflight.ts';
import { remainingBudget } from './spend.ts';
import type { State } from './state.ts';

interface BatchSituation {
  readonly state: State;
  readonly run: RunRecord;
  readonly live: readonly TaskRecord[];
  readonly agentPool: AgentPool;
  /** False while the run starts nothing new. */
  readonly mayStart: boolean;
  /** Commands that fill free slots, one each. */
  readonly starts: readonly Command[];
  readonly now: number;
}

interface BatchDecision {
  readonly commands: readonly Command[];
  /** Time until which the batch holds ready tasks back. */
  readonly wakeAt?: number;
}

/**
 * Follows the planner, or asks it. It is asked only if its answer can matter: a turn ended without a suggestion, the
 * batch before is used up, and tasks are left to choose from. Meanwhile slots are filled as if there were no planner.
 */
export function nextBatch(situation: BatchSituation): BatchDecision {
  const { state, run, mayStart, starts, now } = situation;
  const { batches } = run;
  if (batches === undefined) return { commands: [] };
  const { first, until } = narrowingOf(run, (id) => state.readyFor(id), now);
  const claimed = new Set(starts.flatMap((one) => (one.type === 'claim' ? [one.id] : [])));
  const left = state.ready.size - claimed.size;
  const isHeldBack = mayStart && until !== undefined && left > 0;
  const { call, due } = batches;
  const commands: Command[] = [];
  const hasChoice = mayStart && left >= batchLimits.batchChoice;
  const isUsedUp = first.every((id) => claimed.has(id));
  if (call !== undefined) commands.push(...followPlanner(situation, hasChoice));
  else if (due !== undefined && hasChoice && isUsedUp && !awaitsPreflight(run))
    commands.push(...askPlanner(situation, left));
  return isHeldBack ? { commands, wakeAt: until } : { commands };
}

function followPlanner({ state, run }: BatchSituation, hasChoice: boolean): readonly Command[] {
  const { batches, settings } = run;
  if (batches?.call === undefined) return [];
  const { number: call, agent, model, reasoning } = batches.call;
  const wanted = hasChoice && !isSuperseded(batches);
  const follow: Command = {
    type: 'plan-batch',
    call,
    agent,
    model,
    reasoning,
    budgetTokens: settings.planner?.budgetTokens ?? 0,
    ready: wanted ? readyTasks(state) : [],
    wanted,
  };
  return wanted ? [follow] : [follow, { type: 'interrupt-batch', call }];
}

function askPlanner({ run, live, agentPool }: BatchSituation, left: number): readonly Command[] {
  const { planner } = run.settings;
  if (planner === undefined) return [{ type: 'skip-batch', plan: skipped('planner_disabled') }];
  // Too many tasks for a prompt of this size, so the list is not built.
  if (left * batchLimits.plannerTaskTokens > planner.budgetTokens) {
    return [{ type: 'skip-batch', plan: skipped('budget_exceeded') }];
  }
  if (remainingBudget(run, live).turns <= 0) return [];
  const assignment = agentPool.assignCall(planner.agent);
  const call = (run.batches?.calls ?? 0) + 1;
  return assignment === undefined ? [] : [{ type: 'begin-batch', call, ...assignment }];
}

const skipped = (reason: SkipReason): BatchPlan => ({ source: 'skipped', reason });

function readyTasks(state: State): readonly ReadyTask[] {
  return [...state.ready.ids()]
    .flatMap((id) => state.task(id) ?? [])
    .sort((a, b) => a.task.priority - b.task.priority || a.order - b.order)
    .map(({ task: { id, title, priority, type } }) => ({ id, title, priority, type }));
}
