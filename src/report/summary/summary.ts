import { outcomeOfEnd, partIn } from '../../history/attempt-history.ts';
import { newRunHistory } from '../../history/run-history.ts';
import {
  type Incidents,
  plannerCalls,
  RunTotals,
  type SlotNumbers,
  type Spend,
  type TaskSpend,
  withPlanner,
} from '../../history/totals.ts';
import { noBatches } from '../../model/batch.ts';
import {
  type AttemptRecord,
  type CallRecord,
  endedAt,
  gateRunsIn,
  type Outcome,
  outcomes,
  type RunHistory,
} from '../../model/history.ts';
import { endOf, type RunRecord, runMs, stopOf } from '../../model/run-record.ts';
import type { TaskId } from '../../model/task.ts';
import type { TaskRecord } from '../../model/task-record.ts';
import { isNoGate, type VerifyOutcome } from '../../model/verdict.ts';
import { volunteersOf } from '../../plan/agent-pool.ts';
import { scopeText } from '../format/scope.ts';
import { type FlakeAt, type QuarantinedCheck, quarantinedChecksOf } from '../view/check.ts';
import { type StopView, stopView, waitingIn } from '../view/stop.ts';
import { type NotLanded, type RunResult, resultOf } from './result.ts';
import { type ScheduleSummary, scheduleSummaryOf } from './schedule.ts';

const summarySchema = 1;

export interface Summary extends Incidents, TrainSummary, ScheduleSummary {
  readonly schema: typeof summarySchema;
  /** `died`: no end is recorded, and its process is gone. `empty`: it goes on, and nothing was tried so far. */
  readonly class: 'completed' | 'died' | 'in-flight' | 'empty';
  readonly run: string;
  readonly startedAt: number;
  readonly endedAt?: number;
  readonly wallMs: number;
  readonly target: string;
  readonly agent: string;
  /** Agents for tasks that name none. */
  readonly agents: readonly string[];
  readonly jobs: number;
  readonly scope: string;
  /** Batches of tasks: suggested by agents, chosen by the planner, and left to the order of the ready tasks. */
  readonly planner?: {
    readonly agent: number;
    readonly runtime: number;
    readonly fallback: number;
  };
  /** Set if the run had no gate. */
  readonly gate?: 'none';
  readonly outcomes: Readonly<Record<Outcome, number>>;
  readonly slots: readonly SlotRow[];
  /** The sums of the rows. */
  readonly totals: SlotNumbers;
  readonly gates: RunHistory['gates'];
  readonly attempts: readonly AttemptRow[];
  /** Turns whose work was red, in conflict or refused by reviewers, and went back to its agent. */
  readonly returns: number;
  /** Spend of its turns; absent if unknown. */
  readonly spend?: SpendSummary;
  readonly stop?: StopView;
  readonly result: Omit<RunResult, 'notLanded'>;
  /** Every task in scope that did not land, started or not. */
  readonly notLanded: readonly NotLanded[];
  /** Folder with the files of the run. */
  readonly log: string;
}

export interface SpendSummary extends Spend {
  readonly byTask: readonly TaskSpend[];
}

/** Slot 0 holds the attempts whose slot is not recorded. */
type SlotRow = SlotNumbers & { readonly slot: number };

interface AttemptRow {
  readonly task: string;
  readonly attempt: number;
  readonly slot: number;
  readonly turns: number;
  readonly outcome: Outcome;
  readonly ms: number;
  readonly commit?: string;
}

/** Inputs of a summary. `attempts` are those that the run drove; `flakes` are of any run. */
export interface SummarySource {
  readonly run: RunRecord;
  /** True if its process is gone and no end is recorded. */
  readonly hasDied: boolean;
  /** Moment at which its clock stands; see `clockOf`. */
  readonly until: number;
  readonly history: RunHistory | undefined;
  readonly attempts: readonly AttemptRecord[];
  readonly tasks: readonly TaskRecord[];
  /** The newest runs; later ones may have taken up what it left. */
  readonly runs: readonly RunRecord[];
  /** They tell until when a check is in quarantine. */
  readonly flakes: readonly FlakeAt[];
  /** Folder with the files of the run. */
  readonly log: string;
}

