import { constants } from 'node:os';
import { type OutputFacts, OutputReader } from '../evidence/evidence.ts';
import type { Evidence } from '../model/evidence.ts';
import { type Failure, type GateSubject, unreachable } from '../model/failure.ts';
import type { Gate, Verdict } from '../model/verdict.ts';
import { limits } from '../plan/limits.ts';
import { runAfresh } from '../process/afresh.ts';
import type {
  HowEnded,
  ProcessEnd,
  Processes,
  ProcessLimits,
  ProcessSpec,
} from '../process/processes.ts';

export interface GateRun {
  readonly gate: Gate;
  readonly where: GateSubject;
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
  readonly quarantined: readonly string[];
  /** Waits for so many milliseconds. */
  readonly pause: (ms: number) => Promise<void>;
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
 *
 * The time limit is for all commands together. A command that is run again has the whole time for that run.
 */
export async function runGate(processes: Processes, run: GateRun): Promise<GateResult | undefined> {
  const flaked: Flake[] = [];
  const quarantined: string[] = [];
  let ms = 0;
  let leftMs = run.limits.wallMs;
  for (const [index, command] of run.gate.commands.entries()) {
    const isQuarantined = run.quarantined.includes(command);
    const name = `${run.name}-${index + 1}`;
    const reruns = run.reruns + (isQuarantined ? limits.quarantineReruns : 0);
    const said = await runCommand(processes, run, { command, name, reruns, leftMs });
    if (said === undefined) return undefined;
    ms += said.ms;
    leftMs -= said.firstMs;
    if (said.red === undefined) continue;
    if (!said.isFlake) {
      return { verdict: await verdictOn(processes, run, command, said.red, ms), flaked };
    }
    flaked.push({ command, log: logOf(run, said.red.name) });
    if (isQuarantined) quarantined.push(command);
  }
  const verdict: Verdict = {
    id: 'passed',
    ms,
    ...(quarantined.length === 0 ? {} : { quarantined }),
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
  /** Of all its runs. */
  readonly ms: number;
  /** Of the first run, which counts for the time of the gate. */
  readonly firstMs: number;
  readonly red?: Red;
  /** A later run was green. */
  readonly isFlake: boolean;
}

interface OneCommand {
  readonly command: string;
  /** Of the files of its first run. */
  readonly name: string;
  readonly reruns: number;
  /** What is left of the time of the gate. */
  readonly leftMs: number;
}

/** Every run has a name of its own that follows from the ones before, so a crash in between repeats none of them. */
async function runCommand(
  processes: Processes,
  run: GateRun,
  { command, name: firstName, reruns, leftMs }: OneCommand,
): Promise<Said | undefined> {
  let ms = 0;
  let firstMs = 0;
  let red: Red | undefined;
  for (let again = 0; again <= reruns; again += 1) {
    const isFirst = again === 0;
    const { end, name } = await runUnkilled(processes, run, {
      dir: run.dir,
      name: isFirst ? firstName : `${firstName}-rerun${again}`,
      argv: [...ofOneStream, command],
      cwd: run.worktree,
      env: run.env,
      limits: { ...run.limits, wallMs: isFirst ? Math.max(1, leftMs) : run.limits.wallMs },
    });
    if (end.how.id === 'interrupted') return undefined;
    const took = end.endedAt - end.startedAt;
    ms += took;
    if (isFirst) firstMs = took;
    if (isGreen(end.how)) {
      return { ms, firstMs, isFlake: red !== undefined, ...(red === undefined ? {} : { red }) };
    }
    red ??= { name, end };
    if (!mayFlake(end.how, run.where)) break;
  }
  return { ms, firstMs, isFlake: false, ...(red === undefined ? {} : { red }) };
}

/**
 * Runs a command again, after a pause, where somebody killed it: that says nothing about the work. One that is killed
 * every time ends with its last end.
 */
async function runUnkilled(
  processes: Processes,
  run: GateRun,
  spec: ProcessSpec,
): Promise<{ readonly end: ProcessEnd; readonly name: string }> {
  for (let kills = 0; ; kills += 1) {
    const name = kills === 0 ? spec.name : `${spec.name}-killed${kills}`;
    const isOver = processes.hasEnded(spec.dir, name);
    const ended = await runAfresh(processes, { ...spec, name });
    if (!isKilled(ended.end.how) || kills >= limits.gateKilledRetries) return ended;
    if (!isOver) await run.pause(limits.gateKilledPauseMs * 2 ** kills);
  }
}

const isGreen = (how: HowEnded): boolean => how.id === 'exited' && how.code === 0;

/** Signals that a program brings on itself by a fault. Any other one comes from outside. */
const faults = new Set(['SIGSEGV', 'SIGBUS', 'SIGILL', 'SIGFPE', 'SIGABRT', 'SIGTRAP', 'SIGSYS']);

function isKilled(how: HowEnded): boolean {
  return how.id === 'signalled' && !faults.has(how.signal);
}

/** A crossed limit would only be waited for once more, and what is not there does not come by asking again. */
function mayFlake(how: HowEnded, where: GateSubject): boolean {
  if (how.id === 'signalled') return !isKilled(how);
  return how.id === 'exited' && !(how.code === notFound && where === 'target');
}

/** A shell that runs the command it is given, with both streams in one file in the order in which they are printed. */
const ofOneStream = ['sh', '-c', 'exec sh -c "$1" 2>&1', 'sh'];

/** Exit status of a shell that could not find a command. */
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
  const { where } = run;
  const log = logOf(run, name);
  const notRun = (cause: string): Verdict => {
    const failure: Failure = { kind: 'gate-not-run', where, cause };
    return { id: 'not-run', failure };
  };
  switch (end.how.id) {
    case 'exited':
    case 'signalled': {
      if (isKilled(end.how)) return notRun(killedText(command, end.how));
      const facts = await factsIn(processes, run.dir, name);
      const exit = exitOf(end.how);
      const missing = exit === notFound || facts.isMakeMissing ? (facts.missing ?? '') : undefined;
      // Work may have taken the command away, and is red then; that it is missing on the target as well means that
      // nothing can be judged here.
      if (missing !== undefined && where === 'target') {
        const failure: Failure = { kind: 'command-missing', where, command, missing, log };
        return { id: 'not-run', failure };
      }
      const evidence = missing === undefined ? facts.evidence : withMissing(facts, missing);
      return {
        id: 'failed',
        ms,
        failure: { kind: 'gate-red', where, command, exit, evidence, tail, log },
      };
    }
    case 'limit': {
      const { limit } = end.how;
      const value = limit === 'wall' ? run.limits.wallMs : end.how.value;
      return {
        id: 'failed',
        ms,
        failure: { kind: 'limit-crossed', phase: 'gate', limit, value, tail, log },
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

/** Reads what a child printed for failing tests and missing commands. */
export async function factsIn(
  processes: Processes,
  dir: string,
  name: string,
): Promise<OutputFacts> {
  const reader = new OutputReader();
  await processes.lines(dir, name, (line) => reader.line(line));
  return reader.end();
}

function killedText(command: string, how: HowEnded): string {
  const signal = how.id === 'signalled' ? how.signal : 'a signal';
  const times = limits.gateKilledRetries + 1;
  return `\`${command}\` was killed by ${signal} all ${times} times. Something outside of Yardmaster ended it, or memory ran out`;
}

/** As a shell reports it. */
function exitOf(how: Extract<HowEnded, { id: 'exited' | 'signalled' }>): number {
  if (how.id === 'exited') return how.code;
  return 128 + (constants.signals[how.signal as NodeJS.Signals] ?? 0);
}

/** The command that was not found is the failure, in front of whatever else the output names. */
function withMissing({ evidence }: OutputFacts, missing: string): Evidence {
  const name = missing === '' ? 'A command was not found' : `\`${missing}\` was not found`;
  return { ...evidence, failures: [{ name, message: '' }, ...evidence.failures] };
}
