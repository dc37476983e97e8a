import type { Command } from '../model/command.ts';
import type { EventBody } from '../model/event.ts';
import { type Failure, ok, type Result, unreachable } from '../model/failure.ts';
import { limits } from '../plan/limits.ts';
import type { State } from '../plan/state.ts';
import { keepRef } from '../worktree/branch.ts';
import { prepare, type Work } from './attempt.ts';
import { capture } from './capture.ts';
import { runCritique } from './critique.ts';
import { judgeBranch, judgeTarget } from './judge.ts';
import { runReview } from './review.ts';
import { giveBack, save } from './save.ts';
import {
  performBeginGate,
  performCouple,
  performInterruptGate,
  performJudge,
  performLand,
} from './train.ts';
import { prefixFor, runTurn } from './turn.ts';
import { performVerify } from './verifyrun.ts';
import { attemptDir, type Ports, type Yard } from './yard.ts';

type Events = readonly EventBody[];

/** Commands that only say something: they are done at once, before anything else is decided. */
export function isImmediate(command: Command): boolean {
  switch (command.type) {
    case 'claim':
    case 'begin-turn':
    case 'begin-review':
    case 'begin-critique':
    case 'begin-gate':
    case 'interrupt':
    case 'interrupt-review':
    case 'interrupt-critique':
    case 'interrupt-gate':
    case 'spare-gate':
    case 'ask-approval':
    case 'give-up':
    case 'halt':
    case 'end-run':
      return true;
    case 'prepare':
    case 'run-turn':
    case 'run-review':
    case 'run-critique':
    case 'verify':
    case 'capture':
    case 'judge-branch':
    case 'save':
    case 'couple':
    case 'judge-candidate':
    case 'judge-target':
    case 'land':
      return false;
    default:
      unreachable(command);
  }
}

/**
 * Does what a command says and returns what happened. Safe to be called again for the same command after any crash. A
 * failure is trouble of the environment that says nothing about the work: the command is tried again later.
 */
export async function perform(
  ports: Ports,
  yard: Yard,
  state: State,
  command: Command,
): Promise<Result<Events>> {
  switch (command.type) {
    case 'claim':
      // Claiming is the store's: see the loop.
      return ok([]);
    case 'begin-turn':
    case 'begin-review':
    case 'begin-critique':
    case 'begin-gate':
    case 'spare-gate':
    case 'ask-approval':
    case 'give-up':
      return ok(said(ports, yard, state, command));
    case 'interrupt':
      ports.processes.interrupt(
        attemptDir(yard, command.id, command.attempt),
        `turn-${command.turn}`,
      );
      return ok([]);
    case 'interrupt-review':
    case 'interrupt-critique':
      // Nothing else of the attempt runs meanwhile.
      ports.processes.interrupt(attemptDir(yard, command.id, command.attempt));
      return ok([]);
    case 'interrupt-gate':
      performInterruptGate(ports, yard, state, command);
      return ok([]);
    case 'halt':
      ports.processes.interruptAll();
      return ok([]);
    case 'prepare':
      return onWork(state, command, (work) => prepare(ports, yard, state, work));
    case 'run-review': {
      const { round, reviewer, again } = command;
      const review = { round, reviewer, again };
      return onWork(state, command, (work) => runReview(ports, yard, state, work, review));
    }
    case 'run-critique': {
      const { round, step, again } = command;
      return onWork(state, command, (work) =>
        runCritique(ports, yard, work, { round, step, again }),
      );
    }
    case 'run-turn':
      return onWork(state, command, (work) =>
        runTurn(ports, yard, state, work, command.turn, command.cue),
      );
    case 'capture':
      return onWork(state, command, (work) => capture(ports, yard, state, work));
    case 'judge-branch':
      return onWork(state, command, (work) => judgeBranch(ports, yard, state, work));
    case 'save':
      return onWork(state, command, (work) => save(ports, yard, state, work, command.failure));
    case 'couple':
      return performCouple(ports, yard, state, command);
    case 'judge-candidate':
      return ok(await performJudge(ports, yard, state, command));
    case 'judge-target':
      return judgeTarget(ports, yard, state, command.commit);
    case 'land':
      return performLand(ports, yard, state, command);
    case 'verify':
      return performVerify(ports, yard, state);
    case 'end-run':
      return endRun(ports, yard, state, command);
    default:
      unreachable(command);
  }
}

