import type { Event } from '../../model/event.ts';
import type { GateSubject } from '../../model/failure.ts';
import { given } from '../../model/given.ts';
import type { Scope } from '../../model/run.ts';
import { endOf, type RunRecord, stopOf } from '../../model/run-record.ts';
import type { TaskRecord } from '../../model/task-record.ts';
import { isNoGate } from '../../model/verdict.ts';
import { volunteersOf } from '../../plan/agent-pool.ts';
import { IncidentCount, type Incidents } from '../../plan/incidents.ts';
import { type Spend, Tally, type TaskSpend } from '../../plan/tally.ts';
import { isoTime } from '../format/time.ts';
import { type AttemptStory, attemptsOf, type Outcome, outcomes } from '../history/attempts.ts';
import type { FlakeAt } from '../view/quarantined-check.ts';
import { type StopView, stopView, waitingForPerson } from '../view/stop.ts';
import { type NotLanded, type RunResult, resultOf } from './result.ts';
import { oneShotTimes, type SlotNumbers, type SlotRow, slotRows, sum } from './slots.ts';
import { type TrainSummary, trainSummaryOf } from './train.ts';

export const summarySchema = 1;

/** Summary of a run, counted from its events alone. */
export interface Summary extends Incidents, TrainSummary {
  readonly schema: typeof summarySchema;
  /** `empty`: nothing was ever tried. `in-flight`: no end is recorded, because it goes on or was killed. */
  readonly class: 'completed' | 'in-flight' | 'empty';
  readonly run?: string;
  readonly startedAt?: string;
  readonly endedAt?: string;
  readonly wallMs?: number;
  readonly target?: string;
  readonly agent?: string;
  /** Agents for tasks that name none. */
  readonly agents?: readonly string[];
  readonly jobs?: number;
  readonly scope?: string;
  /** Set if the run had no gate. */
  readonly gate?: 'none';
  /** Attempts by outcome. */
  readonly outcomes: Readonly<Record<Outcome, number>>;
  readonly slots: readonly SlotRow[];
  /** The sums of the rows. */
  readonly totals: SlotNumbers;
  readonly gates: {
    readonly branch: GateNumbers;
    readonly candidate: GateNumbers;
    readonly target: GateNumbers;
  };
  readonly attempts: readonly AttemptRow[];
  /** Spend of its turns; absent if unknown. */
  readonly spend?: SpendSummary;
  readonly stop?: StopView;
  readonly result: Omit<RunResult, 'notLanded'>;
  /** Every task in scope that did not land, started or not. */
  readonly notLanded: readonly NotLanded[];
  /** Folder with the files of the run, relative to the repository. */
  readonly log?: string;
}

export interface SpendSummary extends Spend {
  readonly byTask: readonly TaskSpend[];
}

