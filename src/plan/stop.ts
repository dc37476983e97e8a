import type { Stop, StopReason } from '../model/run.ts';
import { stopReasons } from '../model/run.ts';
import type { RunRecord } from './record.ts';
import { type ExhaustedBudget, exhaustedBudget } from './spend.ts';

/**
 * What may end a run early. A hard one ends what runs; a soft one lets it come to its end and land. One that `endsAgents`
 * ends turns only: what was paid for already still lands.
 */
export interface Halt {
  readonly stop: Stop;
  readonly hard: boolean;
  readonly endsAgents: boolean;
}

export interface Pressure {
  readonly now: number;
  /** Something could start if nothing forbade it. */
  readonly hasWorkToStart: boolean;
  /** The budget of which too little is left for one more turn, while none is under way. */
  readonly short?: ExhaustedBudget;
}

/** The early end that holds now, by the fixed precedence, or undefined while the run goes on. */
export function haltOf(run: RunRecord, pressure: Pressure): Halt | undefined {
  const holding = conditions(run, pressure);
  const reason = stopReasons.find((candidate) => holding.has(candidate));
  if (reason === undefined) return undefined;
  const { trouble } = run;
  const stop =
    reason === 'environment' && trouble !== undefined ? { reason, failure: trouble } : { reason };
  const hard = reason === 'cancelled' || reason === 'budget-wall';
  return { stop, hard, endsAgents: exhaustedBudget(run) !== undefined };
}

function conditions(
  run: RunRecord,
  { now, hasWorkToStart: wantsToStart, short }: Pressure,
): Set<StopReason> {
  const { settings } = run;
  const holding = new Set<StopReason>();
  if (run.stopAsked === 'now') holding.add('cancelled');
  if (run.stopAsked === 'finish') holding.add('stop-asked');
  const deadline = wallDeadline(run);
  if (deadline !== undefined && now >= deadline) holding.add('budget-wall');
  const empty = exhaustedBudget(run) ?? (wantsToStart ? short : undefined);
  if (empty !== undefined) holding.add(empty);
  if (run.trouble !== undefined) holding.add('environment');
  const { maxAttempts } = settings;
  if (wantsToStart && maxAttempts !== undefined && startsSinceResume(run) >= maxAttempts) {
    holding.add('max-attempts');
  }
  if (wantsToStart && run.slotErrors.every((errors) => errors >= settings.slotErrors)) {
    holding.add('slot-errors');
  }
  return holding;
}

/** Agent starts since the run was started or last resumed. */
export function startsSinceResume(run: RunRecord): number {
  return run.starts - (run.startsBeforeResume ?? 0);
}

/** When the wall budget runs out. It counts from the resumption: time in which nobody ran the run is not spent. */
export function wallDeadline(run: RunRecord): number | undefined {
  const { wallMs } = run.settings;
  return wallMs === undefined ? undefined : (run.resumedAt ?? run.startedAt) + wallMs;
}
