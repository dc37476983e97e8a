import type { Work } from '../model/command.ts';
import type { Failure } from '../model/failure.ts';
import { commandFailure, runCommands } from '../worktree/setup.ts';
import { envOf } from './attempt.ts';
import type { WorktreeState } from './capture.ts';
import { attemptDir, type Ports, type RunContext } from './context.ts';

/** The worktree after the commands of `worktree.finish`, and why they failed. */
interface Finished {
  readonly own: WorktreeState;
  readonly failure?: Failure;
}

/**
 * Runs the commands of `worktree.finish` on what a turn left. Without changes, or after a person handed the work in, none
 * run. A command that has ended keeps its result if the engine dies, so that no turn is finished twice.
 */
export async function finishWork(
  { git, processes }: Ports,
  context: RunContext,
  work: Work,
  own: WorktreeState,
): Promise<Finished | 'interrupted'> {
  const { task, attempt } = work;
  const { turns } = attempt.conversation;
  const before = attempt.captured?.commit ?? attempt.worktree?.base;
  const isChanged = own.dirty || own.head !== before;
  if (context.finish.length === 0 || turns === 0 || !isChanged) return { own };
  const run = {
    commands: context.finish,
    worktree: own.dir,
    dir: attemptDir(context, task.id, attempt),
    name: `finish-${turns}`,
    env: envOf(context, work, own.dir, turns),
    limits: context.limits.setup,
    role: 'setup',
  } as const;
  const failed = await runCommands(processes, run);
  if (failed === 'interrupted') return failed;
  const status = await git.status(own.dir);
  const { head, dirty } = status;
  const left = { ...own, head, dirty };
  if (failed === undefined) return { own: left };
  return { own: left, failure: { kind: 'finish-failed', ...commandFailure(failed) } };
}
