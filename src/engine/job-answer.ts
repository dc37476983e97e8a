import { isDeepStrictEqual } from 'node:util';
import { branchGateId, gateOfBranch, gateWith } from '../gate/gate.ts';
import { testsOutcome } from '../inspection/tests-first.ts';
import { changedFiles } from '../model/attempt-state.ts';
import { baseRefOf, keepRefOf } from '../model/branch.ts';
import type { Command, CommandOf, Work } from '../model/command.ts';
import { type EventBody, type EventType, runOf } from '../model/event.ts';
import type { Failure } from '../model/failure.ts';
import type { RefAt } from '../model/job.ts';
import { gateStep } from '../model/run-record.ts';
import type { TestsOutcome, Verdict } from '../model/verdict.ts';
import { followUpLabel } from '../protocol/follow-up.ts';
import type { RunContext } from './context.ts';

export type Remote = Extract<Command, { readonly work: Work }>['type'] | 'judge-candidate';

const answers: Readonly<Record<Remote, readonly EventType[]>> = {
  prepare: ['worktree-ready', 'attempt-given-up'],
  'run-turn': ['turn-ended', 'tampering-seen', 'task-added', 'note-added'],
  'run-call': ['call-ended', 'tampering-seen', 'attempt-given-up'],
  capture: [
    'work-captured',
    'work-left-out',
    'work-planned',
    'merge-refused',
    'conflict-predicted',
    'attempt-given-up',
  ],
  'judge-branch': ['branch-judged', 'check-flaked', 'step-paused'],
  'merge-target': ['target-merged', 'tampering-seen', 'attempt-given-up'],
  save: ['attempt-failed', 'task-added'],
  'judge-candidate': [
    'candidate-judged',
    'check-flaked',
    'tampering-seen',
    'step-paused',
    'gate-abandoned',
  ],
};

export type Gates = Pick<RunContext, 'gate' | 'quick'>;

export function gateIds({ gate, quick }: Gates): readonly string[] {
  return [gate.id, ...(quick === undefined ? [] : [quick.id])];
}

export function gateOf(gates: Gates, command: CommandOf<Remote>): string {
  if (!('checks' in command)) return gates.gate.id;
  if (command.type === 'judge-candidate') return gateWith(gates.gate, command.checks).id;
  return branchGateId(gateOfBranch(gates, command.work.attempt, command.checks));
}

/** The request of a run to a worker. */
export interface Asked {
  readonly run: string;
  readonly command: CommandOf<Remote>;
  /** Id of the gate that judges; see `gateOf`. */
  readonly gate: string;
}

/**
 * Problem of an answer that the run did not ask for; undefined if it fits. A worker decides about nothing but its own
 * job: not about other attempts and trees, nor by another gate, nor about refs of others.
 */
export function wrongAnswer(
  asked: Asked,
  events: readonly EventBody[],
  refs: readonly RefAt[],
): string | undefined {
  const { command } = asked;
  const branch = 'work' in command ? command.work.attempt.branch : undefined;
  const ref = refs.find((one) => branch === undefined || !isRefOf(branch, one.ref));
  if (ref !== undefined) return `${ref.ref}, which is no ref of the attempt`;
  for (const event of events) {
    if (!answers[command.type].includes(event.type)) return `${event.type} for ${command.type}`;
    const field = wrongField(asked, event);
    if (field !== undefined) return `${event.type} with another ${field}`;
  }
  return undefined;
}

/** Adds the worker to the verdict of a gate that ran there. */
export function judgedBy(worker: string, event: EventBody): EventBody {
  return event.type === 'candidate-judged' && !event.cached ? { ...event, worker } : event;
}

/** Failure of a worker that answered something that the run did not ask for. */
export const answered = (worker: string, detail: string): Failure => {
  return { kind: 'worker-unfit', worker, problem: 'answer', detail };
};

/**
 * Failure of a worker after an internal error: the worker gets nothing more, and the run goes on. After a `gate-error`
 * another machine judges first.
 */
export const bugAt = (
  worker: string,
  { message, stack = message }: Extract<Failure, { kind: 'internal' }>,
  problem: 'error' | 'gate-error' = 'error',
): Failure => ({ kind: 'worker-unfit', worker, problem, detail: stack });

