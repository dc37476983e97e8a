import type { Command, CommandOf } from '../model/command.ts';
import type { EventBody } from '../model/event.ts';
import { ok, type Result, unreachable } from '../model/failure.ts';
import { holdOf, isSameOwner, lifeOf } from '../model/lease.ts';
import { holderGone } from '../plan/fold-hold.ts';
import { expand, prepare } from './attempt.ts';
import { planBatch } from './batch.ts';
import { runCall } from './call.ts';
import { capture } from './capture.ts';
import {
  attemptDir,
  beforeDir,
  candidateDir,
  type Events,
  type Ports,
  plannerDir,
  type RunContext,
  revisionsDir,
  targetDir,
} from './context.ts';
import { performWatch } from './deliver.ts';
import { endRun } from './end-run.ts';
import { judgeBranch, judgeCandidate, judgeTarget } from './judge.ts';
import { withoutWorktree } from './lost-work.ts';
import { mergeTarget } from './merge-target.ts';
import { revisePlan } from './revision.ts';
import { save } from './save.ts';
import { syncSources } from './source-sync.ts';
import { performBuildCandidate, performLand } from './train.ts';
import { prefixFor, runTurn } from './turn.ts';
import { performVerify } from './verify.ts';
import { checkWaits } from './waits.ts';

