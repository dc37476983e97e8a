import type { CallKind } from '../../model/call.ts';
import type { Event } from '../../model/event.ts';
import { given } from '../../model/given.ts';
import type { VerifyOutcome } from '../../model/verdict.ts';
import { isNoGate } from '../../model/verdict.ts';
import {
  type FlakeAt,
  type QuarantinedCheck,
  quarantinedChecksOf,
} from '../view/quarantined-check.ts';

/** Gate runs, reviews and deliveries of a run, counted from its events. Empty parts are absent. */
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

/** `own` are the events of one run, `lately` what flaked in any run. */
export function trainSummaryOf(
  own: readonly Event[],
  flakesOfAllRuns: readonly FlakeAt[] = [],
): TrainSummary {
  const { improved: _, ...reviews } = roundsOf(own, ['review']);
  const critiques = roundsOf(own, ['critique', 'improve']);
  const flakes = flakesOf(own);
  const quarantinedChecks = quarantinedChecksOf(own, flakesOfAllRuns);
  const delivered = deliveredOf(own);
  const verified = own.findLast((event) => event.type === 'run-verified');
  return {
    gateRuns: gateRunsOf(own),
    ...(reviews.rounds === 0 ? {} : { reviews }),
    ...(critiques.rounds === 0 ? {} : { critiques }),
    ...(flakes.length === 0 ? {} : { flakes }),
    ...(quarantinedChecks.length === 0 ? {} : { quarantinedChecks }),
    ...(delivered.length === 0 ? {} : { delivered }),
    ...(verified?.type === 'run-verified' ? { verified: verified.outcome } : {}),
  };
}

function gateRunsOf(own: readonly Event[]): GateRunNumbers {
  const runs = { branch: 0, candidate: 0, target: 0 };
  let abandoned = 0;
  const done = new Set<string>();
  for (const event of own) {
    const where = judgedBy(event);
    if (where !== undefined) runs[where] += 1;
    if (event.type === 'gate-abandoned') abandoned += 1;
    if (event.type !== 'landed' && event.type !== 'delivered') continue;
    for (const { id, coClaims = [] } of event.entries)
      for (const task of [id, ...coClaims]) done.add(task);
  }
  const total = runs.branch + runs.candidate + runs.target;
  return {
    ...runs,
    total,
    ...(done.size === 0 ? {} : { perLanded: total / done.size }),
    abandoned,
  };
}

/** What a gate run tested, if it ran to its end. */
function judgedBy(event: Event): 'branch' | 'candidate' | 'target' | undefined {
  switch (event.type) {
    case 'branch-judged':
      return isRun(event) ? 'branch' : undefined;
    case 'candidate-judged':
      return isRun(event) ? 'candidate' : undefined;
    case 'target-judged':
      return isRun({ ...event, cached: event.cached === true }) ? 'target' : undefined;
    default:
      return undefined;
  }
}

function isRun(judged: {
  readonly gate: string;
  readonly cached: boolean;
  readonly verdict: { readonly id: string };
}): boolean {
  return !isNoGate(judged.gate) && !judged.cached && judged.verdict.id !== 'not-run';
}

function roundsOf(own: readonly Event[], kinds: readonly CallKind[]): CritiqueNumbers {
  const rounds = new Set<string>();
  const numbers = { approved: 0, changes: 0, failed: 0, improved: 0 };
  for (const event of own) {
    if (event.type !== 'call-ended' || !kinds.includes(event.call.kind)) continue;
    rounds.add(JSON.stringify([event.id, event.attempt, event.call.round]));
    const { result } = event;
    if (!result.ok) numbers.failed += 1;
    else if ('body' in result) numbers.improved += 1;
    else if (result.verdict === 'approved') numbers.approved += 1;
    else numbers.changes += 1;
  }
  return { rounds: rounds.size, ...numbers };
}

function flakesOf(own: readonly Event[]): NonNullable<TrainSummary['flakes']> {
  const times = new Map<string, number>();
  for (const event of own) {
    if (event.type !== 'check-flaked') continue;
    times.set(event.command, (times.get(event.command) ?? 0) + 1);
  }
  return [...times]
    .map(([command, count]) => ({ command, times: count }))
    .sort((a, b) => b.times - a.times);
}

function deliveredOf(own: readonly Event[]): readonly DeliveredTask[] {
  const tasks = new Map<string, DeliveredTask>();
  for (const event of own) {
    if (event.type !== 'delivered') continue;
    const { how, branch, url } = event;
    for (const { id, coClaims = [] } of event.entries) {
      for (const task of [id, ...coClaims]) {
        tasks.set(task, { task, how, branch, ...given({ url }) });
      }
    }
  }
  return [...tasks.values()];
}
