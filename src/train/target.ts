import type { TrainEvent } from '../model/event.ts';
import { noEvidence } from '../model/evidence.ts';
import type { Failure } from '../model/failure.ts';
import { given } from '../model/given.ts';
import { limits } from '../model/limits.ts';
import { type RunRecord, withTrouble } from '../model/run-record.ts';
import type { Verdict } from '../model/verdict.ts';

type Of<Type extends TrainEvent['type']> = Extract<TrainEvent, { type: Type }>;

export function judgeTarget(before: RunRecord, event: Of<'target-judged'>, at: number): RunRecord {
  const { commit, verdict, cached } = event;
  const { targetCheck: _ended, ...run } = before;
  const isRun = cached !== true && verdict.id !== 'not-run';
  const counted = isRun ? countGateRun(run, 'target') : run;
  if (verdict.id === 'passed') {
    const { externalTip, preflight, ...rest } = counted;
    return {
      ...withCleared(rest, commit),
      ...given({
        externalTip: externalTip === commit ? undefined : externalTip,
        preflight: preflight === commit ? undefined : preflight,
        gatePassedAt: isRun ? at : rest.gatePassedAt,
      }),
    };
  }
  const clearedCommits = run.clearedCommits.filter((one) => one !== commit);
  return withTrouble({ ...counted, clearedCommits }, targetTrouble(before, commit, verdict));
}

function targetTrouble(
  { targetCheck }: RunRecord,
  commit: string,
  { id, failure }: Exclude<Verdict, { id: 'passed' }>,
): Failure {
  if (id === 'not-run') return failure;
  const tail = 'tail' in failure ? failure.tail : '';
  const log = 'log' in failure ? failure.log : '';
  const evidence = 'evidence' in failure ? failure.evidence : noEvidence;
  const crossed =
    failure.kind === 'limit-crossed' ? { limit: { id: failure.limit, value: failure.value } } : {};
  const checked = targetCheck?.reason ?? 'blame';
  return { kind: 'target-red', commit, checked, ...crossed, evidence, tail, log };
}

/**
 * Somebody else moved the target. A commit that was added is judged before anything is built on it; if an agent moved it
 * or landed work was removed, the run ends.
 */
export function moveTarget(
  run: RunRecord,
  { from, to, by, rewound }: Of<'target-moved'>,
): RunRecord {
  const moved = { ...run, tip: to };
  if (by === undefined && rewound !== true) {
    return run.clearedCommits.includes(to) ? moved : { ...moved, externalTip: to };
  }
  const failure = { kind: 'target-taken', task: by?.id ?? '', from, to } as const;
  return withTrouble(moved, failure);
}

/** Remembers that the gate passed on a target commit: red work on top of it is to blame itself. */
export function withCleared(run: RunRecord, commit: string): RunRecord {
  return { ...run, clearedCommits: [...run.clearedCommits, commit].slice(-limits.clearedKept) };
}

export function countGateRun(run: RunRecord, where: keyof RunRecord['gateRuns']): RunRecord {
  return { ...run, gateRuns: { ...run.gateRuns, [where]: run.gateRuns[where] + 1 } };
}
