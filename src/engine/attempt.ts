import type { Turn } from '../agent/agent.ts';
import { promptFor } from '../agent/prompt.ts';
import type { Attempt } from '../model/attempt.ts';
import type { EventBody } from '../model/event.ts';
import type { Failure, Result } from '../model/failure.ts';
import { fail, ok } from '../model/failure.ts';
import type { Task } from '../model/task.ts';
import { limits } from '../plan/limits.ts';
import { runSetup } from '../worktree/bootstrap.ts';
import { keepRef } from '../worktree/branch.ts';
import { slotEnv } from '../worktree/setup.ts';
import { attemptDir, type Ports, type Yard } from './yard.ts';

/** One attempt and its task, as the state has them when a command is performed. */
export interface Work {
  readonly task: Task;
  readonly attempt: Attempt;
}

type Events = readonly EventBody[];

/** The task as JSON, beside the attempt's other files. */
const taskFileName = 'task.json';

/** Under this name the pool remembers which worktree an attempt has. */
export function poolKey({ task, attempt }: Work): string {
  return `${task.id}-${attempt.number}`;
}

function of(yard: Yard, { task, attempt }: Work) {
  return { run: yard.run, id: task.id, attempt: attempt.number };
}

function giveUp(yard: Yard, work: Work, failure: Failure): Events {
  return [{ type: 'attempt-given-up', ...of(yard, work), failure }];
}

/** A clean worktree at the target's tip, on the attempt's own branch, set up for work. */
export async function prepare(ports: Ports, yard: Yard, work: Work): Promise<Events> {
  const taken = await ports.pool.take(poolKey(work));
  if (!taken.ok) return giveUp(yard, work, worktreeFailed(taken.failure));
  const worktree = taken.value;
  const base = await pointToTip(ports, yard, work, worktree.dir);
  if (!base.ok) return giveUp(yard, work, worktreeFailed(base.failure));
  const copied = await ports.copyFiles(worktree.dir);
  if (!copied.ok) return giveUp(yard, work, copied.failure);
  const setup = await runSetup(ports.processes, {
    commands: yard.setup,
    worktree: worktree.dir,
    dir: attemptDir(yard, work.task.id, work.attempt.number),
    env: envOf(yard, work, worktree.dir, 0),
    limits: yard.limits.setup,
  });
  if (setup === 'interrupted') return [];
  if (setup !== undefined) return giveUp(yard, work, setup);
  return [{ type: 'worktree-ready', ...of(yard, work), worktree, base: base.value }];
}

/**
 * The branch is new, unless an earlier engine made it in this very worktree and was ended before it could say so; then
 * nothing has been done on it yet and it is taken as it is.
 */
async function pointToTip(
  { git }: Ports,
  yard: Yard,
  { attempt }: Work,
  dir: string,
): Promise<Result<string>> {
  const mine = await git.resolve(`refs/heads/${attempt.branch}`);
  if (!mine.ok) return mine;
  const tip = await git.resolve(`refs/heads/${yard.target}`);
  if (!tip.ok) return tip;
  if (tip.value === undefined) return fail({ kind: 'target-missing', branch: yard.target });
  if (mine.value !== undefined) {
    const status = await git.status(dir);
    if (!status.ok || status.value.branch !== attempt.branch) {
      return fail({ kind: 'branch-exists', branch: attempt.branch, run: yard.run });
    }
  }
  const base = mine.value ?? tip.value;
  const pointed = await git.point(dir, base, attempt.branch);
  return pointed.ok ? ok(base) : pointed;
}

function worktreeFailed(failure: Failure): Failure {
  if (failure.kind === 'git-failed') {
    const cause = `git ${failure.args.join(' ')}: ${failure.stderr}`;
    return { kind: 'worktree-failed', cause };
  }
  return failure;
}

function captureFailed(failure: Failure, dir: string): Failure {
  if (failure.kind !== 'git-failed') return worktreeFailed(failure);
  const cause = `git ${failure.args.join(' ')}: ${failure.stderr}`;
  return { kind: 'capture-failed', cause, dir };
}

/** Runs the agent of a turn to its end, or follows the one that is running already. */
export async function runTurn(
  ports: Ports,
  yard: Yard,
  work: Work,
  turn: number,
  evidence: Failure | undefined,
): Promise<Events> {
  const { task, attempt } = work;
  const { processes } = ports;
  const ended = (result: Extract<EventBody, { type: 'turn-ended' }>['result']): Events => [
    { type: 'turn-ended', ...of(yard, work), turn, result },
  ];
  const agent = ports.agent(attempt.agent);
  if (agent === undefined || attempt.worktree === undefined) {
    const failure: Failure = { kind: 'agent-unknown', agent: attempt.agent, known: [] };
    return ended({ ok: false, failure });
  }
  const dir = attemptDir(yard, task.id, attempt.number);
  const worktree = attempt.worktree.dir;
  const given = {
    task,
    run: yard.run,
    attempt: attempt.number,
    turn,
    worktree,
    ...(evidence === undefined ? {} : { evidence }),
  };
  const gate = yard.gate.commands;
  const signals = agent.signals === undefined ? {} : { signals: agent.signals };
  const text = promptFor({ ...given, ...signals, gate, target: yard.target });
  const prompt = await processes.write(dir, `turn-${turn}.prompt.md`, text);
  await processes.write(dir, taskFileName, `${JSON.stringify(task, null, 2)}\n`);
  const whole: Turn = { ...given, prompt: text, promptFile: prompt };
  const launch = agent.launch(whole);
  const end = await processes.run({
    dir,
    name: `turn-${turn}`,
    argv: launch.argv,
    cwd: worktree,
    env: { ...envOf(yard, work, worktree, turn), ...launch.env },
    stdin: prompt,
    limits: yard.limits.agent,
  });
  const tail = await processes.tail(dir, `turn-${turn}`, limits.tailBytes);
  return ended(agent.conclude(whole, end, tail));
}