/** True for commands that take no time: they are performed before anything else is decided. */
export function isImmediate(command: Command): boolean {
  switch (command.type) {
    case 'claim':
    case 'adopt':
    case 'begin-turn':
    case 'begin-call':
    case 'begin-gate':
    case 'begin-branch-gate':
    case 'begin-batch':
    case 'begin-revision':
    case 'skip-batch':
    case 'interrupt':
    case 'interrupt-call':
    case 'interrupt-batch':
    case 'interrupt-revision':
    case 'interrupt-gate':
    case 'interrupt-target':
    case 'expand':
    case 'choose':
    case 'ask-choice':
    case 'skip-gate':
    case 'ask-approval':
    case 'answer-question':
    case 'give-up':
    case 'check-holder':
    case 'halt':
    case 'end-run':
      return true;
    case 'prepare':
    case 'run-turn':
    case 'run-call':
    case 'plan-batch':
    case 'revise-plan':
    case 'verify':
    case 'watch-pulls':
    case 'check-waits':
    case 'sync-sources':
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
 * Performs a command and returns what happened. Can be repeated for the same command after any crash, by any process
 * that has the ports. A failure is trouble of the environment, not of the work: the command is retried later.
 */
export async function perform(
  ports: Ports,
  context: RunContext,
  command: Command,
): Promise<Result<Events>> {
  const lost = await withoutWorktree(ports, context, command);
  return lost === undefined ? performCommand(ports, context, command) : ok(lost);
}

async function performCommand(
  ports: Ports,
  context: RunContext,
  command: Command,
): Promise<Result<Events>> {
  switch (command.type) {
    case 'claim':
    case 'adopt':
      // The loop claims through the store.
      return ok([]);
    case 'begin-turn':
    case 'begin-call':
    case 'begin-gate':
    case 'begin-branch-gate':
    case 'begin-batch':
    case 'begin-revision':
    case 'skip-batch':
    case 'skip-gate':
    case 'ask-approval':
    case 'answer-question':
    case 'ask-choice':
    case 'choose':
    case 'give-up':
      return ok([eventFor(ports, context, command)]);
    case 'expand':
      return expand(ports, context, command);
    case 'prepare':
      return prepare(ports, context, command);
    case 'check-holder':
      return checkHolder(ports, command);
    case 'interrupt':
    case 'interrupt-call':
    case 'interrupt-batch':
    case 'interrupt-revision':
    case 'interrupt-gate':
    case 'interrupt-target':
    case 'halt':
      interrupt(ports, context, command);
      return ok([]);
    case 'run-turn':
      return runTurn(ports, context, command);
    case 'run-call':
    case 'plan-batch':
    case 'revise-plan':
      return askAgent(ports, context, command);
    case 'capture':
      return capture(ports, context, command.work);
    case 'judge-branch':
      return ok(await judgeBranch(ports, context, command));
    case 'save':
      return save(ports, context, command);
    case 'merge-target':
    case 'build-candidate':
    case 'judge-candidate':
    case 'judge-target':
    case 'land':
      return performMerge(ports, context, command);
    case 'verify':
      return performVerify(ports, context, command);
    case 'watch-pulls':
    case 'check-waits':
    case 'sync-sources':
      return performOutside(ports, context, command);
    case 'end-run':
      return endRun(ports, context, command);
    default:
      unreachable(command);
  }
}

function askAgent(
  ports: Ports,
  context: RunContext,
  command: CommandOf<'run-call' | 'plan-batch' | 'revise-plan'>,
): Promise<Result<Events>> {
  switch (command.type) {
    case 'run-call':
      return runCall(ports, context, command);
    case 'plan-batch':
      return planBatch(ports, context, command);
    case 'revise-plan':
      return revisePlan(ports, context, command);
    default:
      unreachable(command);
  }
}

/** Commands of the merge queue, and the merge of the target into returned work. */
function performMerge(
  ports: Ports,
  context: RunContext,
  command: CommandOf<
    'merge-target' | 'build-candidate' | 'judge-candidate' | 'judge-target' | 'land'
  >,
): Promise<Result<Events>> {
  switch (command.type) {
    case 'merge-target':
      return mergeTarget(ports, context, command.work);
    case 'build-candidate':
      return performBuildCandidate(ports, context, command);
    case 'judge-candidate':
      return judgeCandidate(ports, context, command);
    case 'judge-target':
      return judgeTarget(ports, context, command);
    case 'land':
      return performLand(ports, context, command);
    default:
      unreachable(command);
  }
}

/** Commands that concern the world outside of the project. */
function performOutside(
  ports: Ports,
  context: RunContext,
  command: CommandOf<'watch-pulls' | 'check-waits' | 'sync-sources'>,
): Promise<Result<Events>> {
  switch (command.type) {
    case 'watch-pulls':
      return performWatch(ports, context, command);
    case 'check-waits':
      return checkWaits(ports, context, command);
    case 'sync-sources':
      return syncSources(ports, context, command);
    default:
      unreachable(command);
  }
}

async function checkHolder(
  { processes, clock, store }: Ports,
  { id, by }: CommandOf<'check-holder'>,
): Promise<Result<Events>> {
  const lock = await store.holder(holdOf(id));
  if (!lock.ok) return lock;
  const until = isSameOwner(lock.value, by) ? lock.value?.until : undefined;
  const seen = { self: processes.self(), now: clock.now(), isRunning: processes.isAlive(by) };
  return ok(lifeOf(by, until, seen) === 'dead' ? [holderGone(id, by)] : []);
}

/** Interrupts processes. The command that runs them returns their end. */
function interrupt(
  { processes, outside }: Ports,
  context: RunContext,
  command: CommandOf<
    | 'interrupt'
    | 'interrupt-call'
    | 'interrupt-batch'
    | 'interrupt-revision'
    | 'interrupt-gate'
    | 'interrupt-target'
    | 'halt'
  >,
): void {
  switch (command.type) {
    case 'interrupt':
    case 'interrupt-call': {
      const { id, attempt: number, branch } = command;
      const dir = attemptDir(context, id, { number, branch });
      if (command.type === 'interrupt') return processes.interrupt(dir, `turn-${command.turn}`);
      // Nothing else of the attempt runs at that time.
      return processes.interrupt(dir);
    }
    case 'interrupt-batch':
      return processes.interrupt(plannerDir(context));
    case 'interrupt-revision':
      return processes.interrupt(revisionsDir(context));
    case 'interrupt-gate':
      // It may be in its set-up or in any of its commands.
      return processes.interrupt(candidateDir(context, command.candidate, command.count));
    case 'interrupt-target':
      processes.interrupt(beforeDir(context, command.check));
      return processes.interrupt(targetDir(context, command.check));
    case 'halt':
      outside.interrupt();
      return processes.interruptAll();
    default:
      unreachable(command);
  }
}

/** Returns the event of a command that only stores one. */
function eventFor(
  ports: Ports,
  context: RunContext,
  command: CommandOf<
    | 'begin-turn'
    | 'begin-call'
    | 'begin-gate'
    | 'begin-branch-gate'
    | 'begin-batch'
    | 'begin-revision'
    | 'skip-batch'
    | 'skip-gate'
    | 'ask-approval'
    | 'answer-question'
    | 'ask-choice'
    | 'choose'
    | 'give-up'
  >,
): EventBody {
  const { run } = context;
  switch (command.type) {
    case 'begin-turn': {
      const { role, ...turn } = command;
      const prefix = prefixFor(ports, context, command.agent, role);
      return { ...turn, type: 'turn-started', run, prefix };
    }
    case 'begin-call':
      return { ...command, type: 'call-started', run };
    case 'begin-gate':
      return { ...command, type: 'gate-started', run };
    case 'begin-branch-gate':
      return { ...command, type: 'branch-gate-started', run };
    case 'begin-batch':
      return { ...command, type: 'planner-started', run };
    case 'begin-revision': {
      const { task: id, ...call } = command;
      return { ...call, type: 'revision-started', run, id };
    }
    case 'skip-batch':
      return { ...command, type: 'batch-planned', run };
    case 'skip-gate':
      return { ...command, type: 'gate-skipped', run };
    case 'ask-approval':
      return { ...command, type: 'approval-asked', run };
    case 'answer-question': {
      const decision = { kind: 'answer', text: command.text, by: 'run' } as const;
      return { type: 'task-decided', id: command.id, decision };
    }
    case 'ask-choice':
      return { type: 'choice-asked', run, id: command.original, finished: command.finished };
    case 'choose': {
      const decision = { kind: 'choose', ...command.choice } as const;
      return { type: 'task-decided', id: command.original, decision };
    }
    case 'give-up':
      return { ...command, type: 'attempt-given-up', run };
    default:
      unreachable(command);
  }
}
