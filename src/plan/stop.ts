import type { Command, Work } from '../model/command.ts';
import { unreachable } from '../model/failure.ts';
import { type Stop, type StopReason, stopReasons } from '../model/run.ts';
import { type RunRecord, troubleIn } from '../model/run-record.ts';
import type { TaskRecord } from '../model/task-record.ts';
import { areSlotsFailed } from './free-slots.ts';
import { stepsOf } from './paused-steps.ts';
import { type ExhaustedBudget, exhaustedBudget, spentSinceResume } from './spend.ts';

/**
 * Early end of a run. A hard one interrupts what runs; a soft one lets it finish and land. `endsAgents` interrupts turns
 * only, so finished work still lands.
 */
export interface Halt {
  readonly stop: Stop;
  readonly hard: boolean;
  readonly endsAgents: boolean;
}

interface Pressure {
  readonly now: number;
  /** True if anything waits for a slot. */
  readonly hasWorkToStart: boolean;
  /** The budget that does not cover what would start next, while nothing runs; absent if nothing would start. */
  readonly short?: ExhaustedBudget | 'max-attempts';
}

/** The early end with the highest precedence; undefined while the run continues. */
export function haltOf(run: RunRecord, pressure: Pressure): Halt | undefined {
  const holding = conditions(run, pressure);
  const reason = stopReasons.find((candidate) => holding.has(candidate));
  if (reason === undefined) return undefined;
  const trouble = troubleIn(run);
  const stop =
    reason === 'environment' && trouble !== undefined ? { reason, failure: trouble } : { reason };
  const hard = holding.has('canceled') || holding.has('budget-wall');
  return { stop, hard, endsAgents: exhaustedBudget(run) !== undefined };
}

function conditions(
  run: RunRecord,
  { now, hasWorkToStart: wantsToStart, short }: Pressure,
): Set<StopReason> {
  const { settings } = run;
  const holding = new Set<StopReason>();
  const asked = run.phase.id === 'running' ? run.phase.stopAsked : undefined;
  if (asked === 'now') holding.add('canceled');
  if (asked === 'finish') holding.add('stop-asked');
  const deadline = wallDeadline(run);
  if (deadline !== undefined && now >= deadline) holding.add('budget-wall');
  const empty = exhaustedBudget(run) ?? short;
  if (empty !== undefined) holding.add(empty);
  if (troubleIn(run) !== undefined) holding.add('environment');
  const { maxAttempts } = settings;
  if (wantsToStart && maxAttempts !== undefined && spentSinceResume(run).starts >= maxAttempts) {
    holding.add('max-attempts');
  }
  if (wantsToStart && areSlotsFailed(run)) holding.add('slot-errors');
  return holding;
}

/** End of the wall-clock budget, which counts from the last resume. */
export function wallDeadline(run: RunRecord): number | undefined {
  const { wallMs } = run.settings;
  return wallMs === undefined ? undefined : (run.resumedAt ?? run.startedAt) + wallMs;
}

/**
 * Frees the slots of a run that is about to end. Finished work goes to the merge queue; an attempt whose agent never
 * started is given up without counting against its task. What the machine prevents is left for a resumed run, and so are
 * tests that were written first.
 */
export function windDown(
  run: RunRecord,
  live: readonly TaskRecord[],
  stop: Stop,
): readonly Command[] {
  return live.flatMap(({ task, attempt }) => {
    const isHeld =
      attempt !== undefined &&
      stepsOf(task.id, attempt.number).some((step) => step in run.pausedSteps);
    return attempt === undefined || isHeld ? [] : leave({ task, attempt }, stop);
  });
}

function leave(work: Work, stop: Stop): readonly Command[] {
  const { attempt } = work;
  const of = { id: work.task.id, attempt: attempt.number };
  switch (attempt.state.id) {
    case 'preparing':
    case 'prepared': {
      const last = stop.failure === undefined ? {} : { last: stop.failure };
      return [{ type: 'give-up', ...of, failure: { kind: 'run-stopped', ...last } }];
    }
    case 'capturing':
      return [{ type: 'capture', work }];
    case 'gating': {
      // Tests without their work must not land; a resumed run judges them.
      if (attempt.testsFirst?.id === 'writing') return [];
      const { tree } = attempt.state;
      const reason = 'the run ends before its branch was judged; the merge queue judges it';
      return [{ type: 'skip-gate', ...of, tree, reason }];
    }
    case 'calling':
    case 'working':
    case 'unreviewed':
    case 'finished':
    case 'awaiting':
    case 'queued':
    case 'landing':
    case 'returned':
    case 'between-turns':
    case 'asking':
    case 'held':
    case 'giving-up':
    case 'landed':
    case 'planned':
    case 'failed':
      return [];
    default:
      unreachable(attempt.state);
  }
}
