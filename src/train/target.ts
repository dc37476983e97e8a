import type { TrainEvent } from '../model/event.ts';
import { noEvidence } from '../model/evidence.ts';
import type { Failure } from '../model/failure.ts';
import { limits } from '../model/limits.ts';
import { type RunRecord, troubleIn, withoutVerdict, withTrouble } from '../model/run-record.ts';
import {
  hasOutdatedCheck,
  type TargetCheck,
  type TargetRecord,
  type TrainRecord,
} from '../model/train-record.ts';
import type { Verdict, VerifyOutcome } from '../model/verdict.ts';
import { baseOf } from './candidates.ts';

type Of<Type extends TrainEvent['type']> = Extract<TrainEvent, { type: Type }>;

/** Commit to check before an agent starts, and whether `run.before` is part of that. */
type PreflightFacts = Pick<TargetRecord, 'preflight' | 'before'>;

export function newTarget(tip: string, { preflight, before }: PreflightFacts): TargetRecord {
  return { tip, preflight, before, cleared: [], checksBegun: 0 };
}

/** The target of a resumed run. It may have moved since, so only the base of the first candidate is known. */
export function resumedTarget(
  { cleared, checksBegun, check }: TargetRecord,
  { candidates: [first] }: TrainRecord,
  { preflight, before }: PreflightFacts,
): TargetRecord {
  const tip = first && baseOf(first);
  const resumed = check && { ...check, resumed: true };
  return { cleared, checksBegun, tip, check: resumed, preflight, before };
}

/**
 * The target after a landing. The new commit has passed the gate. Commands of `run.before` that run on the commit before
 * count for it too: if each landing started them again, slow ones would never end.
 */
export function landedTarget(target: TargetRecord, commit: string): TargetRecord {
  const { externalTip: _external, verified: _verified, preflight: pending, ...rest } = target;
  const { reason, commit: checked, resumed } = rest.check ?? {};
  const isRunning = reason === 'preflight' && checked === pending && resumed !== true;
  const next = isRunning ? pending : commit;
  const preflight = pending !== undefined && rest.before === true ? next : undefined;
  return { ...withCleared(rest, commit), tip: commit, preflight };
}

export function judgeTarget(run: RunRecord, event: Of<'target-judged'>, at: number): RunRecord {
  const { commit, verdict, cached } = event;
  const { check, ...target } = run.target;
  const isRun = cached !== true && verdict.id !== 'not-run';
  if (verdict.id === 'passed') {
    const { externalTip, preflight, ...rest } = withCleared(target, commit);
    const isPreflight = target.before !== true || check?.reason === 'preflight';
    const left = {
      externalTip: externalTip === commit ? undefined : externalTip,
      preflight: preflight === commit && isPreflight ? undefined : preflight,
    };
    const train = isRun ? { ...run.train, gatePassedAt: at } : run.train;
    return { ...run, train, target: { ...rest, ...left } };
  }
  const cleared = target.cleared.filter((one) => one !== commit);
  const now = { ...run, target: { ...target, cleared } };
  if (hasOutdatedCheck(run.target) && check?.commit === commit) return now;
  if (verdict.id === 'not-run') return withoutVerdict(now, verdict.failure);
  return withTrouble(now, targetTrouble(check, commit, verdict));
}

function targetTrouble(
  check: TargetCheck | undefined,
  commit: string,
  { failure }: Extract<Verdict, { id: 'failed' }>,
): Failure {
  const tail = 'tail' in failure ? (failure.tail ?? '') : '';
  const log = 'log' in failure ? (failure.log ?? '') : '';
  const evidence = 'evidence' in failure ? failure.evidence : noEvidence;
  const limit =
    failure.kind === 'limit-crossed' ? { id: failure.limit, value: failure.value } : undefined;
  const checked = check?.reason ?? 'blame';
  return { kind: 'target-red', commit, checked, limit, evidence, tail, log };
}

/**
 * The target was moved outside of this run. A commit that was added is judged before anything is built on it; if an
 * agent moved it or landed work was removed, the run ends.
 */
export function moveTarget(
  run: RunRecord,
  { from, to, by, rewound, unrelated }: Of<'target-moved'>,
): RunRecord {
  const { preflight, before } = run.target;
  const isPending = preflight !== undefined && before === true;
  const target = { ...run.target, tip: to, ...(isPending ? { preflight: to } : {}) };
  if (unrelated === true) {
    return withTrouble({ ...run, target }, { kind: 'target-unrelated', from, to });
  }
  if (by === undefined && rewound !== true) {
    const isKnown = target.cleared.includes(to);
    return { ...run, target: isKnown ? target : { ...target, externalTip: to } };
  }
  const failure = { kind: 'target-taken', task: by?.id ?? '', from, to } as const;
  return withTrouble({ ...run, target }, failure);
}

/** Remembers that the gate passed on a commit: red work on top of it is to blame itself. */
export function withCleared<Target extends TargetRecord>(target: Target, commit: string): Target {
  return { ...target, cleared: [...target.cleared, commit].slice(-limits.clearedKept) };
}

export function withVerified(run: RunRecord, verified: VerifyOutcome): RunRecord {
  return { ...run, target: { ...run.target, verified } };
}

/** Forgets the verification, because more may land. */
export function withoutVerified(run: RunRecord): RunRecord {
  const { verified: _verified, ...target } = run.target;
  return { ...run, target };
}

/** Where no worktree can be set up, a candidate that cannot either is not to blame: the gate has not run. */
export function withoutBlame(run: RunRecord, verdict: Verdict): Verdict {
  if (verdict.id !== 'failed' || verdict.failure.kind !== 'setup-failed') return verdict;
  if (troubleIn(run)?.kind !== 'setup-failed') return verdict;
  return { id: 'not-run', failure: { ...verdict.failure, where: 'target' } };
}
