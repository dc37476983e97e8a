import { type Failure, unreachable } from '../model/failure.ts';
import { limits } from '../plan/limits.ts';
import { runAfresh } from '../process/afresh.ts';
import type { ProcessEnd, Processes, ProcessLimits } from '../process/processes.ts';

export interface SetupRun {
  readonly commands: readonly string[];
  readonly worktree: string;
  readonly dir: string;
  readonly env: Readonly<Record<string, string>>;
  readonly limits: ProcessLimits;
}

/** Runs the set-up commands of a fresh worktree in order. Undefined: all well. */
export async function runSetup(
  processes: Processes,
  { commands, worktree, dir, env, limits: bounds }: SetupRun,
): Promise<Failure | 'interrupted' | undefined> {
  for (const [index, command] of commands.entries()) {
    const { name, end } = await runAfresh(processes, {
      dir,
      name: `setup-${index + 1}`,
      argv: ['sh', '-c', command],
      cwd: worktree,
      env,
      limits: bounds,
    });
    if (end.how.id === 'interrupted') return 'interrupted';
    if (end.how.id === 'exited' && end.how.code === 0) continue;
    const tail = await processes.tail(dir, name, limits.tailBytes);
    return failureOf(command, end, tail);
  }
  return undefined;
}

function failureOf(command: string, { how }: ProcessEnd, tail: string): Failure {
  switch (how.id) {
    case 'exited':
      return { kind: 'setup-failed', command, exit: how.code, tail };
    case 'limit': {
      const { limit, value } = how;
      return { kind: 'limit-crossed', phase: 'setup', limit, value, tail };
    }
    case 'signalled':
      return { kind: 'setup-failed', command, exit: -1, tail: `${tail}\nended by ${how.signal}` };
    case 'not-started':
      return { kind: 'setup-failed', command, exit: -1, tail: how.cause };
    case 'lost':
    case 'interrupted':
      return { kind: 'setup-failed', command, exit: -1, tail: 'ended without leaving a status' };
    default:
      unreachable(how);
  }
}
