import type { Command } from '../model/command.ts';
import type { EventBody } from '../model/event.ts';
import { ok, type Result, unreachable } from '../model/failure.ts';
import { given } from '../model/given.ts';
import { limits } from '../model/limits.ts';
import type { TaskId } from '../model/task.ts';
import { holderGone } from '../plan/fold-hold.ts';
import type { State } from '../plan/state.ts';
import { prepare, type Work } from './attempt.ts';
import { capture } from './capture.ts';
import { attemptDir, candidateDir, type Ports, type RunContext, targetDir } from './context.ts';
import { runCritique } from './critique.ts';
import { performWatch } from './deliver.ts';
import { endRun } from './end-run.ts';
import { judgeBranch, judgeTarget } from './judge.ts';
import { mergeTarget } from './merge-target.ts';
import { runReview } from './review.ts';
import { save } from './save.ts';
import { performBeginGate, performBuildCandidate, performJudge, performLand } from './train.ts';
import { prefixFor, runTurn } from './turn.ts';
import { performVerify } from './verify.ts';

type Events = readonly EventBody[];

/** True for commands that take no time: they are performed before anything else is decided. */
export function isImmediate(command: Command): boolean {
  switch (command.type) {
    case 'claim':
    case 'adopt':
    case 'begin-turn':
    case 'begin-review':
    case 'begin-critique':
    case 'begin-gate':
    case 'begin-branch-gate':
    case 'interrupt':
    case 'interrupt-review':
    case 'interrupt-critique':
    case 'interrupt-gate':
    case 'interrupt-target':
    case 'skip-gate':
    case 'ask-approval':
    case 'give-up':
    case 'check-holder':
    case 'halt':
    case 'end-run':
      return true;
    case 'prepare':
    case 'run-turn':
    case 'run-review':
    case 'run-critique':
    case 'verify':
    case 'watch-pulls':
    case 'capture':
    case 'judge-branch':
    case 'merge-target':
    case 'save':
    case 'build-candidate':
    case 'judge-candidate':
    case 'judge-target':
    case 'land':
      return false;
    default:
      unreachable(command);
  }
}

/**
 * Performs a command and returns what happened. Can be repeated for the same command after any crash. A failure is
 * trouble of the environment, not of the work: the command is retried later.
 */
export async function perform(
  ports: Ports,
  context: RunContext,
  state: State,
  command: Command,
): Promise<Result<Events>> {
  switch (command.type) {
    case 'claim':
    case 'adopt':
      // The loop claims through the store.
      return ok([]);
    case 'begin-turn':
    case 'begin-review':
    case 'begin-critique':
    case 'begin-gate':
    case 'begin-branch-gate':
    case 'skip-gate':
    case 'ask-approval':
    case 'give-up':
      return ok(eventFor(ports, context, state, command));
    case 'check-holder':
      return ok(releaseIfGone(ports, state, command.id));
    case 'interrupt':
    case 'interrupt-review':
    case 'interrupt-critique':
    case 'interrupt-gate':
    case 'interrupt-target':
    case 'halt':
      interrupt(ports, context, state, command);
      return ok([]);
    case 'prepare':
    case 'run-review':
    case 'run-critique':
    case 'run-turn':
    case 'capture':
    case 'judge-branch':
    case 'save': {
      const work = workOf(state, command);
      if (work === undefined) return ok([]);
      return ok(await performForAttempt(ports, context, state, work, command));
    }
    case 'merge-target': {
      const work = workOf(state, command);
      return work === undefined ? ok([]) : mergeTarget(ports, context, work);
    }
    case 'build-candidate':
      return performBuildCandidate(ports, context, state, command);
    case 'judge-candidate':
      return ok(await performJudge(ports, context, state, command));
    case 'judge-target':
      return judgeTarget(ports, context, state, command);
    case 'land':
      return performLand(ports, context, state, command);
    case 'verify':
      return performVerify(ports, context, state);
    case 'watch-pulls':
      return performWatch(ports, context, state, command);
    case 'end-run':
      return endRun(ports, context, state, command);
    default:
      unreachable(command);
  }
}

/** Returns the attempt of a command, unless a newer one has replaced it. */
function workOf(
  state: State,
  { id, attempt: number }: { readonly id: TaskId; readonly attempt: number },
): Work | undefined {
  const { task, attempt } = state.task(id) ?? {};
  return task === undefined || attempt?.number !== number ? undefined : { task, attempt };
}

