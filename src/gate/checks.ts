import { constants } from 'node:os';
import { type OutputFacts, OutputReader } from '../evidence/evidence.ts';
import { type Evidence, noEvidence } from '../model/evidence.ts';
import { type Failure, type GateSubject, unreachable } from '../model/failure.ts';
import { limits } from '../model/limits.ts';
import type { ConfirmedRed, Gate, Verdict } from '../model/verdict.ts';
import type {
  HowEnded,
  ProcessEnd,
  Processes,
  ProcessLimits,
  ProcessSpec,
} from '../port/processes.ts';
import { inOneStream, runToCompletion } from '../port/processes.ts';

export interface GateRun {
  readonly gate: Gate;
  readonly where: GateSubject;
  readonly worktree: string;
  /** Folder and name prefix of the output files; together they identify this gate run for ever. */
  readonly dir: string;
  readonly name: string;
  readonly env: Readonly<Record<string, string>>;
  readonly limits: ProcessLimits;
  /** Reruns of a failed command before its failure counts; 0: none. */
  readonly reruns: number;
  /** Quarantined commands. They get extra reruns; if all fail, the command has failed. */
  readonly quarantined: readonly string[];
  /** A command that fails in these tests only is not rerun. */
  readonly confirmed: readonly ConfirmedRed[];
  readonly pause: (ms: number) => Promise<void>;
}

/** Command that failed and then passed on the same tree. */
export interface Flake {
  readonly command: string;
  /** Output file of the failed run. */
  readonly log: string;
}

export interface GateResult {
  readonly verdict: Verdict;
  /** Flaky commands, also if the verdict is red because of another command. */
  readonly flaked: readonly Flake[];
}

/**
 * Runs the commands of a gate in order until one fails for good. Resumes an interrupted gate run: finished commands
 * keep their result. Undefined if interrupted. The time limit covers all first runs together; each rerun has the full
 * time.
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
    const result = await runCommand(processes, run, { command, name, reruns, leftMs });
    if (result === undefined) return undefined;
    ms += result.ms;
    leftMs -= result.firstMs;
    if (result.red === undefined) continue;
    if (!result.isFlake) {
      return { verdict: await verdictOn(processes, run, command, result.red, ms), flaked };
    }
    flaked.push({ command, log: logOf(run, result.red.name) });
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

/** A failed run of a command, with the name of its files. */
interface FailedRun {
  readonly name: string;
  readonly end: ProcessEnd;
  readonly facts: OutputFacts;
}

/** The first failed run of a command, and the tests that failed in all of its runs. */
interface Red extends FailedRun {
  readonly confirmed?: readonly string[];
}

interface CommandResult {
  readonly ms: number;
  /** First run; counts toward the gate's time limit. */
  readonly firstMs: number;
  readonly red?: Red;
  /** True if a later run passed. */
  readonly isFlake: boolean;
}

interface OneCommand {
  readonly command: string;
  /** File name prefix of the first run. */
  readonly name: string;
  readonly reruns: number;
  /** Remaining time of the gate. */
  readonly leftMs: number;
}

/** Each rerun has a deterministic name, so a crash in between repeats none of them. */
async function runCommand(
  processes: Processes,
  run: GateRun,
  { command, name: firstName, reruns, leftMs }: OneCommand,
): Promise<CommandResult | undefined> {
  let ms = 0;
  let firstMs = 0;
  const reds: FailedRun[] = [];
  const known = run.confirmed.filter((one) => one.command === command);
  for (let again = 0; again <= reruns; again += 1) {
    const isFirst = again === 0;
    const { end, name } = await runUnkilled(processes, run, {
      dir: run.dir,
      name: isFirst ? firstName : `${firstName}-rerun${again}`,
      argv: inOneStream(command),
      cwd: run.worktree,
      env: run.env,
      confined: { role: 'gate' },
      limits: { ...run.limits, wallMs: isFirst ? Math.max(1, leftMs) : run.limits.wallMs },
    });
    if (end.how.id === 'interrupted') return undefined;
    const took = end.endedAt - end.startedAt;
    ms += took;
    if (isFirst) firstMs = took;
    const [red] = reds;
    if (isGreen(end.how)) return { ms, firstMs, isFlake: red !== undefined, red };
    reds.push({ name, end, facts: await factsOf(processes, run, name, end.how) });
    if (!mayFlake(end.how, run.where)) break;
    if (isFirst && reruns > 0 && isConfirmed(reds, known)) {
      return { ms, firstMs, isFlake: false, red: confirmedRed(reds, known) };
    }
  }
  return { ms, firstMs, isFlake: false, red: confirmedRed(reds, []) };
}

const testsIn = ({ facts }: FailedRun): readonly string[] =>
  facts.evidence.failures.map(({ name }) => name);

/** True if a run failed in tests only that are known not to be flaky. */
function isConfirmed([red]: readonly FailedRun[], known: readonly ConfirmedRed[]): boolean {
  if (red === undefined || red.facts.evidence.unlisted > 0) return false;
  const tests = testsIn(red);
  return tests.length > 0 && tests.every((test) => known.some((one) => one.tests.includes(test)));
}

