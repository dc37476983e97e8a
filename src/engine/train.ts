import type { Git } from '../git/git.ts';
import type { Command } from '../model/command.ts';
import type { Car, EventBody } from '../model/event.ts';
import { fail, ok, type Result } from '../model/failure.ts';
import { baseOf, headOf } from '../plan/line.ts';
import type { Candidate, RunRecord } from '../plan/record.ts';
import type { State } from '../plan/state.ts';
import { couple, type Waybill } from '../train/build-candidate.ts';
import { land } from '../train/land.ts';
import { trainOf } from '../train/move.ts';
import { handedRef, keepRefOf } from '../worktree/branch.ts';
import type { Ports, Yard } from './context.ts';
import { deliverCandidate } from './deliver.ts';
import { toldOf } from './forged.ts';
import { judgeCandidate, proofOf } from './judge.ts';

type Events = readonly EventBody[];
type Of<Type extends Command['type']> = Extract<Command, { type: Type }>;

/** Builds the next candidate. A target that somebody else moved is looked at before anything is built on it. */
export async function performCouple(
  ports: Ports,
  yard: Yard,
  state: State,
  command: Of<'couple'>,
): Promise<Result<Events>> {
  const run = state.run(yard.run);
  const bills = command.cars.flatMap((car) => {
    const record = state.task(car.id);
    if (record?.attempt?.number !== car.attempt) return [];
    const { agent, model, branch } = record.attempt;
    const bill: Waybill = { car, title: record.task.title, agent, branch };
    return [model === undefined ? bill : { ...bill, model }];
  });
  if (run === undefined || bills.length === 0) return ok([]);
  const { urgent } = command;
  const on = run.line.find(({ id }) => id === command.on);
  if (command.on !== undefined && on === undefined) return ok([]);
  const tip = await ports.git.resolve(`refs/heads/${yard.target}`);
  if (!tip.ok) return tip;
  if (tip.value === undefined) return fail({ kind: 'target-missing', branch: yard.target });
  if (run.tip !== undefined && run.tip !== tip.value) {
    // Our own landing, of which nobody has been told yet: it tells itself.
    const isOurs = run.line.some(({ links }) => links.some(({ commit }) => commit === tip.value));
    if (isOurs) return ok([]);
    return ok([await targetMoved(ports.git, state, run, run.tip, tip.value)]);
  }
  return couple(ports.git, {
    run: yard.run,
    candidate: `c${run.candidates + 1}`,
    bills,
    parent: on === undefined ? tip.value : headOf(on),
    style: trainOf(run.settings).style,
    ...(on === undefined ? {} : { on: on.id }),
    ...(urgent === undefined ? {} : { urgent }),
  });
}

/**
 * Somebody else moved the target. It was an agent where the new commit was made on the branch of a live attempt, which
 * nobody but its agent works on; of others nobody can tell, so what they put there is only judged.
 */
export async function targetMoved(
  git: Git,
  state: State,
  run: RunRecord,
  from: string,
  to: string,
): Promise<EventBody> {
  // A person may rewrite what was there before; what landed in this run must not get lost by it.
  const kept = run.newest === undefined ? ok(true) : await git.isAncestor(run.newest, to);
  const rewound = kept.ok && !kept.value;
  const moved = { type: 'target-moved', run: run.id, from, to } as const;
  const told = rewound ? { ...moved, rewound } : moved;
  for (const id of state.live) {
    const attempt = state.task(id)?.attempt;
    if (attempt?.run !== run.id) continue;
    const made = await git.wasMadeOn(attempt.branch, to);
    if (made.ok && made.value) return { ...told, by: { id, attempt: attempt.number } };
  }
  return told;
}

/** Notes that a gate is about to start. */
export function performBeginGate(
  yard: Yard,
  state: State,
  { candidate: id, count, slot }: Of<'begin-gate'>,
): Events {
  const candidate = state.run(yard.run)?.line.find((one) => one.id === id);
  const link = candidate?.links[count - 1];
  if (candidate === undefined || link === undefined) return [];
  const cars = candidate.cars.slice(0, count);
  const tasks = cars.flatMap((car) => [car.id, ...(car.riders ?? [])]);
  const of = { run: yard.run, candidate: id, count, slot, ...link, tasks };
  return [{ type: 'gate-started', ...of }];
}

export async function performJudge(
  ports: Ports,
  yard: Yard,
  state: State,
  { candidate, count }: Of<'judge-candidate'>,
): Promise<Events> {
  const at = gateAtWork(state, yard, candidate, count);
  return at === undefined ? [] : judgeCandidate(ports, yard, state, at);
}

/**
 * Green is what our own gate called so: a verdict that somebody else wrote into the log lands nothing. Its branches queue
 * again, to be judged for real.
 */
async function unproven(
  ports: Ports,
  yard: Yard,
  state: State,
  { id, cars, links, judgedBy }: Candidate,
  count: number,
): Promise<Events | undefined> {
  const tree = links[count - 1]?.tree ?? '';
  const tasks = cars.slice(0, count).flatMap((car) => [car.id, ...(car.riders ?? [])]);
  const proof = await proofOf(ports, yard, state, { tree, tasks, judgedBy: judgedBy ?? '' });
  if (proof === 'green') return undefined;
  return [
    // By another gate, as before a change of the config: nobody forged anything, and it is judged by the new one.
    ...(proof === 'other-gate' ? [] : toldOf(yard, state, tree, tasks)),
    { type: 'candidate-dropped', run: yard.run, candidate: id, found: 'a verdict of nobody' },
  ];
}

function gateAtWork(state: State, yard: Yard, candidate: string, count: number) {
  return state
    .run(yard.run)
    ?.gates.find((gate) => gate.candidate === candidate && gate.count === count);
}

/** Refs that have no purpose once the work of an attempt has landed. */
export function spentBy(state: State, { id }: Car): readonly string[] {
  const attempt = state.task(id)?.attempt;
  if (attempt === undefined) return [];
  const handed = attempt.handedIn === undefined ? [] : [handedRef(id)];
  return [`refs/heads/${attempt.branch}`, keepRefOf(attempt.branch), ...handed];
}

/** Moves the target to what was judged, or hands it over in the way that is wanted. */
export async function performLand(
  ports: Ports,
  yard: Yard,
  state: State,
  { candidate: id, count }: Of<'land'>,
): Promise<Result<Events>> {
  const run = state.run(yard.run);
  const candidate = run?.line.find((one) => one.id === id);
  if (run === undefined || candidate === undefined) return ok([]);
  const how = run.settings.delivery ?? 'land';
  const tip = await ports.git.resolve(`refs/heads/${yard.target}`);
  // What is there already was proven when it came there.
  if (!tip.ok || tip.value === baseOf(candidate) || how !== 'land') {
    const forged = await unproven(ports, yard, state, candidate, count);
    if (forged !== undefined) return ok(forged);
  }
  if (how !== 'land') return deliverCandidate(ports, yard, state, candidate, how);
  const spent = candidate.cars.slice(candidate.gone, count).flatMap((car) => spentBy(state, car));
  const { git, clock } = ports;
  const { target } = yard;
  return land(git, { run: yard.run, target, candidate, count, spent, now: clock.now() });
}
