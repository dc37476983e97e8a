import { runGate } from '../gate/checks.ts';
import { branchGateId, gateWith } from '../gate/gate.ts';
import type { EventBody } from '../model/event.ts';
import { type Judged, ok, type Result } from '../model/failure.ts';
import type { TaskId } from '../model/task.ts';
import type { Gate, Verdict } from '../model/verdict.ts';
import { limits } from '../plan/limits.ts';
import type { Candidate } from '../plan/record.ts';
import type { State } from '../plan/state.ts';
import { runSetup } from '../worktree/bootstrap.ts';
import { gateEnv } from '../worktree/setup.ts';
import { envOf, type Work } from './attempt.ts';
import { attemptDir, candidateDir, type Ports, targetDir, type Yard } from './yard.ts';

type Events = readonly EventBody[];

/** Judges a branch in its own worktree, where its agent can still mend it. */
export async function judgeBranch(
  ports: Ports,
  yard: Yard,
  state: State,
  work: Work,
): Promise<Events> {
  const { task, attempt } = work;
  if (attempt.state.id !== 'gating' || attempt.worktree === undefined) return [];
  const gate = gateWith(yard.gate, checksOf(state, [task.id, ...(attempt.riders ?? [])]));
  const { tree } = attempt.state;
  const id = branchGateId(gate);
  const of = { run: yard.run, id: task.id, attempt: attempt.number, tree, gate: id };
  const known = await knownVerdict(ports, state, tree, id);
  if (known !== undefined) {
    return [{ type: 'branch-judged', ...of, verdict: known, cached: true }];
  }
  const worktree = attempt.worktree.dir;
  const name = `gate-${attempt.turns}`;
  const verdict = await runGate(ports.processes, {
    gate,
    where: 'branch',
    worktree,
    dir: attemptDir(yard, task.id, attempt.number),
    name: attempt.state.again === undefined ? name : `${name}-retry${attempt.state.again}`,
    env: envOf(yard, work, worktree, attempt.turns),
    limits: yard.limits.gate,
  });
  return verdict === undefined ? [] : [{ type: 'branch-judged', ...of, verdict, cached: false }];
}

/** Judges exactly the tree that would land, in a worktree that is used for nothing else. */
export async function judgeCandidate(
  ports: Ports,
  yard: Yard,
  state: State,
  candidate: Candidate,
): Promise<Events> {
  const aboard = candidate.cars.flatMap((car) => [car.id, ...(car.riders ?? [])]);
  const gate = gateWith(yard.gate, checksOf(state, aboard));
  const { tree } = candidate;
  const of = { run: yard.run, candidate: candidate.id, tree, gate: gate.id };
  const known = await knownVerdict(ports, state, tree, gate.id);
  const { commit } = candidate;
  const where = 'candidate';
  const task = candidate.cars.map((car) => car.id).join(' ');
  const dir = candidateDir(yard, candidate.id);
  const verdict =
    known ?? (await judgeTree(ports, yard, { where, commit, dir, gate, slot: 0, task }));
  if (verdict === undefined) return [];
  return [{ type: 'candidate-judged', ...of, verdict, cached: known !== undefined }];
}

/** What the tasks ask for beside the gate. */
function checksOf(state: State, tasks: readonly TaskId[]): readonly string[] {
  return [...new Set(tasks.flatMap((id) => state.task(id)?.task.checks ?? []))];
}

/** Judges the target as it was under red work, so that nobody is blamed for what was broken before. */
export async function judgeTarget(
  ports: Ports,
  yard: Yard,
  state: State,
  commit: string,
): Promise<Result<Events>> {
  const info = await ports.git.commit(commit);
  if (!info.ok) return info;
  const { tree } = info.value;
  const { gate } = yard;
  const known = await knownVerdict(ports, state, tree, gate.id);
  const dir = targetDir(yard, commit);
  const verdict =
    known ?? (await judgeTree(ports, yard, { where: 'target', commit, dir, gate, slot: 1 }));
  if (verdict === undefined) return ok([]);
  return ok([{ type: 'target-judged', run: yard.run, commit, tree, gate: gate.id, verdict }]);
}

/**
 * A green verdict on the same tree holds for ever. A red one only as long as this process lives: what made it red may
 * have been the machine, and a person who tries again wants it tried.
 */
async function knownVerdict(
  ports: Ports,
  state: State,
  tree: string,
  gate: string,
): Promise<Verdict | undefined> {
  const here = state.verdict(tree, gate);
  if (here !== undefined && here.id !== 'not-run') return here;
  const found = await ports.store.verdict(tree, gate);
  return found.ok && found.value?.id === 'passed' ? found.value : undefined;
}

/**
 * The gate's worktree at a commit. Another run in the same repository may hold a lock of git's for a moment, so a bounded
 * number of tries is given to it: what is not run ends the whole run.
 */
async function gateTreeAt(
  { pool, git, clock }: Ports,
  slot: number,
  commit: string,
): Promise<Result<string>> {
  for (let tries = 1; ; tries += 1) {
    const taken = await pool.gateTree(slot);
    const pointed = taken.ok ? await git.point(taken.value.dir, commit) : taken;
    if (taken.ok && pointed.ok) return ok(taken.value.dir);
    if (!pointed.ok && tries >= limits.gateTreeTries) return pointed;
    await clock.sleep(limits.commandRetryMs * tries);
  }
}

interface TreeRun {
  readonly where: Judged;
  readonly commit: string;
  /** Where the outputs go. */
  readonly dir: string;
  readonly gate: Gate;
  /** Which of the gate's own worktrees to use. */
  readonly slot: number;
  /** Whose work is judged, where it is one task's. */
  readonly task?: string;
}

async function judgeTree(
  ports: Ports,
  yard: Yard,
  { where, commit, dir, gate, slot, task = '' }: TreeRun,
): Promise<Verdict | undefined> {
  const notRun = (cause: string): Verdict => ({
    id: 'not-run',
    failure: { kind: 'gate-not-run', where, cause },
  });
  const checkedOut = await gateTreeAt(ports, slot, commit);
  if (!checkedOut.ok) {
    return notRun(`The commit could not be checked out for the gate: ${checkedOut.failure.kind}.`);
  }
  const worktree = checkedOut.value;
  const copied = await ports.copyFiles(worktree);
  if (!copied.ok) return { id: 'not-run', failure: copied.failure };
  const env = {
    ...yard.env,
    YARD_RUN: yard.run,
    YARD_WORKTREE: worktree,
    YARD_TASK: task,
    ...gateEnv(slot),
  };
  const { processes } = ports;
  const { setup: commands, limits: bounds } = yard;
  const setup = await runSetup(processes, { commands, worktree, dir, env, limits: bounds.setup });
  if (setup === 'interrupted') return undefined;
  if (setup !== undefined) return { id: 'not-run', failure: setup };
  return runGate(processes, {
    gate,
    where,
    worktree,
    dir,
    name: 'gate',
    env,
    limits: bounds.gate,
  });
}
