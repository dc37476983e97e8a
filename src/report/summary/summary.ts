import { outcomeOfEnd, partIn } from '../../history/attempt-history.ts';
import { newRunHistory } from '../../history/run-history.ts';
import {
  type Incidents,
  RunTotals,
  type SlotNumbers,
  type Spend,
  type TaskSpend,
} from '../../history/totals.ts';
import { given } from '../../model/given.ts';
import {
  type AttemptRecord,
  endedAt,
  type Outcome,
  outcomes,
  type RunHistory,
} from '../../model/history.ts';
import type { Scope } from '../../model/run.ts';
import { endOf, type RunRecord, stopOf } from '../../model/run-record.ts';
import type { TaskRecord } from '../../model/task-record.ts';
import { isNoGate } from '../../model/verdict.ts';
import { volunteersOf } from '../../plan/agent-pool.ts';
import type { FlakeAt } from '../view/quarantined-check.ts';
import { type StopView, stopView, waitingIn } from '../view/stop.ts';
import { type NotLanded, type RunResult, resultOf } from './result.ts';
import { type SlotRow, slotRows, sum } from './slots.ts';
import { type TrainSummary, trainSummaryOf } from './train.ts';

export const summarySchema = 1;

/** Summary of a run. */
export interface Summary extends Incidents, TrainSummary {
  readonly schema: typeof summarySchema;
  /** `empty`: nothing was ever tried. `in-flight`: no end is recorded, because it goes on or was killed. */
  readonly class: 'completed' | 'in-flight' | 'empty';
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
  /** Set if the run had no gate. */
  readonly gate?: 'none';
  /** Attempts by outcome. */
  readonly outcomes: Readonly<Record<Outcome, number>>;
  readonly slots: readonly SlotRow[];
  /** The sums of the rows. */
  readonly totals: SlotNumbers;
  readonly gates: RunHistory['gates'];
  readonly attempts: readonly AttemptRow[];
  /** Spend of its turns; absent if unknown. */
  readonly spend?: SpendSummary;
  readonly stop?: StopView;
  readonly result: Omit<RunResult, 'notLanded'>;
  /** Every task in scope that did not land, started or not. */
  readonly notLanded: readonly NotLanded[];
  /** Folder with the files of the run, relative to the repository. */
  readonly log: string;
}

export interface SpendSummary extends Spend {
  readonly byTask: readonly TaskSpend[];
}

export interface AttemptRow {
  readonly task: string;
  readonly attempt: number;
  readonly slot: number;
  readonly turns: number;
  readonly outcome: Outcome;
  readonly ms: number;
  readonly commit?: string;
}

/** What a summary is made of. `attempts` are those that the run drove; `flakes` are of any run. */
export interface SummarySource {
  readonly run: RunRecord;
  readonly history: RunHistory | undefined;
  readonly attempts: readonly AttemptRecord[];
  readonly tasks: readonly TaskRecord[];
  /** They tell until when a check is in quarantine. */
  readonly flakes: readonly FlakeAt[];
}

export function summaryOf({ run, attempts, tasks, flakes, ...source }: SummarySource): Summary {
  const { settings, startedAt } = run;
  const runEnd = endOf(run);
  const history = source.history ?? newRunHistory(run.id, startedAt);
  const own = attempts.map((attempt) => partIn(attempt, run.id));
  const changes = [startedAt, history.changedAt, ...own.map(({ changedAt }) => changedAt)];
  const lastAt = runEnd ?? changes.reduce((latest, at) => Math.max(latest, at));
  const totals = new RunTotals(own, lastAt);
  const rows = own.map((attempt) => attemptRow(attempt, lastAt));
  const slots = slotRows(totals, settings.jobs);
  const { notLanded, ...result } = resultOf(tasks, settings.scope, run);
  const spend = totals.spend();
  const stop = stopOf(run);
  return {
    schema: summarySchema,
    class: runEnd !== undefined ? 'completed' : own.length === 0 ? 'empty' : 'in-flight',
    run: run.id,
    startedAt,
    ...given({ endedAt: runEnd }),
    wallMs: Math.max(0, lastAt - startedAt),
    target: settings.target,
    agent: settings.agent,
    agents: volunteersOf(settings),
    jobs: settings.jobs,
    scope: scopeText(settings.scope),
    ...(isNoGate(settings.gate) ? { gate: 'none' as const } : {}),
    ...(stop === undefined ? {} : { stop: stopView(stop, waitingIn(notLanded, run.id)) }),
    outcomes: countOutcomes(rows),
    slots,
    totals: sum(slots),
    gates: history.gates,
    ...trainSummaryOf(run, history, own, flakes),
    attempts: rows,
    ...(spend === undefined ? {} : { spend: { ...spend, byTask: totals.byTask() } }),
    ...totals.incidents(history, lastAt),
    result,
    notLanded,
    log: `.yardmaster/runs/${run.id}`,
  };
}

export function scopeText(scope: Scope): string {
  switch (scope.kind) {
    case 'ready':
      return 'every task';
    case 'epics':
      return `epics ${someOf(scope.epics)}`;
    case 'only':
      return `only ${someOf(scope.tasks)}`;
  }
}

/** Names that a scope lists; a plan may have hundreds. */
const namesMax = 6;

function someOf(names: readonly string[]): string {
  const more = names.length - namesMax;
  const shown = names.slice(0, namesMax).join(', ');
  return more > 0 ? `${shown} and ${more} more` : shown;
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
    ...given({ commit }),
  };
}

function countOutcomes(rows: readonly AttemptRow[]): Readonly<Record<Outcome, number>> {
  const count = (outcome: Outcome): number => rows.filter((row) => row.outcome === outcome).length;
  return Object.fromEntries(outcomes.map((one) => [one, count(one)])) as Record<Outcome, number>;
}