export function summaryOf({
  run,
  hasDied,
  until: lastAt,
  attempts,
  tasks,
  runs,
  flakes,
  log,
  ...source
}: SummarySource): Summary {
  const { settings, startedAt } = run;
  const runEnd = endOf(run);
  const history = source.history ?? newRunHistory(run.id, startedAt);
  const own = attempts.map((attempt) => partIn(attempt, run.id));
  const totals = new RunTotals(own, lastAt);
  const rows = own.map((attempt) => attemptRow(attempt, lastAt));
  const slots = slotRows(totals, settings.jobs);
  const { notLanded, ...result } = resultOf(
    tasks,
    settings.scope,
    run,
    hasDied || runEnd !== undefined,
    runs,
  );
  const { counts } = run.batches ?? noBatches;
  const variants = new Set(
    tasks.flatMap(({ task }) => (task.variantOf === undefined ? [] : [task.id])),
  );
  const spend = withPlanner(totals.spend(), plannerCalls(run));
  const stop = stopOf(run);
  return {
    schema: summarySchema,
    class: hasDied ? 'died' : classOf(runEnd, own.length),
    run: run.id,
    startedAt,
    endedAt: runEnd,
    wallMs: runMs(run, lastAt),
    target: settings.target,
    agent: settings.agent,
    agents: volunteersOf(settings),
    jobs: settings.jobs,
    scope: scopeText(settings.scope),
    ...(counts.agent + counts.planner === 0 && settings.planner === undefined
      ? {}
      : { planner: { agent: counts.agent, runtime: counts.planner, fallback: counts.skipped } }),
    ...(isNoGate(settings.gate) ? { gate: 'none' as const } : {}),
    ...(stop === undefined ? {} : { stop: stopView(stop, waitingIn(notLanded, run.id)) }),
    outcomes: countOutcomes(rows),
    slots,
    totals: sum(slots),
    gates: history.gates,
    ...trainSummaryOf(run, history, own, flakes, variants),
    ...scheduleSummaryOf(run, own, tasks),
    attempts: rows,
    returns: own.flatMap(({ turns }) => turns).filter((turn) => turn.outcome === 'returned').length,
    ...(spend === undefined ? {} : { spend: { ...spend, byTask: totals.byTask() } }),
    ...totals.incidents(history, lastAt),
    result,
    notLanded,
    log,
  };
}

function classOf(endedAt: number | undefined, attempts: number): Summary['class'] {
  if (endedAt !== undefined) return 'completed';
  return attempts === 0 ? 'empty' : 'in-flight';
}

function attemptRow(attempt: AttemptRecord, lastAt: number): AttemptRow {
  const { task, number, slot, turns, end } = attempt;
  const commit = end.id === 'landed' ? end.commit : end.id === 'delivered' ? end.work : undefined;
  return {
    task,
    attempt: number,
    slot,
    turns: turns.length,
    outcome: outcomeOfEnd(end),
    ms: turns.reduce((total, turn) => {
      const endAt = turn.end?.at ?? endedAt(attempt) ?? lastAt;
      return total + Math.max(0, endAt - turn.startedAt);
    }, 0),
    commit,
  };
}

function countOutcomes(rows: readonly AttemptRow[]): Readonly<Record<Outcome, number>> {
  const count = (outcome: Outcome): number => rows.filter((row) => row.outcome === outcome).length;
  return Object.fromEntries(outcomes.map((one) => [one, count(one)])) as Record<Outcome, number>;
}

/** Idle slots are listed as well, but not more than a run can have. */
const slotsMax = 16;

function slotRows(totals: RunTotals, jobs: number): SlotRow[] {
  const listed = Array.from({ length: Math.min(jobs, slotsMax) }, (_, at) => at + 1);
  const all = new Set([...listed, ...totals.usedSlots()]);
  return [...all]
    .sort((a, b) => a - b)
    .map((slot) => {
      const { delivered: _delivered, ...numbers } = totals.slot(slot);
      return { slot, ...numbers };
    });
}

function sum(rows: readonly SlotNumbers[]): SlotNumbers {
  const total = { attempts: 0, turns: 0, landed: 0, failed: 0, busyMs: 0 };
  for (const row of rows) {
    for (const key of ['attempts', 'turns', 'landed', 'failed', 'busyMs'] as const) {
      total[key] += row[key];
    }
  }
  return total;
}

