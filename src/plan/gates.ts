import type { Command } from '../model/command.ts';
import type { Known } from '../model/command-facts.ts';
import { limits } from '../model/limits.ts';
import type { RunRecord } from '../model/run-record.ts';
import type { TaskRecord } from '../model/task-record.ts';
import { workKind } from '../train/candidates.ts';
import { freeGates, moveTrain, type TrainMove } from '../train/move.ts';
import { queuedBranches } from '../train/queue.ts';
import { passes } from './pipeline.ts';
import { wasReturned } from './returned-work.ts';

interface BranchToJudge {
  readonly id: string;
  readonly attempt: number;
  readonly tree: string;
  readonly since: number;
}

/** Branches that wait for a gate slot, longest wait first. */
function branchesToJudge(run: RunRecord, live: readonly TaskRecord[]): readonly BranchToJudge[] {
  const found: BranchToJudge[] = [];
  for (const record of live) {
    const { attempt, task } = record;
    if (attempt?.state.id !== 'gating' || attempt.state.gate !== undefined) continue;
    if (branchGateSkipReason(record, run) !== undefined) continue;
    const { tree, since } = attempt.state;
    found.push({ id: task.id, attempt: attempt.number, tree, since });
  }
  return found.sort((a, b) => a.since - b.since);
}

/**
 * Reason to skip the gate on a branch; undefined if it runs. The branch gate only filters what enters the merge queue and
 * never decides what lands. It costs a run per branch, while a candidate shares one run among many, so `auto` runs it
 * only if the branch is likely red or red must be found early.
 */
export function branchGateSkipReason(record: TaskRecord, run: RunRecord): string | undefined {
  const { settings } = run;
  // Only the gate can tell whether tests that were written first fail.
  if (record.attempt?.testsFirst?.id === 'writing') return undefined;
  if (!passes('gate', record.task, settings)) return `tasks of type ${record.task.type} skip it`;
  // The choice between variants depends on it.
  if (record.task.variantOf !== undefined) return undefined;
  switch (settings.branchGate ?? 'always') {
    case 'always':
      return undefined;
    case 'never':
      return 'gate.branch is never';
    case 'auto':
      break;
  }
  // A branch that was returned before is likely to fail again.
  if (record.attempt !== undefined && wasReturned(record.attempt)) return undefined;
  // A quick gate is cheap, and red work must not cost a review.
  if (settings.quickGate === true) return undefined;
  if (settings.review !== undefined && passes('review', record.task, settings)) return undefined;
  const { good, bad } = run.train.outcomesByKind[workKind(record)] ?? { good: 0, bad: 0 };
  const isOftenBad = bad >= limits.badBranches && bad / (good + bad) >= limits.badShare;
  if (isOftenBad && hasSpareGate(run)) return undefined;
  const judged = 'the merge queue judges it';
  return good + bad === 0
    ? judged
    : `${judged}; ${good} of ${good + bad} earlier tasks of this kind passed there`;
}

/** True if several gates may run at once. With a single one, a branch gate only delays the candidate of the same work. */
function hasSpareGate({ settings }: RunRecord): boolean {
  return (settings.gateSlots ?? 1) > 1;
}

/**
 * Assigns the gate slots. The target comes first, because everything else waits for it; then urgent branches and built
 * candidates. Between the next candidate and branches that wait for a gate of their own, the longer wait wins.
 *
 * Returns the commands of the attempts (`asked`) together with those of the gates.
 */
export function assignGates(
  known: Known,
  run: RunRecord,
  live: readonly TaskRecord[],
  asked: readonly Command[],
  now: number,
): Pick<TrainMove, 'commands' | 'wakeAt'> {
  const free = [...freeGates(run, live)];
  const isRunning = run.target.check !== undefined;
  const wanted = run.target.externalTip !== undefined || asked.some(isTarget);
  // The target reserves a slot while it waits for one and while its gate runs.
  const mayJudgeTarget = ((isRunning || wanted) && free.pop() !== undefined) || isRunning;
  const branches = branchesToJudge(run, live);
  const queue = queuedBranches(live, now);
  const longest = Math.min(...queue.map(({ since }) => since));
  const older = branches.filter(({ since }) => since < longest).length;
  const train = moveTrain(known, run, queue, now, { free, reserved: older });
  const branchGates = train.free.flatMap((gateSlot, at): Command[] => {
    const branch = branches[at];
    if (branch === undefined) return [];
    const { id, attempt, tree } = branch;
    return [{ type: 'begin-branch-gate', id, attempt, tree, gateSlot }];
  });
  const commands = [...asked, ...train.commands, ...branchGates].filter(
    (command) => mayJudgeTarget || !isTarget(command),
  );
  return train.wakeAt === undefined ? { commands } : { commands, wakeAt: train.wakeAt };
}

const isTarget = ({ type }: Command): boolean => type === 'judge-target';
