import { given } from '../../model/given.ts';
import {
  type AttemptRecord,
  type CallRecord,
  gateRunsIn,
  type RunHistory,
} from '../../model/history.ts';
import type { RunRecord } from '../../model/run-record.ts';
import type { VerifyOutcome } from '../../model/verdict.ts';
import {
  type FlakeAt,
  type QuarantinedCheck,
  quarantinedChecksOf,
} from '../view/quarantined-check.ts';

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
  /** Rounds over all attempts; in one round every reviewer looks once. */
  readonly rounds: number;
  readonly approved: number;
  readonly changes: number;
  /** Reviews without a verdict. */
  readonly failed: number;
}

export interface CritiqueNumbers extends ReviewNumbers {
  /** How often a task was rewritten. */
  readonly improved: number;
}

export interface DeliveredTask {
  readonly task: string;
  readonly how: 'branch' | 'pr' | 'stack';
  readonly branch: string;
  readonly url?: string;
}

/** `attempts` are the parts of attempts that belong to the run. */
export function trainSummaryOf(
  { target: { verified } }: Pick<RunRecord, 'target'>,
  history: RunHistory,
  attempts: readonly AttemptRecord[],
  flakesOfAllRuns: readonly FlakeAt[],
): TrainSummary {
  const { improved: _, ...reviews } = roundsOf(attempts, ['review']);
  const critiques = roundsOf(attempts, ['critique', 'improve']);
  const flakes = Object.entries(history.flakes)
    .map(([command, times]) => ({ command, times }))
    .sort((a, b) => b.times - a.times);
  const quarantinedChecks = quarantinedChecksOf(history.quarantined, flakesOfAllRuns);
  const delivered = attempts.flatMap(deliveredTasks);
  return {
    gateRuns: gateRunsOf(history, attempts),
    ...(reviews.rounds === 0 ? {} : { reviews }),
    ...(critiques.rounds === 0 ? {} : { critiques }),
    ...(flakes.length === 0 ? {} : { flakes }),
    ...(quarantinedChecks.length === 0 ? {} : { quarantinedChecks }),
    ...(delivered.length === 0 ? {} : { delivered }),
    ...given({ verified }),
  };
}

function gateRunsOf(
  { gates, abandoned }: Pick<RunHistory, 'gates' | 'abandoned'>,
  attempts: readonly AttemptRecord[],
): GateRunNumbers {
  const runs = gateRunsIn({ gates });
  const total = runs.branch + runs.candidate + runs.target;
  const done = new Set(
    attempts.flatMap(({ task, end }) => ('coClaims' in end ? [task, ...end.coClaims] : [])),
  );
  const perLanded = done.size === 0 ? undefined : total / done.size;
  return { ...runs, total, ...given({ perLanded }), abandoned };
}

function roundsOf(
  attempts: readonly AttemptRecord[],
  kinds: readonly CallRecord['kind'][],
): CritiqueNumbers {
  const rounds = new Set<string>();
  const numbers = { approved: 0, changes: 0, failed: 0, rewritten: 0 };
  for (const { task, number, calls } of attempts) {
    for (const { kind, round, end } of calls) {
      if (end === undefined || !kinds.includes(kind)) continue;
      rounds.add(`${task} ${number} ${round}`);
      numbers[end.answer] += 1;
    }
  }
  const { rewritten: improved, ...rest } = numbers;
  return { rounds: rounds.size, ...rest, improved };
}

function deliveredTasks({ task, end }: AttemptRecord): readonly DeliveredTask[] {
  if (end.id !== 'delivered') return [];
  const { how, branch, url, coClaims } = end;
  return [task, ...coClaims].map((id) => ({ task: id, how, branch, ...given({ url }) }));
}
