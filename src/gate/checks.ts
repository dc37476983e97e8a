import { OutputReader } from '../evidence/evidence.ts';
import { type Failure, type Judged, unreachable } from '../model/failure.ts';
import type { Gate, Verdict } from '../model/verdict.ts';
import { limits } from '../plan/limits.ts';
import { runAfresh } from '../process/afresh.ts';
import type { HowEnded, ProcessEnd, Processes, ProcessLimits } from '../process/processes.ts';

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
  /** How often a red command is run again before it is believed; 0: never. */
  readonly reruns: number;
  /** Quarantined commands of the gate. They get more tries; one that is red in all of them is red. */
  readonly spared: readonly string[];
}

/** A command that was red and then green on one and the same tree. */
export interface Flake {
  readonly command: string;
  /** Output of the red run. */
  readonly log: string;
}

export interface GateResult {
  readonly verdict: Verdict;
  /** What flaked on the way, also where the verdict is red in the end because of another command. */
  readonly flaked: readonly Flake[];
}

/**
 * Runs the commands of a gate one after the other until one is red for good. Calling it again for a judgement that was
 * cut short goes on where it was: commands that ended keep their result. Undefined when it was interrupted: no verdict.
 */
export async function runGate(processes: Processes, run: GateRun): Promise<GateResult | undefined> {
  const flaked: Flake[] = [];
  const spared: string[] = [];
  let ms = 0;
  for (const [index, command] of run.gate.commands.entries()) {
    const isSpared = run.spared.includes(command);
    const name = `${run.name}-${index + 1}`;
    const tries = run.reruns + (isSpared ? limits.quarantineReruns : 0);
    const said = await runCommand(processes, run, command, name, tries);
    if (said === undefined) return undefined;
    ms += said.ms;
    if (said.red === undefined) continue;
    if (!said.isFlake) {
      return { verdict: await verdictOn(processes, run, command, said.red, ms), flaked };
    }
    flaked.push({ command, log: logOf(run, said.red.name) });
    if (isSpared) spared.push(command);
  }
  const verdict: Verdict = {
    id: 'passed',
    ms,
    ...(spared.length === 0 ? {} : { spared }),
    ...(flaked.length === 0 ? {} : { flaked: flaked.map(({ command }) => command) }),
  };
  return { verdict, flaked };
}

/** The first run of a command that was not green, under the name of its files. */
interface Red {
  readonly name: string;
  readonly end: ProcessEnd;
}

interface Said {
  readonly ms: number;
  readonly red?: Red;
  /** A later run was green. */
  readonly isFlake: boolean;
}

/** Every run has a name of its own that follows from the ones before, so a crash in between repeats none of them. */
async function runCommand(
  processes: Processes,
  run: GateRun,
  command: string,
  firstName: string,
  reruns: number,
): Promise<Said | undefined> {
  let ms = 0;
  let red: Red | undefined;
  for (let again = 0; again <= reruns; again += 1) {
    const { end, name } = await runAfresh(processes, {
      dir: run.dir,
      name: again === 0 ? firstName : `${firstName}-rerun${again}`,
      argv: [...ofOneStream, command],
      cwd: run.worktree,
      env: run.env,
      limits: run.limits,
    });
    if (end.how.id === 'interrupted') return undefined;
    ms += end.endedAt - end.startedAt;
    if (isGreen(end.how))
      return red === undefined ? { ms, isFlake: false } : { ms, red, isFlake: true };
    red ??= { name, end };
    if (!mayFlake(end.how, run.where)) break;
  }
  return red === undefined ? { ms, isFlake: false } : { ms, red, isFlake: false };
}

const isGreen = (how: HowEnded): boolean => how.id === 'exited' && how.code === 0;

/** A crossed limit would only be waited for once more, and what is not there does not come by asking again. */
function mayFlake(how: HowEnded, where: Judged): boolean {
  if (how.id === 'signalled') return true;
  return how.id === 'exited' && !(how.code === notFound && where === 'target');
}

/** A shell that runs the command it is given, with both streams in one file in the order in which they are printed. */
const ofOneStream = ['sh', '-c', 'exec sh -c "$1" 2>&1', 'sh'];

/** The shell's word for "there is no such command". */
const notFound = 127;

const logOf = (run: GateRun, name: string): string => `${run.dir}/${name}.out`;

async function verdictOn(
  processes: Processes,
  run: GateRun,
  command: string,
  { name, end }: Red,
  ms: number,
): Promise<Verdict> {
  const tail = await processes.tail(run.dir, name, limits.tailBytes);
  const reader = new OutputReader();
  await processes.lines(run.dir, name, (line) => reader.line(line));
  const { evidence } = reader.end();
  const { where } = run;
  const log = logOf(run, name);
  const red = (exit: number): Verdict => ({
    id: 'failed',
    ms,
    failure: { kind: 'gate-red', where, command, exit, evidence, tail, log },
  });
  const notRun = (cause: string): Verdict => {
    const failure: Failure = { kind: 'gate-not-run', where, cause };
    return { id: 'not-run', failure };
  };
  switch (end.how.id) {
    case 'exited':
      // Work may have taken the command away, and is red then; that it is missing on the target as well means that
      // nothing can be judged here.
      if (end.how.code === notFound && where === 'target') {
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
