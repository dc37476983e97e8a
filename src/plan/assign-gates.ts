import type { Command } from '../model/command.ts';
import { moveTrain, type TrainMove } from '../train/move.ts';
import { queuedBranches } from '../train/queue.ts';
import { branchesToJudge, freeGates } from './gates.ts';
import type { RunRecord, TaskRecord } from './record.ts';

/**
 * Shares the gate slots. A judgement of the target comes first, because everything else waits for it. Then the most
 * important branches, and candidates that are built. The next candidate and the branches that wait for a gate of their
 * own take turns: whoever has waited longer comes first, so that neither starves the other.
 *
 * `asked` is what the attempts ask for; it is handed back with what the gates do.
 */
export function assignGates(
  run: RunRecord,
  live: readonly TaskRecord[],
  asked: readonly Command[],
  now: number,
): Pick<TrainMove, 'commands' | 'wakeAt'> {
  const free = [...freeGates(run, live)];
  const runs = run.targetCheck !== undefined;
  const wanted = run.externalTip !== undefined || asked.some(isTarget);
  // One slot is kept for the target while it waits for one, and is its own while its gate runs.
  const mayJudgeTarget = ((runs || wanted) && free.pop() !== undefined) || runs;
  const branches = branchesToJudge(run, live);
  const queue = queuedBranches(live, now);
  const longest = Math.min(...queue.map(({ since }) => since));
  const older = branches.filter(({ since }) => since < longest).length;
  const train = moveTrain(run, queue, now, { free, reserved: older });
  const begun = train.free.flatMap((gateSlot, at): Command[] => {
    const branch = branches[at];
    if (branch === undefined) return [];
    const { id, attempt, tree } = branch;
    return [{ type: 'begin-branch-gate', id, attempt, tree, gateSlot }];
  });
  const commands = [...asked, ...train.commands, ...begun].filter(
    (command) => mayJudgeTarget || !isTarget(command),
  );
  return train.wakeAt === undefined ? { commands } : { commands, wakeAt: train.wakeAt };
}

const isTarget = ({ type }: Command): boolean => type === 'judge-target';
