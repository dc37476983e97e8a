import { buildCandidate, type LandingFacts } from '../merge/build-candidate.ts';
import { land } from '../merge/land.ts';
import { handedRef, keepRefOf } from '../model/branch.ts';
import type { Command } from '../model/command.ts';
import type { EventBody } from '../model/event.ts';
import { fail, ok, type Result } from '../model/failure.ts';
import { given } from '../model/given.ts';
import type { QueueEntry } from '../model/queue-entry.ts';
import type { RunRecord } from '../model/run-record.ts';
import type { Candidate } from '../model/train-record.ts';
import type { State } from '../plan/state.ts';
import type { Git } from '../port/git.ts';
import { baseOf, headOf } from '../train/candidates.ts';
import { trainSettings } from '../train/move.ts';
import type { Ports, RunContext } from './context.ts';
import { deliverCandidate } from './deliver.ts';
import { judgeCandidate, proofOf } from './judge.ts';
import { reportForged } from './seal.ts';

type Events = readonly EventBody[];
type Of<Type extends Command['type']> = Extract<Command, { type: Type }>;

/** Builds the next candidate. If the target was moved from outside, that is reported first. */
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
    // It is our own landing, whose event is not stored yet.
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
 * Reports that the target was moved from outside. An agent did it if the new commit was made on the branch of a live
 * attempt, which only its agent works on; otherwise the origin is unknown and the new commit is only judged.
 */
export async function targetMoved(
  git: Git,
  state: State,
  run: RunRecord,
  from: string,
  to: string,
): Promise<EventBody> {
  // A person may rewrite older history; work that landed in this run must not get lost.
  const kept = run.lastLanded === undefined ? ok(true) : await git.isAncestor(run.lastLanded, to);
  const rewound = kept.ok && !kept.value;
  const moved = { type: 'target-moved', run: run.id, from, to } as const;
  const event = rewound ? { ...moved, rewound } : moved;
  for (const id of state.live) {
    const attempt = state.task(id)?.attempt;
    if (attempt?.run !== run.id) continue;
    const made = await git.wasMadeOn(attempt.branch, to);
    if (made.ok && made.value) return { ...event, by: { id, attempt: attempt.number } };
  }
  return event;
}

/** Records that a gate is about to start. */
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
 * Returns events that drop a candidate whose verdict no gate of ours gave: it must not land, and its branches queue
 * again.
 */
async function dropUnproven(
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
    // Judged by another gate, for example before a config change: not forged, but it has to be judged again.
    ...(proof === 'other-gate' ? [] : reportForged(context, state, tree, tasks)),
    {
      type: 'candidate-dropped',
      run: context.run,
      candidate: id,
      found: 'a verdict without a seal',
    },
  ];
}

function gateAtWork(state: State, context: RunContext, candidate: string, count: number) {
  return state
    .run(context.run)
    ?.runningGates.find((gate) => gate.candidate === candidate && gate.count === count);
}

/** Refs that are obsolete once the work of an attempt has landed. */
export function obsoleteRefs(state: State, { id }: QueueEntry): readonly string[] {
  const attempt = state.task(id)?.attempt;
  if (attempt === undefined) return [];
  const handed = attempt.handedIn === undefined ? [] : [handedRef(id)];
  return [`refs/heads/${attempt.branch}`, keepRefOf(attempt.branch), ...handed];
}

/** Moves the target to the judged commit, or delivers it as configured. */
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
  // A commit that is already on the target was proven before.
  if (!tip.ok || tip.value === baseOf(candidate) || how !== 'land') {
    const forged = await dropUnproven(ports, context, state, candidate, count);
    if (forged !== undefined) return ok(forged);
  }
  if (how !== 'land') return deliverCandidate(ports, context, state, candidate, how);
  const spent = candidate.entries
    .slice(candidate.landed, count)
    .flatMap((entry) => obsoleteRefs(state, entry));
  const { git, clock } = ports;
  const { target } = context;
  return land(git, { run: context.run, target, candidate, count, spent, now: clock.now() });
}