export function envOf(
  yard: Yard,
  { task, attempt }: Work,
  worktree: string,
  turn: number,
): Readonly<Record<string, string>> {
  const slot = 'slot' in attempt.state ? (attempt.state.slot ?? 0) : 0;
  const own = slotEnv({
    slot,
    task: task.id,
    run: yard.run,
    attempt: attempt.number,
    turn,
    worktree,
    taskFile: `${attemptDir(yard, task.id, attempt.number)}/${taskFileName}`,
  });
  return { ...yard.env, ...own };
}

/** Makes a commit of whatever the agent left, and holds it by a ref of ours. Facts come from git, not from the agent. */
export async function capture(ports: Ports, yard: Yard, work: Work): Promise<Events> {
  const { git } = ports;
  const { attempt, task } = work;
  const dir = attempt.worktree?.dir;
  if (dir === undefined || attempt.state.id !== 'capturing') return [];
  // An agent may have cut its worktree off from git; the pool mends that.
  await ports.pool.take(poolKey(work));
  const captured = await commitLeft(ports, dir, `${task.title}\n\nYard-Task: ${task.id}\n`);
  if (!captured.ok) return giveUp(yard, work, captureFailed(captured.failure, dir));
  const { commit, by } = captured.value;
  if (commit === attempt.base) {
    return giveUp(yard, work, { kind: 'no-changes', tail: attempt.state.tail });
  }
  const info = await git.commit(commit);
  if (!info.ok) return giveUp(yard, work, worktreeFailed(info.failure));
  const kept = await git.moveRefs([
    { ref: keepRef(yard.run, task.id, attempt.number), to: commit },
  ]);
  if (!kept.ok) return giveUp(yard, work, worktreeFailed(kept.failure));
  const { tree } = info.value;
  return [{ type: 'work-captured', ...of(yard, work), commit, tree, by }];
}

async function commitLeft(
  { git }: Ports,
  dir: string,
  message: string,
): Promise<Result<{ commit: string; by: 'agent' | 'engine' }>> {
  const status = await git.status(dir);
  if (!status.ok) return status;
  if (!status.value.dirty) return ok({ commit: status.value.head, by: 'agent' });
  const committed = await git.commitAll(dir, message);
  return committed.ok ? ok({ commit: committed.value, by: 'engine' }) : committed;
}

/** Saves what there is on the attempt's branch; only then is the worktree reset and given back. */
export async function save(
  ports: Ports,
  yard: Yard,
  work: Work,
  failure: Failure,
): Promise<Events> {
  const { git, pool } = ports;
  const { attempt } = work;
  const failed = { type: 'attempt-failed', ...of(yard, work), failure } as const;
  const dir = attempt.worktree?.dir;
  if (dir === undefined || attempt.base === undefined) {
    await dropUnused(ports, work);
    return [failed];
  }
  await pool.take(poolKey(work));
  const saved = await saveOnBranch(ports, yard, work, dir, attempt.base);
  // Work that cannot be saved stays where it is: the worktree is neither reset nor given back.
  if (!saved.ok) return [{ ...failed, left: dir }];
  const detached = await git.point(dir, attempt.base);
  if (!detached.ok) return [{ ...failed, left: dir }];
  const keep = keepRef(yard.run, work.task.id, attempt.number);
  const leftover = saved.value ? [] : [{ ref: `refs/heads/${attempt.branch}` }];
  const cleaned = await git.moveRefs([{ ref: keep }, ...leftover]);
  if (!cleaned.ok) return [failed];
  await pool.give(poolKey(work));
  return [saved.value ? { ...failed, kept: attempt.branch } : failed];
}

/** An attempt whose agent never started: its branch, if it was made already, holds nothing of its own. */
async function dropUnused({ git, pool }: Ports, work: Work): Promise<void> {
  const key = poolKey(work);
  const held = pool.held().find((entry) => entry.key === key);
  const branch = `refs/heads/${work.attempt.branch}`;
  if (held !== undefined) {
    const { dir } = held.worktree;
    const status = await git.status(dir);
    if (status.ok && status.value.branch === work.attempt.branch) {
      const detached = await git.point(dir, status.value.head);
      if (detached.ok) await git.moveRefs([{ ref: branch }]);
    }
  }
  await pool.give(key);
}

/**
 * Whether the branch holds work now. Looks at all three places where work can be, because an earlier engine may have
 * come half way: the worktree, the branch, and the ref that holds what was captured.
 */
async function saveOnBranch(
  ports: Ports,
  yard: Yard,
  { task, attempt }: Work,
  dir: string,
  base: string,
): Promise<Result<boolean>> {
  const { git } = ports;
  const message = `Unfinished: ${task.title}\n\nYard-Task: ${task.id}\n`;
  const left = await commitLeft(ports, dir, message);
  if (!left.ok) return left;
  const branch = await git.resolve(`refs/heads/${attempt.branch}`);
  if (!branch.ok) return branch;
  const keep = await git.resolve(keepRef(yard.run, task.id, attempt.number));
  if (!keep.ok) return keep;
  const places = [left.value.commit, branch.value, keep.value];
  const work = places.find((commit) => commit !== undefined && commit !== base);
  if (work === undefined) return ok(false);
  const moved = await git.moveRefs([{ ref: `refs/heads/${attempt.branch}`, to: work }]);
  return moved.ok ? ok(true) : moved;
}