/** Releases the attempt if the process of the person who holds it is gone. */
function releaseIfGone({ processes }: Ports, state: State, id: TaskId): Events {
  const hold = state.task(id)?.attempt?.hold;
  return hold === undefined || processes.isAlive(hold.by) ? [] : [holderGone(id, hold.by)];
}

type Of<Type extends Command['type']> = Extract<Command, { type: Type }>;

/** Interrupts processes. The command that runs them returns their end. */
function interrupt(
  { processes }: Ports,
  context: RunContext,
  state: State,
  command: Of<
    | 'interrupt'
    | 'interrupt-review'
    | 'interrupt-critique'
    | 'interrupt-gate'
    | 'interrupt-target'
    | 'halt'
  >,
): void {
  switch (command.type) {
    case 'interrupt':
    case 'interrupt-review':
    case 'interrupt-critique': {
      const work = workOf(state, command);
      if (work === undefined) return;
      const dir = attemptDir(context, command.id, work.attempt);
      if (command.type === 'interrupt') return processes.interrupt(dir, `turn-${command.turn}`);
      // Nothing else of the attempt runs at that time.
      return processes.interrupt(dir);
    }
    case 'interrupt-gate':
      // It may be in its set-up or in any of its commands.
      return processes.interrupt(candidateDir(context, command.candidate, command.count));
    case 'interrupt-target': {
      const check = state.run(context.run)?.targetCheck;
      if (check !== undefined) processes.interrupt(targetDir(context, check));
      return;
    }
    case 'halt':
      return processes.interruptAll();
    default:
      unreachable(command);
  }
}

/** Commands that only store an event. */
type Announcement = Extract<
  Command,
  {
    type:
      | 'begin-turn'
      | 'begin-review'
      | 'begin-critique'
      | 'begin-gate'
      | 'begin-branch-gate'
      | 'skip-gate'
      | 'ask-approval'
      | 'give-up';
  }
>;

/** Returns the event of a command that only stores one. */
function eventFor(ports: Ports, context: RunContext, state: State, command: Announcement): Events {
  const { run } = context;
  switch (command.type) {
    case 'begin-turn': {
      const { type: _type, ...turn } = command;
      const prefix = prefixFor(ports, context, state, command.agent);
      const started = { type: 'turn-started', run, ...turn } as const;
      return [{ ...started, ...given({ prefix }) }];
    }
    case 'begin-review':
      return [{ ...command, type: 'review-started', run }];
    case 'begin-critique':
      return [{ ...command, type: 'critique-started', run }];
    case 'begin-gate':
      return performBeginGate(context, state, command);
    case 'begin-branch-gate':
      return [{ ...command, type: 'branch-gate-started', run }];
    case 'skip-gate':
      return [{ ...command, type: 'gate-skipped', run }];
    case 'ask-approval':
      return [{ ...command, type: 'approval-asked', run }];
    case 'give-up':
      return [{ ...command, type: 'attempt-given-up', run }];
    default:
      unreachable(command);
  }
}

/** Performs commands that concern one attempt. */
async function performForAttempt(
  ports: Ports,
  context: RunContext,
  state: State,
  work: Work,
  command: Of<
    'prepare' | 'run-review' | 'run-critique' | 'run-turn' | 'capture' | 'judge-branch' | 'save'
  >,
): Promise<Events> {
  switch (command.type) {
    case 'prepare':
      return prepare(ports, context, state, work);
    case 'run-turn':
      return runTurn(ports, context, state, work, command.turn, command.turnReason);
    case 'run-critique': {
      const { round, step, again } = command;
      return runCritique(ports, context, state, work, { round, step, again });
    }
    case 'run-review': {
      const { round, reviewer, again } = command;
      return runReview(ports, context, state, work, { round, reviewer, again });
    }
    case 'capture':
      return capture(ports, context, state, work);
    case 'judge-branch':
      return judgeBranch(ports, context, state, work);
    case 'save':
      return save(ports, context, state, work, command.failure);
    default:
      unreachable(command);
  }
}

/** Pause before the next try of a command that failed `times` times; undefined after the last one. */
export function pauseAfter(times: number): number | undefined {
  return times > limits.commandRetries ? undefined : limits.commandRetryMs * 2 ** (times - 1);
}
