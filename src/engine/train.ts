import { buildCandidate } from '../merge/build-candidate.ts';
import { land } from '../merge/land.ts';
import type { CommandOf, SeenTarget } from '../model/command.ts';
import { tasksOf } from '../model/command-facts.ts';
import type { EventBody } from '../model/event.ts';
import { fail, ok, type Result } from '../model/failure.ts';
import { given } from '../model/given.ts';
import type { RunId } from '../model/run.ts';
import { baseOf } from '../train/candidates.ts';
import { liveAttempts } from './attempt.ts';
import type { Events, Ports, RunContext } from './context.ts';
import { deliverCandidate } from './deliver.ts';
import { proofOf } from './judge.ts';
import { reportForged } from './seal.ts';

/** Builds the next candidate. If the target was moved from outside, that is reported first. */
export async function performBuildCandidate(
  { git, store }: Ports,
  { run, target }: RunContext,
  { candidate, landings, on, urgent, style, seen }: CommandOf<'build-candidate'>,
): Promise<Result<Events>> {
  const tip = await git.resolve(`refs/heads/${target}`);
  if (!tip.ok) return tip;
  if (tip.value === undefined) return fail({ kind: 'target-missing', branch: target });
  if (seen.tip !== undefined && seen.tip !== tip.value) {
    const known = await store.run(run);
    if (!known.ok) return known;
    // Our own landing moved it, whose event may not be stored yet.
    const isOurs = known.value?.train.candidates.some(({ prefixes }) =>
      prefixes.some(({ commit }) => commit === tip.value),
    );
    if (isOurs === true || known.value?.target.tip === tip.value) return ok([]);
    return ok([await targetMoved({ git, store }, run, seen, tip.value)]);
  }
  const parent = on?.head ?? tip.value;
  const plan = { run, candidate, landings, parent, style };
  return buildCandidate(git, { ...plan, ...given({ on: on?.id, urgent }) });
}

/**
 * Reports that the target was moved from outside. An agent did it if the new commit was made on the branch of a live
 * attempt, which only its agent works on; otherwise the origin is unknown and the new commit is only judged.
 */
export async function targetMoved(
  { git, store }: Pick<Ports, 'git' | 'store'>,
  run: RunId,
  { tip: from = '', lastLanded }: SeenTarget,
  to: string,
): Promise<EventBody> {
  // A person may rewrite older history; work that landed in this run must not get lost.
  const kept = lastLanded === undefined ? ok(true) : await git.isAncestor(lastLanded, to);
  const rewound = kept.ok && !kept.value;
  const moved = { type: 'target-moved', run, from, to } as const;
  const event = rewound ? { ...moved, rewound } : moved;
  for (const { task, attempt } of await liveAttempts(store, run)) {
    const made = await git.wasMadeOn(attempt.branch, to);
    if (made.ok && made.value) return { ...event, by: { id: task.id, attempt: attempt.number } };
  }
  return event;
}

/**
 * Returns events that drop a candidate whose verdict no gate of ours gave: it must not land, and its branches queue
 * again.
 */
async function dropUnproven(
  ports: Ports,
  context: RunContext,
  { candidate, count, checks }: CommandOf<'land'>,
): Promise<Events | undefined> {
  const { id, entries, prefixes, judgedBy = '' } = candidate;
  const tree = prefixes[count - 1]?.tree ?? '';
  const proof = await proofOf(ports, context, { tree, checks, judgedBy });
  if (proof === 'green') return undefined;
  return [
    // Judged by another gate, for example before a config change: not forged, but it has to be judged again.
    ...(proof === 'other-gate'
      ? []
      : await reportForged(ports.store, context, tree, tasksOf(entries.slice(0, count)))),
    {
      type: 'candidate-dropped',
      run: context.run,
      candidate: id,
      found: 'a verdict without a seal',
    },
  ];
}

/** Moves the target to the judged commit, or delivers it as configured. */
export async function performLand(
  ports: Ports,
  context: RunContext,
  command: CommandOf<'land'>,
): Promise<Result<Events>> {
  const { candidate, count, how } = command;
  const { git, clock } = ports;
  const { run, target } = context;
  const tip = await git.resolve(`refs/heads/${target}`);
  // A commit that is already on the target was proven before.
  if (!tip.ok || tip.value === baseOf(candidate) || how.id !== 'land') {
    const forged = await dropUnproven(ports, context, command);
    if (forged !== undefined) return ok(forged);
  }
  if (how.id !== 'land') return deliverCandidate(ports, context, candidate, how);
  return land(git, { run, target, candidate, count, spent: how.spent, now: clock.now() });
}
