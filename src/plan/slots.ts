import { mayWaitLong } from '../model/attempt-state.ts';
import { branchOf } from '../model/branch.ts';
import type { Call } from '../model/call.ts';
import type { Command, CommandOf } from '../model/command.ts';
import { limits } from '../model/limits.ts';
import type { RunRecord } from '../model/run-record.ts';
import type { Task, TaskId } from '../model/task.ts';
import type { TaskRecord } from '../model/task-record.ts';
import { type AgentPool, type Assignment, memberOf } from './agent-pool.ts';
import { bestOfFor, termsOf, variantTasks } from './best-of.ts';
import { choiceCalls, reservedVariants } from './choice.ts';
import { nextCall } from './fold-call.ts';
import { unreviewed } from './fold-review.ts';
import { freeSlots } from './free-slots.ts';
import { Leases, leaseWaitMs, withoutOverlap } from './leases.ts';
import { narrowingOf } from './narrowing.ts';
import { beginCall, beginTurn, mustJudgeTarget } from './next.ts';
import { agentStep, stepPause } from './paused-steps.ts';
import { awaitsPreflight } from './preflight.ts';
import { mayReturnToAgent, needsMerge, wouldConflictAgain } from './returned-work.ts';
import { type ExhaustedBudget, remainingBudget, spentSinceResume } from './spend.ts';
import type { State } from './state.ts';
import { fitsSlot, poolOf, workerOf } from './workers.ts';

/** Fills the free slots: one-shot calls first, then further turns of live attempts, then ready tasks. */
export function fillSlots(
  state: State,
  run: RunRecord,
  live: readonly TaskRecord[],
  agentPool: AgentPool,
  now: number,
): readonly Command[] {
  const free = freeSlots(run, live);
  /** A conversation goes on where its worktree is. */
  const slotAt = (worker: string | undefined) =>
    free.find((slot) => workerOf(run, slot) === worker);
  let starts = startsNow(run, live);
  const commands: Command[] = [];
  const mayBegin = !awaitsPreflight(run);
  for (const { record, call } of mayBegin ? callsToStart(state, run, live, now) : []) {
    if (starts <= 0 || free.length === 0) break;
    const { attempt } = record;
    const slot = slotAt(attempt.worker);
    const assignment = agentPool.assignCall(call.agent);
    if (slot === undefined || assignment === undefined) continue;
    if (stepPause(run, agentStep(record.task.id, attempt.number), now) !== undefined) continue;
    starts -= 1;
    free.splice(free.indexOf(slot), 1);
    agentPool.markBusy(assignment.agent);
    commands.push(beginCall(record, attempt, call, slot, assignment));
  }
  for (const record of mayBegin ? turnsToStart(live, run) : []) {
    if (starts <= 0 || free.length === 0) break;
    if (now < nextTurnAt(record, run)) continue;
    const slot = slotAt(record.attempt.worker);
    const assignment = agentPool.assignTurn(record, record.attempt);
    if (slot === undefined || assignment === undefined) continue;
    starts -= 1;
    free.splice(free.indexOf(slot), 1);
    agentPool.markBusy(assignment.agent);
    commands.push(beginTurn(run, record, record.attempt, slot, assignment));
  }
  commands.push(...startTasks({ state, run, live, agentPool, now }, free, starts));
  return commands;
}

interface Situation {
  readonly state: State;
  readonly run: RunRecord;
  readonly live: readonly TaskRecord[];
  readonly agentPool: AgentPool;
  readonly now: number;
}

/** Starts ready tasks in the free slots, and creates the variants of those that have several attempts. */
function startTasks(situation: Situation, free: number[], most: number): readonly Command[] {
  const { state, run, live, agentPool, now } = situation;
  const commands: Command[] = [];
  const claimed = new Map<TaskId, TaskRecord>();
  const leases = new Leases(run, live);
  let starts = most;
  let room = roomIn(run, live);
  let reserved = reservedVariants(state);
  while (starts > 0 && room > 0 && free.length > 0) {
    // The agent's pause between turns also applies between two tasks of one slot.
    const slotFor = (agent: string, task: Task) =>
      free.find((slot) => now >= slotFreeAt(run, slot, agent) && fitsSlot(run, slot, task));
    const claims = { claimed, leases, slotFor, unreserved: starts - reserved };
    const next = nextTask(situation, claims);
    if (next === undefined) break;
    const { record, assignment } = next;
    claimed.set(record.task.id, record);
    if (assignment === undefined) {
      const expansion = expansionOf(state, record, run);
      reserved += expansion.variants.length;
      commands.push(expansion);
      continue;
    }
    const slot = slotFor(assignment.agent, record.task) ?? 0;
    free.splice(free.indexOf(slot), 1);
    starts -= 1;
    room -= 1;
    if (isReserved(record)) reserved -= 1;
    leases.add(record);
    agentPool.markBusy(assignment.agent);
    commands.push(claim(record, run, slot, assignment));
  }
  return commands;
}