/** Gate runs, reviews and deliveries of a run. Empty parts are absent. */
export interface TrainSummary {
  readonly gateRuns: GateRunNumbers;
  readonly reviews?: ReviewNumbers;
  /** Critiques of tasks before work starts. */
  readonly critiques?: CritiqueNumbers;
  /** Checks that failed and then passed on the same tree, most frequent first. */
  readonly flakes?: readonly { readonly command: string; readonly times: number }[];
  /** Checks that passed only with the extra retries of quarantine. */
  readonly quarantinedChecks?: readonly QuarantinedCheck[];
  /** Tasks delivered as a branch or pull request. */
  readonly delivered?: readonly DeliveredTask[];
  readonly verified?: VerifyOutcome;
}

/** Gate runs; verdicts from the cache do not count. */
export interface GateRunNumbers {
  readonly branch: number;
  readonly candidate: number;
  readonly target: number;
  readonly total: number;
  /** Per landed or delivered task; absent if there is none. */
  readonly perLanded?: number;
  /** Gate runs stopped because their verdict was no longer needed. */
  readonly abandoned: number;
}

export interface ReviewNumbers {
  /** Rounds over all attempts; in one round every reviewer votes once. */
  readonly rounds: number;
  readonly approved: number;
  readonly changes: number;
  /** Reviews without a verdict. */
  readonly failed: number;
}

export interface CritiqueNumbers extends ReviewNumbers {
  /** Number of times that a task was rewritten. */
  readonly improved: number;
}

interface DeliveredTask {
  readonly task: string;
  readonly how: 'branch' | 'pr' | 'stack';
  readonly branch: string;
  readonly url?: string;
}

/** `attempts` are the parts of attempts that belong to the run. Work of `variants` counts with their tasks. */
export function trainSummaryOf(
  { target: { verified } }: Pick<RunRecord, 'target'>,
  history: RunHistory,
  attempts: readonly AttemptRecord[],
  flakesOfAllRuns: readonly FlakeAt[],
  variants: ReadonlySet<TaskId>,
): TrainSummary {
  const { improved: _, ...reviews } = roundsOf(attempts, ['review']);
  const critiques = roundsOf(attempts, ['critique', 'improve']);
  const flakes = Object.entries(history.flakes)
    .map(([command, times]) => ({ command, times }))
    .sort((a, b) => b.times - a.times);
  const quarantinedChecks = quarantinedChecksOf(history.quarantined, flakesOfAllRuns);
  const delivered = attempts.flatMap(deliveredTasks).filter(({ task }) => !variants.has(task));
  return {
    gateRuns: gateRunsOf(history, attempts, variants),
    ...(reviews.rounds === 0 ? {} : { reviews }),
    ...(critiques.rounds === 0 ? {} : { critiques }),
    ...(flakes.length === 0 ? {} : { flakes }),
    ...(quarantinedChecks.length === 0 ? {} : { quarantinedChecks }),
    ...(delivered.length === 0 ? {} : { delivered }),
    verified,
  };
}

function gateRunsOf(
  { gates, abandoned }: Pick<RunHistory, 'gates' | 'abandoned'>,
  attempts: readonly AttemptRecord[],
  variants: ReadonlySet<TaskId>,
): GateRunNumbers {
  const runs = gateRunsIn({ gates });
  const total = runs.branch + runs.candidate + runs.target;
  const done = new Set(
    attempts
      .flatMap(({ task, end }) => ('coClaims' in end ? [task, ...end.coClaims] : []))
      .filter((id) => !variants.has(id)),
  );
  const perLanded = done.size === 0 ? undefined : total / done.size;
  return { ...runs, total, perLanded, abandoned };
}

function roundsOf(
  attempts: readonly AttemptRecord[],
  kinds: readonly CallRecord['kind'][],
): CritiqueNumbers {
  const rounds = new Set<string>();
  const numbers = { approved: 0, changes: 0, failed: 0, rewritten: 0, chosen: 0 };
  for (const { task, number, calls } of attempts) {
    for (const { kind, round, end } of calls) {
      if (end === undefined || !kinds.includes(kind)) continue;
      rounds.add(`${task} ${number} ${round}`);
      numbers[end.answer] += 1;
    }
  }
  const { rewritten: improved, chosen: _chosen, ...rest } = numbers;
  return { rounds: rounds.size, ...rest, improved };
}

function deliveredTasks({ task, end }: AttemptRecord): readonly DeliveredTask[] {
  if (end.id !== 'delivered') return [];
  const { how, branch, url, coClaims } = end;
  return [task, ...coClaims].map((id) => ({ task: id, how, branch, url }));
}