async function onWork(
  state: State,
  { id, attempt }: { readonly id: string; readonly attempt: number },
  work: (work: Work) => Promise<Events>,
): Promise<Result<Events>> {
  const record = state.task(id);
  if (record?.attempt?.number !== attempt) return ok([]);
  return ok(await work({ task: record.task, attempt: record.attempt }));
}

/** Commands that become an event as they are, before anything is done about them. */
type Sayable = Extract<
  Command,
  {
    type:
      | 'begin-turn'
      | 'begin-review'
      | 'begin-critique'
      | 'begin-gate'
      | 'spare-gate'
      | 'ask-approval'
      | 'give-up';
  }
>;

function said(ports: Ports, yard: Yard, state: State, command: Sayable): Events {
  const { run } = yard;
  switch (command.type) {
    case 'begin-turn': {
      const { type: _type, ...turn } = command;
      const prefix = prefixFor(ports, yard, state, command.agent);
      const started = { type: 'turn-started', run, ...turn } as const;
      return [prefix === undefined ? started : { ...started, prefix }];
    }
    case 'begin-review':
      return [{ ...command, type: 'review-started', run }];
    case 'begin-critique':
      return [{ ...command, type: 'critique-started', run }];
    case 'begin-gate':
      return performBeginGate(yard, state, command);
    case 'spare-gate':
      return [{ ...command, type: 'gate-spared', run }];
    case 'ask-approval':
      return [{ ...command, type: 'approval-asked', run }];
    case 'give-up':
      return [{ ...command, type: 'attempt-given-up', run }];
    default:
      unreachable(command);
  }
}

/** Takes away what the run made for itself; what live attempts hold stays for whoever resumes it. */
async function endRun(
  ports: Ports,
  yard: Yard,
  state: State,
  { stop }: Extract<Command, { type: 'end-run' }>,
): Promise<Result<Events>> {
  const leftover = await spentRefs(ports, yard, state);
  if (!leftover.ok) return leftover;
  if (leftover.value.length > 0) await ports.git.moveRefs(leftover.value.map((ref) => ({ ref })));
  await giveBack(ports, yard, state);
  const left = await removeWorktrees(ports, landedWork(state, yard.run));
  const ended = { type: 'run-ended', run: yard.run, stop } as const;
  return ok([left.length === 0 ? ended : { ...ended, left }]);
}

type Left = { readonly dir: string; readonly failure: Failure };

/** What is still there after a second try; a file that somebody held open may be free by then. */
async function removeWorktrees(
  { pool }: Ports,
  landed: ReadonlySet<string>,
): Promise<readonly Left[]> {
  const first = await pool.removeAll(landed);
  if (first.ok && first.value.left.length === 0) return [];
  const second = await pool.removeAll(landed);
  if (!second.ok) return [];
  return second.value.left.map(({ worktree, failure }) => ({ dir: worktree.dir, failure }));
}

/** What agents of this run made and what is on the target now, in whatever shape. */
function landedWork(state: State, run: string): ReadonlySet<string> {
  const landed = new Set<string>();
  for (const { attempt } of state.tasks.values()) {
    if (attempt?.run !== run || attempt.state.id !== 'landed') continue;
    if (attempt.state.work !== undefined) landed.add(attempt.state.work);
  }
  return landed;
}

/** Branches and keep refs of this run whose task has landed: a crash came before they could be taken away. */
async function spentRefs(
  { git }: Ports,
  { run }: Yard,
  state: State,
): Promise<Result<readonly string[]>> {
  const spent: string[] = [];
  const known = new Map<string, boolean>();
  for (const { task, standing, attempt } of state.tasks.values()) {
    if (attempt === undefined || attempt.run !== run) continue;
    const landed = standing.id === 'landed' && attempt.state.id === 'landed';
    known.set(`refs/heads/${attempt.branch}`, landed);
    known.set(keepRef(run, task.id, attempt.number), landed);
  }
  for (const prefix of [`refs/heads/yard/${run}/`, `refs/yard/keep/${run}/`]) {
    const refs = await git.refs(prefix);
    if (!refs.ok) return refs;
    for (const { ref } of refs.value) if (known.get(ref) === true) spent.push(ref);
  }
  return ok(spent);
}

/** How long to leave a command alone that met trouble for the nth time; undefined when it has had its chances. */
export function pauseAfter(times: number): number | undefined {
  return times > limits.commandRetries ? undefined : limits.commandRetryMs * 2 ** (times - 1);
}
