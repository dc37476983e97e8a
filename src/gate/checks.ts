import { type Failure, type Judged, unreachable } from '../model/failure.ts';
import type { Gate, Verdict } from '../model/verdict.ts';
import { limits } from '../plan/limits.ts';
import { runAfresh } from '../process/afresh.ts';
import type { ProcessEnd, Processes, ProcessLimits } from '../process/processes.ts';

export interface GateRun {
  readonly gate: Gate;
  readonly where: Judged;
  /** The tree on disk that is judged. */
  readonly worktree: string;
  /** Where the outputs go, and the first part of their names; together they name this judgement for ever. */
  readonly dir: string;
  readonly name: string;
  readonly env: Readonly<Record<string, string>>;
  readonly limits: ProcessLimits;
}

/**
 * Runs the commands of a gate one after the other until one is not green. Calling it again for a judgement that was cut
 * short goes on where it was: commands that ended keep their result. Undefined when it was interrupted: no verdict.
 */
export async function runGate(processes: Processes, run: GateRun): Promise<Verdict | undefined> {
  let ms = 0;
  for (const [index, command] of run.gate.commands.entries()) {
    const { end, name } = await runAfresh(processes, {
      dir: run.dir,
      name: `${run.name}-${index + 1}`,
      argv: ['sh', '-c', command],
      cwd: run.worktree,
      env: run.env,
      limits: run.limits,
    });
    if (end.how.id === 'interrupted') return undefined;
    ms += end.endedAt - end.startedAt;
    if (end.how.id === 'exited' && end.how.code === 0) continue;
    return await verdictOn(processes, run, command, name, end, ms);
  }
  return { id: 'passed', ms };
}

async function verdictOn(
  processes: Processes,
  run: GateRun,
  command: string,
  name: string,
  end: ProcessEnd,
  ms: number,
): Promise<Verdict> {
  const tail = await processes.tail(run.dir, name, limits.tailBytes);
  const { where } = run;
  const log = `${run.dir}/${name}.out`;
  const red = (exit: number): Verdict => ({
    id: 'failed',
    ms,
    failure: { kind: 'gate-red', where, command, exit, tail, log },
  });
  const notRun = (cause: string): Verdict => {
    const failure: Failure = { kind: 'gate-not-run', where, cause };
    return { id: 'not-run', failure };
  };
  switch (end.how.id) {
    case 'exited':
      // The shell's word for "there is no such command". Work may have taken it away, and is red then; that it is
      // missing on the target as well means that nothing can be judged here.
      if (end.how.code === 127 && where === 'target') {
        return notRun(`\`${command}\` was not found. ${tail}`.trim());
      }
      return red(end.how.code);
    case 'signalled':
      return red(-1);
    case 'limit': {
      const { limit, value } = end.how;
      return {
        id: 'failed',
        ms,
        failure: { kind: 'limit-crossed', phase: 'gate', limit, value, tail },
      };
    }
    case 'lost':
      return notRun(`\`${command}\` ended without leaving a status, several times.`);
    case 'interrupted':
      return notRun(`\`${command}\` was interrupted.`);
    case 'not-started':
      return notRun(end.how.cause);
    default:
      unreachable(end.how);
  }
}