export interface GateNumbers {
  readonly passed: number;
  readonly failed: number;
  readonly notRun: number;
  /** How many of these verdicts came from the cache. */
  readonly cached: number;
  readonly ms: number;
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

/**
 * Sums up one run. Total: events may be missing at either end, the run's record and those of tasks may be absent.
 * `events` may hold other runs' events as well; the run named by `run`, else by the newest start among them, counts.
 * `flakes` are of any run: by them it is known until when a check is in quarantine.
 */
export function summaryOf(
  events: readonly Event[],
  run: RunRecord | undefined,
  records: readonly TaskRecord[],
  flakes: readonly FlakeAt[] = [],
): Summary {
  const start = events.findLast(
    (event) => event.type === 'run-started' && (run === undefined || event.run === run.id),
  );
  const id = run?.id ?? (start?.type === 'run-started' ? start.run : undefined);
  const own = id === undefined ? [] : events.filter((event) => 'run' in event && event.run === id);
  const lastAt = own.reduce((latest, { at }) => Math.max(latest, at), 0);
  const stories = attemptsOf(own);
  const rows = stories.map((story) => attemptRow(story, lastAt));
  const slots = slotRows(rows, run?.settings.jobs ?? 0, oneShotTimes(own, lastAt));
  return {
    schema: summarySchema,
    class: classOf(own, run, stories.length),
    ...factsOf(own, run, id, records),
    outcomes: countOutcomes(rows),
    slots,
    totals: sum(slots),
    gates: {
      branch: gateNumbers(own, 'branch'),
      candidate: gateNumbers(own, 'candidate'),
      target: gateNumbers(own, 'target'),
    },
    ...trainSummaryOf(own, flakes),
    attempts: rows,
    ...sprunEnd(own),
    ...incidentsOf(own, runEnd(own, run) ?? lastAt),
    ...resultIn(records, run),
    ...(id === undefined ? {} : { log: `.yardmaster/runs/${id}` }),
  };
}

function resultIn(
  records: readonly TaskRecord[],
  run: RunRecord | undefined,
): Pick<Summary, 'result' | 'notLanded'> {
  const scope = run?.settings.scope ?? { kind: 'ready' as const };
  const { notLanded, ...result } = resultOf(records, scope, run);
  return { result, notLanded };
}

function sprunEnd(own: readonly Event[]): Pick<Summary, 'spend'> {
  const tally = new Tally();
  for (const event of own) tally.on(event);
  const spend = tally.spend();
  return spend === undefined ? {} : { spend: { ...spend, byTask: tally.byTask() } };
}

function incidentsOf(own: readonly Event[], now: number): Incidents {
  const incidents = new IncidentCount();
  for (const event of own) incidents.on(event);
  return incidents.count(now);
}

function runEnd(own: readonly Event[], run: RunRecord | undefined): number | undefined {
  const last = own.findLast(({ type }) => type === 'run-ended' || type === 'run-resumed');
  return (run && endOf(run)) ?? (last?.type === 'run-ended' ? last.at : undefined);
}

function classOf(
  own: readonly Event[],
  run: RunRecord | undefined,
  attempts: number,
): Summary['class'] {
  if (runEnd(own, run) !== undefined) return 'completed';
  return attempts === 0 ? 'empty' : 'in-flight';
}

type Facts = Pick<
  Summary,
  | 'run'
  | 'startedAt'
  | 'endedAt'
  | 'wallMs'
  | 'target'
  | 'agent'
  | 'agents'
  | 'jobs'
  | 'scope'
  | 'gate'
  | 'stop'
>;

function factsOf(
  own: readonly Event[],
  run: RunRecord | undefined,
  id: string | undefined,
  records: readonly TaskRecord[],
): Facts {
  const start = own.find((event) => event.type === 'run-started');
  const settings = run?.settings ?? (start?.type === 'run-started' ? start.settings : undefined);
  const startedAt = run?.startedAt ?? start?.at ?? own[0]?.at;
  const endedAt = runEnd(own, run);
  const lastAt = own.reduce((latest, { at }) => Math.max(latest, at), startedAt ?? 0);
  const ended = own.findLast((event) => event.type === 'run-ended');
  const stop =
    endedAt === undefined
      ? undefined
      : ((run && stopOf(run)) ?? (ended?.type === 'run-ended' ? ended.stop : undefined));
  return {
    ...given({ run: id }),
    ...(startedAt === undefined ? {} : { startedAt: isoTime(startedAt) }),
    ...(endedAt === undefined ? {} : { endedAt: isoTime(endedAt) }),
    ...(startedAt === undefined ? {} : { wallMs: Math.max(0, (endedAt ?? lastAt) - startedAt) }),
    ...(settings === undefined
      ? {}
      : {
          target: settings.target,
          agent: settings.agent,
          agents: volunteersOf(settings),
          jobs: settings.jobs,
          scope: scopeText(settings.scope),
          ...(isNoGate(settings.gate) ? { gate: 'none' as const } : {}),
        }),
    ...(stop === undefined ? {} : { stop: stopView(stop, waitingForPerson(records, id)) }),
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

function attemptRow(story: AttemptStory, lastAt: number): AttemptRow {
  return {
    task: story.task,
    attempt: story.attempt,
    slot: story.slot ?? 0,
    turns: story.turns.length,
    outcome: story.outcome,
    ms: busyMs(story, lastAt),
    ...given({ commit: story.commit }),
  };
}

/** Run time of its agents; a running one counts up to the newest event. */
function busyMs(story: AttemptStory, lastAt: number): number {
  return story.turns.reduce((sum, { startedAt, endedAt }) => {
    if (startedAt === undefined) return sum;
    return sum + Math.max(0, (endedAt ?? story.endedAt ?? lastAt) - startedAt);
  }, 0);
}

function countOutcomes(rows: readonly AttemptRow[]): Readonly<Record<Outcome, number>> {
  const count = (outcome: Outcome): number => rows.filter((row) => row.outcome === outcome).length;
  return Object.fromEntries(outcomes.map((one) => [one, count(one)])) as Record<Outcome, number>;
}

function gateNumbers(own: readonly Event[], where: GateSubject): GateNumbers {
  const numbers = { passed: 0, failed: 0, notRun: 0, cached: 0, ms: 0 };
  for (const event of own) {
    if (!('verdict' in event) || event.type !== `${where}-judged`) continue;
    const { verdict, gate } = event;
    // The target is judged to find out something new; nothing is taken over there.
    const cached = 'cached' in event && event.cached;
    if (isNoGate(gate)) continue;
    if (cached) numbers.cached += 1;
    if (verdict.id === 'passed') numbers.passed += 1;
    if (verdict.id === 'failed') numbers.failed += 1;
    if (verdict.id === 'not-run') numbers.notRun += 1;
    if (verdict.id !== 'not-run' && !cached) numbers.ms += verdict.ms;
  }
  return numbers;
}
