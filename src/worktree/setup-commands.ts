import { type Failure, unreachable } from '../model/failure.ts';
import { limits } from '../model/limits.ts';
import type { ProcessEnd, Processes, ProcessLimits } from '../port/processes.ts';
import { runToCompletion } from '../port/run-to-completion.ts';

export interface SetupRun {
  readonly commands: readonly string[];
  readonly worktree: string;
  readonly dir: string;
  readonly env: Readonly<Record<string, string>>;
  readonly limits: ProcessLimits;
  readonly where: SetupFailure['where'];
}

export type SetupFailure = Extract<Failure, { kind: 'setup-failed' }>;

/** Runs the setup commands of a worktree in order. Undefined: all passed. */
export async function runSetup(
  processes: Processes,
  { commands, worktree, dir, env, limits: bounds, where }: SetupRun,
): Promise<SetupFailure | 'interrupted' | undefined> {
  for (const [index, command] of commands.entries()) {
    const { name, end } = await runToCompletion(processes, {
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
    const of = { kind: 'setup-failed', where, command, log: `${dir}/${name}.out` } as const;
    return { ...of, ...endOf(end, tail) };
  }
  return undefined;
}

function endOf({ how }: ProcessEnd, tail: string): Pick<SetupFailure, 'exit' | 'tail'> {
  switch (how.id) {
    case 'exited':
      return { exit: how.code, tail };
    case 'limit': {
      const isOutput = how.limit === 'output' || how.limit === 'line';
      const most = `${how.value} ${isOutput ? 'bytes (limits.output)' : 'ms (limits.setup_wall)'}`;
      return { exit: -1, tail: `${tail}\nended because it exceeded its limit of ${most}` };
    }
    case 'signalled':
      return { exit: -1, tail: `${tail}\nended by ${how.signal}` };
    case 'not-started':
      return { exit: -1, tail: how.cause };
    case 'lost':
    case 'interrupted':
      return { exit: -1, tail: 'ended without leaving a status' };
    default:
      unreachable(how);
  }
}