/** Failure of an attempt whose task breaks one worker after the other: the task is to blame, not the worker. */
export function bugOf(
  command: CommandOf<Remote>,
  { message, stack = message }: Extract<Failure, { kind: 'internal' }>,
): Extract<Failure, { kind: 'workers-failed' }> | undefined {
  // What cannot be saved there is saved here, without that worker.
  if (!('work' in command) || command.type === 'save') return undefined;
  const { worker, brokeWorker } = command.work.attempt;
  if (worker === undefined || brokeWorker === undefined || worker === brokeWorker) return undefined;
  return { kind: 'workers-failed', workers: [brokeWorker, worker], detail: stack };
}

/** True for a ref of the attempt with this branch: the branch, its base, and everything that holds its work. */
export function isRefOf(branch: string, ref: string): boolean {
  const names = [`refs/heads/${branch}`, keepRefOf(branch), baseRefOf(branch)];
  return names.some((name) => ref === name || ref.startsWith(`${name}.`));
}

/** Meaning of a verdict for tests that come first; undefined for other work. */
function testsIn(command: CommandOf<Remote>, verdict: Verdict): TestsOutcome | undefined {
  if (command.type !== 'judge-branch') return undefined;
  const { attempt } = command.work;
  if (attempt.testsFirst?.id !== 'writing') return undefined;
  return testsOutcome(verdict, changedFiles(attempt));
}

function wrongField({ run, command, gate }: Asked, event: EventBody): string | undefined {
  if ((runOf(event) ?? run) !== run) return 'run';
  if ('tree' in event && event.tree !== (treeOf(command) ?? event.tree)) return 'tree';
  if ('gate' in event && event.gate !== gate) return 'gate';
  switch (event.type) {
    case 'task-added':
      return isAskedTask(command, event.task) ? undefined : 'task';
    case 'note-added': {
      const by = event.origin.by === 'agent' ? event.origin : undefined;
      return by !== undefined && isAbout(command, by.task, by.attempt) ? undefined : 'origin';
    }
    case 'step-paused':
      return event.step === gateStep ? undefined : 'step';
    case 'branch-judged':
      if (JSON.stringify(event.tests) === JSON.stringify(testsIn(command, event.verdict))) break;
      return 'meaning for the tests';
    default:
      break;
  }
  if (command.type === 'judge-candidate') return wrongGate(command.gate, event);
  if ('attempt' in event && 'id' in event && !isAbout(command, event.id, event.attempt))
    return 'attempt';
  if (event.type === 'turn-ended' && command.type === 'run-turn' && event.turn !== command.turn)
    return 'turn';
  return event.type === 'call-ended' &&
    command.type === 'run-call' &&
    !isSame(event.call, command.call)
    ? 'call'
    : undefined;
}

function wrongGate(
  gate: CommandOf<'judge-candidate'>['gate'],
  event: EventBody,
): string | undefined {
  if ('candidate' in event && event.candidate !== gate.candidate) return 'candidate';
  if ('count' in event && event.count !== gate.count) return 'count';
  return 'id' in event && !gate.tasks.includes(event.id) ? 'task' : undefined;
}

function treeOf(command: CommandOf<Remote>): string | undefined {
  if (command.type === 'judge-candidate') return command.gate.tree;
  const { state } = command.work.attempt;
  return command.type === 'judge-branch' && state.id === 'gating' ? state.tree : undefined;
}

function isAbout(command: CommandOf<Remote>, id: string, attempt: number): boolean {
  if (!('work' in command)) return false;
  return id === command.work.task.id && attempt === command.work.attempt.number;
}

/** Agents file follow-ups of their own task; a failed merge files the task that the run has written for it. */
function isAskedTask(
  command: CommandOf<Remote>,
  task: Extract<EventBody, { type: 'task-added' }>['task'],
): boolean {
  switch (command.type) {
    case 'run-turn':
      return task.labels.includes(followUpLabel(command.work.task));
    case 'save':
      return isSame(task, command.conflictTask);
    default:
      return false;
  }
}

/** Compares what JSON keeps: the order of fields changes on the way. */
const isSame = (a: unknown, b: unknown): boolean => isDeepStrictEqual(plain(a), plain(b));
const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value ?? null));