/** Reviews and choices between variants that wait for a slot. */
function callsToStart(
  state: State,
  run: RunRecord,
  live: readonly TaskRecord[],
  now: number,
): readonly { readonly record: Live; readonly call: Call }[] {
  const reviews = unreviewed(live).flatMap((record) => {
    const call = nextCall(record, record.attempt, run);
    return call === undefined ? [] : [{ record, call }];
  });
  return [...reviews, ...choiceCalls(state, run, now)];
}

/** Agent starts that the budgets of the run cover now. */
export function startsNow(run: RunRecord, live: readonly TaskRecord[]): number {
  return Math.min(startsLeft(run, live), remainingBudget(run, live).turns);
}

/**
 * The budget that keeps the run from starting anything: every ready task has several attempts, and it covers none of
 * them as a whole. Undefined if something can start.
 */
export function uncoveredBy(
  state: State,
  run: RunRecord,
  live: readonly TaskRecord[],
): 'max-attempts' | ExhaustedBudget | undefined {
  const unreserved = startsNow(run, live) - reservedVariants(state);
  if (!Number.isFinite(unreserved) || state.ready.size === 0) return undefined;
  if (turnsToStart(live, run).length > 0 || unreviewed(live).length > 0) return undefined;
  for (const id of state.ready.ids()) {
    const record = state.task(id);
    const count = record === undefined ? 0 : (bestOfFor(record, run.settings)?.count ?? 0);
    if (count <= unreserved || count === 0) return undefined;
  }
  return scarceBudget(run, live);
}

/** The budget that covers the fewest agent starts. */
export function scarceBudget(
  run: RunRecord,
  live: readonly TaskRecord[],
): 'max-attempts' | ExhaustedBudget {
  const { turns, scarce = 'max-attempts' } = remainingBudget(run, live);
  return startsLeft(run, live) <= turns ? 'max-attempts' : scarce;
}

/** Free worktrees. Work that waits for a person does not count, since it may wait for long. */
export function roomIn(run: RunRecord, live: readonly TaskRecord[]): number {
  const waits = live.filter(({ attempt }) => mayWaitLong(attempt?.state)).length;
  const pool = poolOf(run);
  return Math.min(pool - (live.length - waits), Math.max(limits.poolMax, pool) - live.length);
}

interface Next {
  readonly record: TaskRecord;
  /** Absent for a task that gets variants: they are assigned one by one. */
  readonly assignment?: Assignment;
}

/** Tasks claimed by this decision, files in use, and the slot in which an agent may start a task now. */
interface Claims {
  readonly claimed: ReadonlyMap<TaskId, TaskRecord>;
  readonly leases: Leases;
  readonly slotFor: (agent: string, task: Task) => number | undefined;
  /** Agent starts that are not reserved for variants. */
  readonly unreserved: number;
}

/** The best ready task that an agent is free for. Tasks of the newest batch come first, and alone for a while. */
function nextTask(
  { state, run, live, agentPool, now }: Situation,
  { claimed, leases, slotFor, unreserved }: Claims,
): Next | undefined {
  let found: Next | undefined;
  const fits = (id: TaskId): boolean => {
    const record = claimed.has(id) ? undefined : state.task(id);
    if (record === undefined || wouldConflictAgain(record, [...live, ...claimed.values()]))
      return false;
    const needed = bestOfFor(record, run.settings)?.count ?? 1;
    if (needed > unreserved && !isReserved(record)) return false;
    if (needed > 1) {
      found = { record };
      return true;
    }
    const assignment = agentPool.assignTask(record);
    if (assignment === undefined || slotFor(assignment.agent, record.task) === undefined)
      return false;
    found = { record, assignment };
    return true;
  };
  const batch = narrowingOf(run, (id) => state.readyFor(id), now);
  for (const id of batch.first) if (fits(id)) return found;
  if (batch.until !== undefined) return undefined;
  const isForOldest = isTurnOfOldest(run, live, claimed.size);
  const ageMs = isForOldest ? readyAgeMs : Number.POSITIVE_INFINITY;
  const first = state.ready.next(now, ageMs, fits);
  if (first === undefined || !fits(first) || found === undefined) return undefined;
  const waited = now - (found.record.readySince ?? now);
  if (isForOldest && waited >= leaseWaitMs) return found;
  const id = withoutOverlap(state.ready, found.record, leases, (other) =>
    fits(other) ? found?.record : undefined,
  );
  return fits(id) ? found : undefined;
}

