import type { Command } from '../model/command.ts';
import type { Known } from '../model/command-facts.ts';
import type { RunRecord } from '../model/run-record.ts';
import type { TaskRecord } from '../model/task-record.ts';
import { freeGates } from '../train/gate-slots.ts';
import { moveTrain, type TrainMove } from '../train/move.ts';
import { queuedBranches } from '../train/queue.ts';
import { branchesToJudge } from './gates.ts';

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
