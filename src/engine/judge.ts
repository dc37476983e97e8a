import { runGate } from '../gate/checks.ts';
import { gateWith } from '../gate/gate.ts';
import type { EventBody } from '../model/event.ts';
import type { Gate, Verdict } from '../model/verdict.ts';
import type { Candidate } from '../plan/record.ts';
import type { State } from '../plan/state.ts';
import { runSetup } from '../worktree/bootstrap.ts';
import { envOf, type Work } from './attempt.ts';
import { attemptDir, candidateDir, type Ports, type Yard } from './yard.ts';

type Events = readonly EventBody[];

/** Judges a branch in its own worktree, where its agent can still mend it. */
export async function judgeBranch(ports: Ports, yard: Yard, work: Work): Promise<Events> {
  const { task, attempt } = work;
  if (attempt.state.id !== 'gating' || attempt.worktree === undefined) return [];
  const gate = gateWith(yard.gate, task.checks);
  const { tree } = attempt.state;
  const of = { run: yard.run, id: task.id, attempt: attempt.number, tree, gate: gate.id };
  const known = await knownVerdict(ports, tree, gate);
  if (known !== undefined) {
    return [{ type: 'branch-judged', ...of, verdict: known, cached: true }];
  }
  const worktree = attempt.worktree.dir;
  const verdict = await runGate(ports.processes, {
    gate,
    where: 'branch',
    worktree,
    dir: attemptDir(yard, task.id, attempt.number),
    name: `gate-${attempt.turns}`,
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
  const checks = candidate.cars.flatMap((car) => state.task(car.id)?.task.checks ?? []);
  const gate = gateWith(yard.gate, checks);
  const { tree } = candidate;
  const of = { run: yard.run, candidate: candidate.id, tree, gate: gate.id };
  const known = await knownVerdict(ports, tree, gate);
  const verdict = known ?? (await judgeTree(ports, yard, candidate, gate));
  if (verdict === undefined) return [];
  return [{ type: 'candidate-judged', ...of, verdict, cached: known !== undefined }];
}

/** Only what a gate really said is taken over; that it could not be run is no knowledge. */
async function knownVerdict(ports: Ports, tree: string, gate: Gate): Promise<Verdict | undefined> {
  const found = await ports.store.verdict(tree, gate.id);
  if (!found.ok || found.value?.id === 'not-run') return undefined;
  return found.value;
}

async function judgeTree(
  ports: Ports,
  yard: Yard,
  candidate: Candidate,
  gate: Gate,
): Promise<Verdict | undefined> {
  const notRun = (cause: string): Verdict => ({
    id: 'not-run',
    failure: { kind: 'gate-not-run', where: 'candidate', cause },
  });
  const taken = await ports.pool.gateTree();
  if (!taken.ok) return notRun(`No worktree for the gate: ${taken.failure.kind}.`);
  const worktree = taken.value.dir;
  const pointed = await ports.git.point(worktree, candidate.commit);
  if (!pointed.ok)
    return notRun(`The candidate could not be checked out: ${pointed.failure.kind}.`);
  const copied = await ports.copyFiles(worktree);
  if (!copied.ok) return { id: 'not-run', failure: copied.failure };
  const dir = candidateDir(yard, candidate.id);
  const env = { ...yard.env, YARD_RUN: yard.run, YARD_WORKTREE: worktree };
  const { processes } = ports;
  const { setup: commands, limits } = yard;
  const setup = await runSetup(processes, { commands, worktree, dir, env, limits: limits.setup });
  if (setup === 'interrupted') return undefined;
  if (setup !== undefined) return { id: 'not-run', failure: setup };
  return runGate(processes, {
    gate,
    where: 'candidate',
    worktree,
    dir,
    name: 'gate',
    env,
    limits: limits.gate,
  });
}