/** True for a variant that has never started: an agent start is reserved for it. */
export function isReserved({ task, attempts }: TaskRecord): boolean {
  return task.variantOf !== undefined && attempts === 0;
}

function expansionOf(state: State, record: TaskRecord, run: RunRecord): CommandOf<'expand'> {
  const bestOf = bestOfFor(record, run.settings) ?? { count: 0, agents: [], choose: 'auto' };
  const variants = variantTasks(record.task, bestOf, (id) => state.task(id) !== undefined);
  const terms = termsOf(bestOf, run.settings);
  return { type: 'expand', original: record.task.id, variants, ...terms };
}

/** A ready task that has waited this long goes before more important ones, in one of `startsPerOldest` starts. */
export const readyAgeMs = 30 * 60_000;
export const startsPerOldest = 4;

/**
 * True for one in `startsPerOldest` starts, so that no task starves. Not for all: in a long run every task grows old, and
 * the oldest task would go before the longest path.
 */
function isTurnOfOldest(run: RunRecord, live: readonly TaskRecord[], claimed: number): boolean {
  return (run.spent.starts + reservedStarts(live) + claimed) % startsPerOldest === 0;
}

function claim(record: TaskRecord, run: RunRecord, slot: number, { agent }: Assignment): Command {
  const attempt = record.attempts + 1;
  const { id } = record.task;
  return { type: 'claim', id, attempt, slot, agent, branch: branchOf(run.id, id, attempt) };
}

/** Agent starts left in the run, without those reserved for attempts about to start. */
function startsLeft(run: RunRecord, live: readonly TaskRecord[]): number {
  const { maxAttempts } = run.settings;
  if (maxAttempts === undefined) return Number.POSITIVE_INFINITY;
  return maxAttempts - spentSinceResume(run).starts - reservedStarts(live);
}

/** Attempts whose first turn has not started. */
function reservedStarts(live: readonly TaskRecord[]): number {
  return live.filter((record) => {
    const id = record.attempt?.state.id;
    return id === 'preparing' || id === 'prepared';
  }).length;
}

type Live = TaskRecord & { readonly attempt: NonNullable<TaskRecord['attempt']> };

/** Attempts whose next turn waits for a slot, by priority and order. */
export function turnsToStart(live: readonly TaskRecord[], run: RunRecord): readonly Live[] {
  return live
    .filter((record): record is Live => isBetweenTurns(record, run))
    .sort((a, b) => a.task.priority - b.task.priority || a.order - b.order);
}

function isBetweenTurns(record: TaskRecord, run: RunRecord): boolean {
  const { attempt, status } = record;
  if (attempt === undefined || status.id !== 'open') return false;
  if (attempt.state.id === 'between-turns') return true;
  if (attempt.state.id !== 'returned' || mustJudgeTarget(attempt, run)) return false;
  return mayReturnToAgent(record, attempt, run) && !needsMerge(attempt);
}

/** Earliest start of the next turn: after the pause of its agent, and its own. */
export function nextTurnAt({ attempt }: Live, run: RunRecord): number {
  const wait = memberOf(run.settings, attempt.agent)?.waitMs ?? 0;
  const until = attempt.state.id === 'between-turns' ? (attempt.state.until ?? 0) : 0;
  return Math.max(until, wait === 0 ? 0 : (attempt.conversation.endedAt ?? 0) + wait);
}

/** Earliest start of another task with this agent in a slot. */
export function slotFreeAt({ settings, slots }: RunRecord, slot: number, agent: string): number {
  const wait = memberOf(settings, agent)?.waitMs ?? 0;
  const ended = slots[slot - 1]?.endedAt;
  return wait === 0 || ended === undefined ? 0 : ended + wait;
}

/** Times at which free slots end their pause between two tasks. */
export function slotPauses(run: RunRecord, live: readonly TaskRecord[]): readonly number[] {
  const agents = (run.settings.agentPool ?? []).filter(({ waitMs = 0 }) => waitMs > 0);
  if (agents.length === 0) return [];
  return freeSlots(run, live).flatMap((slot) =>
    agents.map(({ name }) => slotFreeAt(run, slot, name)),
  );
}

/** True if anything waits for a slot. */
export function hasWorkToStart(
  state: State,
  run: RunRecord,
  live: readonly TaskRecord[],
  now: number,
): boolean {
  if (state.ready.size > 0 || turnsToStart(live, run).length > 0) return true;
  return unreviewed(live).length > 0 || choiceCalls(state, run, now).length > 0;
}