function confirmedRed(
  [red, ...others]: readonly FailedRun[],
  known: readonly ConfirmedRed[],
): Red | undefined {
  if (red === undefined || others.length + known.length === 0) return red;
  const again = others.map(testsIn);
  return {
    ...red,
    confirmed: testsIn(red).filter((test) => again.every((tests) => tests.includes(test))),
  };
}

/**
 * Reruns a command, after a pause, if it was killed from outside: that says nothing about the work. After too many
 * kills its last end counts.
 */
async function runUnkilled(
  processes: Processes,
  run: GateRun,
  spec: ProcessSpec,
): Promise<{ readonly end: ProcessEnd; readonly name: string }> {
  for (let kills = 0; ; kills += 1) {
    const name = kills === 0 ? spec.name : `${spec.name}-killed${kills}`;
    const isOver = processes.hasEnded(spec.dir, name);
    const ended = await runToCompletion(processes, { ...spec, name });
    if (!isKilled(ended.end.how) || kills >= limits.gateKilledRetries) return ended;
    if (!isOver) await run.pause(limits.gateKilledPauseMs * 2 ** kills);
  }
}

const isGreen = (how: HowEnded): boolean => how.id === 'exited' && how.code === 0;

/** Signals caused by a fault of the program itself; all others come from outside. */
const faults = new Set(['SIGSEGV', 'SIGBUS', 'SIGILL', 'SIGFPE', 'SIGABRT', 'SIGTRAP', 'SIGSYS']);

function isKilled(how: HowEnded): boolean {
  return how.id === 'signaled' && !faults.has(how.signal);
}

/** A command that crossed a limit or was not found is not rerun: the result would be the same. */
function mayFlake(how: HowEnded, where: GateSubject): boolean {
  if (how.id === 'signaled') return !isKilled(how);
  return how.id === 'exited' && !(how.code === notFound && where === 'target');
}

/** Shell exit status for a missing command. */
const notFound = 127;

const logOf = (run: GateRun, name: string): string => `${run.dir}/${name}.out`;

async function verdictOn(
  processes: Processes,
  run: GateRun,
  command: string,
  { name, end, facts, confirmed }: Red,
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
    case 'signaled': {
      if (isKilled(end.how)) return notRun(killedText(command, end.how));
      const exit = exitOf(end.how);
      const missing = exit === notFound || facts.isMakeMissing ? (facts.missing ?? '') : undefined;
      // If the work removed the command, the gate is red. If it is missing on the target too, nothing can be tested.
      if (missing !== undefined && where === 'target') {
        const failure: Failure = { kind: 'command-missing', where, command, missing, log };
        return { id: 'not-run', failure };
      }
      const evidence = missing === undefined ? facts.evidence : withMissing(facts, missing);
      return {
        id: 'failed',
        ms,
        failure: {
          kind: 'gate-red',
          where,
          command,
          exit,
          evidence,
          tail,
          log,
          confirmed,
        },
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
      return notRun(`\`${command}\` exited without a status several times.`);
    case 'interrupted':
      return notRun(`\`${command}\` was interrupted.`);
    case 'not-started':
      return notRun(end.how.cause);
    default:
      unreachable(end.how);
  }
}

/** Facts of a failed run; none if the command did not end by itself. */
async function factsOf(
  processes: Processes,
  run: GateRun,
  name: string,
  how: HowEnded,
): Promise<OutputFacts> {
  const isOwnEnd = how.id === 'exited' || (how.id === 'signaled' && !isKilled(how));
  return isOwnEnd
    ? factsIn(processes, { ...run, name })
    : { evidence: noEvidence, isMakeMissing: false };
}

/** Finds failing tests, named relative to the worktree, and missing commands in a child's output. */
export async function factsIn(
  processes: Processes,
  { dir, name, worktree }: Pick<GateRun, 'dir' | 'name' | 'worktree'>,
): Promise<OutputFacts> {
  const reader = new OutputReader();
  await processes.lines(dir, name, (line) => reader.line(line));
  const facts = reader.end();
  const failures = facts.evidence.failures.map((failure) => ({
    ...failure,
    name: relativeName(failure.name, worktree),
  }));
  return { ...facts, evidence: { ...facts.evidence, failures } };
}

/** Some runners print absolute paths, which differ between worktrees and hide the rest of a name. */
function relativeName(name: string, worktree: string): string {
  return name.replaceAll(`file://${worktree}/`, '').replaceAll(`${worktree}/`, '');
}

function killedText(command: string, how: HowEnded): string {
  const signal = how.id === 'signaled' ? how.signal : 'a signal';
  const times = limits.gateKilledRetries + 1;
  return `\`${command}\` was killed by ${signal} all ${times} times. Something outside of Yardmaster ended it, or memory ran out`;
}

/** Exit status as a shell reports it. */
function exitOf(how: Extract<HowEnded, { id: 'exited' | 'signaled' }>): number {
  if (how.id === 'exited') return how.code;
  return 128 + (constants.signals[how.signal as NodeJS.Signals] ?? 0);
}

/** Lists the missing command before other failures. */
function withMissing({ evidence }: OutputFacts, missing: string): Evidence {
  const name = missing === '' ? 'A command was not found' : `\`${missing}\` was not found`;
  return { ...evidence, failures: [{ name, message: '' }, ...evidence.failures] };
}
