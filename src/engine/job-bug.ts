import type { Command } from '../model/command.ts';
import { fail, type Result } from '../model/failure.ts';
import { caught } from '../model/trouble.ts';
import { attemptDir, candidateDir, type Events, type Ports, type RunContext } from './context.ts';

/**
 * Result of a command on a worker, with a thrown error as its failure. After an internal error no agent or gate of the
 * command is left: the run gives its attempt up or has the candidate judged elsewhere, and the worktree is used again.
 */
export async function withoutLeftovers(
  { processes }: Pick<Ports, 'processes'>,
  context: RunContext,
  command: Command,
  doing: Promise<Result<Events>>,
): Promise<Result<Events>> {
  const done = await doing.catch((error: unknown) => fail(caught(error)));
  const dir =
    done.ok || done.failure.kind !== 'internal' ? undefined : folderWith(context, command);
  if (dir !== undefined) await processes.endIn(dir);
  return done;
}

/** Folder of the processes of a command that workers perform. */
function folderWith(context: RunContext, command: Command): string | undefined {
  if (command.type === 'judge-candidate') {
    return candidateDir(context, command.gate.candidate, command.gate.count);
  }
  if (!('work' in command)) return undefined;
  return attemptDir(context, command.work.task.id, command.work.attempt);
}
