import type { Command } from '../model/command.ts';
import type { EventBody } from '../model/event.ts';
import { type Failure, ok, type Result, unreachable } from '../model/failure.ts';
import { limits } from '../plan/limits.ts';
import type { State } from '../plan/state.ts';
import { couple } from '../train/couple.ts';
import { land } from '../train/land.ts';
import { keepRef } from '../worktree/branch.ts';
import { prepare, type Work } from './attempt.ts';
import { capture } from './capture.ts';
import { judgeBranch, judgeCandidate, judgeTarget } from './judge.ts';
import { giveBack, save } from './save.ts';
import { prefixFor, runTurn } from './turn.ts';
import { attemptDir, type Ports, type Yard } from './yard.ts';

type Events = readonly EventBody[];

/** Commands that only say something: they are done at once, before anything else is decided. */
export function isImmediate(command: Command): boolean {
  switch (command.type) {
    case 'claim':
    case 'begin-turn':
    case 'interrupt':
    case 'give-up':
    case 'halt':
    case 'end-run':
      return true;
    case 'prepare':
    case 'run-turn':
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
    case 'begin-turn': {
      const { type: _type, ...turn } = command;
      const prefix = prefixFor(ports, yard, state, command.agent);
      const started = { type: 'turn-started', run: yard.run, ...turn } as const;
      return ok([prefix === undefined ? started : { ...started, prefix }]);
    }
    case 'give-up': {
      const { id, attempt, failure } = command;
      return ok([{ type: 'attempt-given-up', run: yard.run, id, attempt, failure }]);
    }
    case 'interrupt':
      ports.processes.interrupt(
        attemptDir(yard, command.id, command.attempt),
        `turn-${command.turn}`,
      );
      return ok([]);
    case 'halt':
      ports.processes.interruptAll();
      return ok([]);
    case 'prepare':
      return onWork(state, command, (work) => prepare(ports, yard, work));
    case 'run-turn':
      return onWork(state, command, (work) =>
        runTurn(ports, yard, state, work, command.turn, command.cue),
      );
    case 'capture':
      return onWork(state, command, (work) => capture(ports, yard, state, work));
    case 'judge-branch':
      return onWork(state, command, (work) => judgeBranch(ports, yard, state, work));
    case 'save':
      return onWork(state, command, (work) => save(ports, yard, work, command.failure));
    case 'couple':
      return performCouple(ports, yard, state, command);
    case 'judge-candidate': {
      const candidate = state.run(yard.run)?.candidate;
      if (candidate?.id !== command.candidate) return ok([]);
      return ok(await judgeCandidate(ports, yard, state, candidate));
    }
    case 'judge-target':
      return judgeTarget(ports, yard, state, command.commit);
    case 'land':
      return performLand(ports, yard, state, command.candidate);
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

async function performCouple(
  ports: Ports,
  yard: Yard,
  state: State,
  { cars }: Extract<Command, { type: 'couple' }>,
): Promise<Result<Events>> {
  const [car] = cars;
  const record = car && state.task(car.id);
  const run = state.run(yard.run);
  if (car === undefined || record?.attempt === undefined || run === undefined) return ok([]);
  const { title } = record.task;
  const { agent, model, branch } = record.attempt;
  const candidate = `c${run.candidates + 1}`;
  const bill = { car, title, agent, branch, ...(model === undefined ? {} : { model }) };
  return couple(ports.git, yard.run, yard.target, candidate, bill);
}

async function performLand(
  ports: Ports,
  yard: Yard,
  state: State,
  id: string,
): Promise<Result<Events>> {
  const candidate = state.run(yard.run)?.candidate;
  if (candidate?.id !== id) return ok([]);
  const spent = candidate.cars.flatMap((car) => {
    const branch = state.task(car.id)?.attempt?.branch;
    const keep = keepRef(yard.run, car.id, car.attempt);
    return branch === undefined ? [keep] : [`refs/heads/${branch}`, keep];
  });
  const { git, clock } = ports;
  const { run, target } = yard;
  return land(git, { run, target, candidate, spent, now: clock.now() });
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
  const left = await removeWorktrees(ports);
  const ended = { type: 'run-ended', run: yard.run, stop } as const;
  return ok([left.length === 0 ? ended : { ...ended, left }]);
}

type Left = { readonly dir: string; readonly failure: Failure };

/** What is still there after a second try; a file that somebody held open may be free by then. */
async function removeWorktrees({ pool }: Ports): Promise<readonly Left[]> {
  const first = await pool.removeAll();
  if (first.ok && first.value.left.length === 0) return [];
  const second = await pool.removeAll();
  if (!second.ok) return [];
  return second.value.left.map(({ worktree, failure }) => ({ dir: worktree.dir, failure }));
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
