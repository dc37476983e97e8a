import type { Git } from '../git/git.ts';
import type { Command } from '../model/command.ts';
import type { EventBody } from '../model/event.ts';
import { fail, ok, type Result } from '../model/failure.ts';
import { given } from '../model/given.ts';
import type { QueueEntry } from '../model/queue-entry.ts';
import { baseOf, headOf } from '../plan/line.ts';
import type { Candidate, RunRecord } from '../plan/record.ts';
import type { State } from '../plan/state.ts';
import { buildCandidate, type LandingFacts } from '../train/build-candidate.ts';
import { land } from '../train/land.ts';
import { trainSettings } from '../train/move.ts';
import { handedRef, keepRefOf } from '../worktree/branch.ts';
import type { Ports, RunContext } from './context.ts';
import { deliverCandidate } from './deliver.ts';
import { judgeCandidate, proofOf } from './judge.ts';
import { reportForged } from './seal.ts';

type Events = readonly EventBody[];
type Of<Type extends Command['type']> = Extract<Command, { type: Type }>;

/** Builds the next candidate. A target that somebody else moved is looked at before anything is built on it. */
export async function performBuildCandidate(
  ports: Ports,
  context: RunContext,
  state: State,
  command: Of<'build-candidate'>,
): Promise<Result<Events>> {
  const run = state.run(context.run);
  const landings = command.entries.flatMap((entry) => {
    const record = state.task(entry.id);
    if (record?.attempt?.number !== entry.attempt) return [];
    const { agent, model, branch } = record.attempt;
    const facts: LandingFacts = { entry, title: record.task.title, agent, branch };
    return [{ ...facts, ...given({ model }) }];
  });
  if (run === undefined || landings.length === 0) return ok([]);
  const { urgent } = command;
  const on = run.candidates.find(({ id }) => id === command.on);
  if (command.on !== undefined && on === undefined) return ok([]);
  const tip = await ports.git.resolve(`refs/heads/${context.target}`);
  if (!tip.ok) return tip;
  if (tip.value === undefined) return fail({ kind: 'target-missing', branch: context.target });
  if (run.tip !== undefined && run.tip !== tip.value) {
    // Our own landing, of which nobody has been told yet: it tells itself.
    const isOurs = run.candidates.some(({ prefixes }) =>
      prefixes.some(({ commit }) => commit === tip.value),
    );
    if (isOurs) return ok([]);
    return ok([await targetMoved(ports.git, state, run, run.tip, tip.value)]);
  }
  return buildCandidate(ports.git, {
    run: context.run,
    candidate: `c${run.candidatesBuilt + 1}`,
    landings,
    parent: on === undefined ? tip.value : headOf(on),
    style: trainSettings(run.settings).style,
    ...given({ on: on?.id, urgent }),
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
  const kept = run.lastLanded === undefined ? ok(true) : await git.isAncestor(run.lastLanded, to);
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
  context: RunContext,
  state: State,
  { candidate: id, count, slot }: Of<'begin-gate'>,
): Events {
  const candidate = state.run(context.run)?.candidates.find((one) => one.id === id);
  const prefix = candidate?.prefixes[count - 1];
  if (candidate === undefined || prefix === undefined) return [];
  const entries = candidate.entries.slice(0, count);
  const tasks = entries.flatMap((entry) => [entry.id, ...(entry.coClaims ?? [])]);
  const of = { run: context.run, candidate: id, count, slot, ...prefix, tasks };
  return [{ type: 'gate-started', ...of }];
}

export async function performJudge(
  ports: Ports,
  context: RunContext,
  state: State,
  { candidate, count }: Of<'judge-candidate'>,
): Promise<Events> {
  const at = gateAtWork(state, context, candidate, count);
  return at === undefined ? [] : judgeCandidate(ports, context, state, at);
}

/**
 * Green is what our own gate called so: a verdict that somebody else wrote into the log lands nothing. Its branches queue
 * again, to be judged for real.
 */
async function unproven(
  ports: Ports,
  context: RunContext,
  state: State,
  { id, entries, prefixes, judgedBy }: Candidate,
  count: number,
): Promise<Events | undefined> {
  const tree = prefixes[count - 1]?.tree ?? '';
  const tasks = entries.slice(0, count).flatMap((entry) => [entry.id, ...(entry.coClaims ?? [])]);
  const proof = await proofOf(ports, context, state, { tree, tasks, judgedBy: judgedBy ?? '' });
  if (proof === 'green') return undefined;
  return [
    // By another gate, as before a change of the config: nobody forged anything, and it is judged by the new one.
    ...(proof === 'other-gate' ? [] : reportForged(context, state, tree, tasks)),
    { type: 'candidate-dropped', run: context.run, candidate: id, found: 'a verdict of nobody' },
  ];
}

function gateAtWork(state: State, context: RunContext, candidate: string, count: number) {
  return state
    .run(context.run)
    ?.runningGates.find((gate) => gate.candidate === candidate && gate.count === count);
}

/** Refs that have no purpose once the work of an attempt has landed. */
export function spentBy(state: State, { id }: QueueEntry): readonly string[] {
  const attempt = state.task(id)?.attempt;
  if (attempt === undefined) return [];
  const handed = attempt.handedIn === undefined ? [] : [handedRef(id)];
  return [`refs/heads/${attempt.branch}`, keepRefOf(attempt.branch), ...handed];
}

/** Moves the target to what was judged, or hands it over in the way that is wanted. */
export async function performLand(
  ports: Ports,
  context: RunContext,
  state: State,
  { candidate: id, count }: Of<'land'>,
): Promise<Result<Events>> {
  const run = state.run(context.run);
  const candidate = run?.candidates.find((one) => one.id === id);
  if (run === undefined || candidate === undefined) return ok([]);
  const how = run.settings.delivery ?? 'land';
  const tip = await ports.git.resolve(`refs/heads/${context.target}`);
  // What is there already was proven when it came there.
  if (!tip.ok || tip.value === baseOf(candidate) || how !== 'land') {
    const forged = await unproven(ports, context, state, candidate, count);
    if (forged !== undefined) return ok(forged);
  }
  if (how !== 'land') return deliverCandidate(ports, context, state, candidate, how);
  const spent = candidate.entries
    .slice(candidate.landed, count)
    .flatMap((entry) => spentBy(state, entry));
  const { git, clock } = ports;
  const { target } = context;
  return land(git, { run: context.run, target, candidate, count, spent, now: clock.now() });
}
