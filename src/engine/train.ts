import { buildCandidate } from '../merge/build-candidate.ts';
import { land } from '../merge/land.ts';
import type { CommandOf, SeenTarget } from '../model/command.ts';
import { tasksOf } from '../model/command-facts.ts';
import { fail, ok, type Result } from '../model/failure.ts';
import type { RunId } from '../model/run.ts';
import type { Candidate } from '../model/train-record.ts';
import { outcomeOf, settled } from '../model/trouble.ts';
import { baseOf } from '../train/candidates.ts';
import { of } from './attempt.ts';
import type { Events, Ports, RunContext } from './context.ts';
import { deliverCandidate } from './deliver.ts';
import { proofOf } from './judge.ts';
import { compareLandings } from './landings.ts';
import { withoutCommits } from './lost-work.ts';
import { reportForged } from './seal.ts';
import { takenTarget } from './taken-target.ts';

/** Builds the next candidate. If the target was moved from outside, that is reported first. */
export async function performBuildCandidate(
  ports: Ports,
  context: RunContext,
  { candidate, landings, on, urgent, style, seen, spent }: CommandOf<'build-candidate'>,
): Promise<Result<Events>> {
  const { git, store } = ports;
  const { run, target } = context;
  const tip = await git.resolve(`refs/heads/${target}`);
  if (tip === undefined) return fail({ kind: 'target-missing', branch: target });
  if (seen.tip !== undefined && seen.tip !== tip) {
    const known = await store.run(run);
    if (!known.ok) return known;
    // Our own landing moved it, whose event may not be stored yet.
    const isOurs = known.value?.train.candidates.some(({ prefixes }) =>
      prefixes.some(({ commit }) => commit === tip),
    );
    if (isOurs === true || known.value?.target.tip === tip) return ok([]);
    return targetMoved(ports, context, seen, tip);
  }
  const parent = on?.head ?? tip;
  const plan = { run, candidate, landings, parent, style, spent };
  const built = await settled(buildCandidate(git, { ...plan, on: on?.id, urgent }));
  if (built.ok) return built;
  const lost = await withoutCommits(git, context, landings);
  return lost.length > 0 ? ok(lost) : built;
}

/** Reports that the target was moved from outside. Unless an agent did it, the new commit is judged like any other. */
export async function targetMoved(
  ports: Pick<Ports, 'git' | 'store' | 'guard'>,
  context: Pick<RunContext, 'run' | 'target'>,
  { tip: from = '' }: SeenTarget,
  to: string,
): Promise<Result<Events>> {
  const { git } = ports;
  const { run, target } = context;
  const taken = await takenTarget(ports, context);
  if (taken?.id === 'stays') return ok([taken.event]);
  if (taken !== undefined) {
    const { work, found } = taken;
    const turn = work.attempt.conversation.turns;
    return ok([{ type: 'tampering-seen', ...of(context, work), turn, found: [found] }]);
  }
  const common = from === '' ? from : await git.mergeBase(from, to);
  const moved = { type: 'target-moved', run, from, to } as const;
  if (common === undefined) return ok([{ ...moved, unrelated: true }]);
  // A person may rewrite history; work that has landed must not get lost unnoticed.
  const landings = common === from ? ok([]) : await settled(compareLandings(ports, target));
  if (!landings.ok) return landings;
  const rewound = landings.value.some(({ type }) => type === 'landing-dropped');
  return ok([rewound ? { ...moved, rewound } : moved, ...landings.value]);
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
    ...(proof === 'none'
      ? await reportForged(ports.store, context, tree, tasksOf(entries.slice(0, count)))
      : []),
    {
      type: 'candidate-dropped',
      run: context.run,
      candidate: id,
      reason: { id: 'unproven' },
      alone: true,
    },
  ];
}

/**
 * Returns events that drop a candidate which is not wanted any more: a person may have decided so while its landing had to
 * wait, or after the engine that was about to land it had died.
 */
async function dropUnwanted(
  store: Pick<Ports['store'], 'run' | 'task'>,
  run: RunId,
  { id, entries, landed }: Candidate,
  count: number,
): Promise<Result<Events | undefined>> {
  const record = await store.run(run);
  if (!record.ok) return record;
  const candidates = record.value?.train.candidates ?? [];
  if (!candidates.some((one) => one.id === id)) return ok([]);
  for (const entry of entries.slice(landed, count)) {
    const task = await store.task(entry.id);
    if (!task.ok) return task;
    if (task.value?.status.id === 'open') continue;
    const reason = { id: 'unwanted' } as const;
    return ok([{ type: 'candidate-dropped', run, candidate: id, reason, alone: true }]);
  }
  return ok(undefined);
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
  const tip = await outcomeOf(git.resolve(`refs/heads/${target}`));
  // A commit that is already on the target was proven before.
  if (!tip.ok || tip.value === baseOf(candidate) || how.id !== 'land') {
    const forged = await dropUnproven(ports, context, command);
    if (forged !== undefined) return ok(forged);
  }
  // What is on the target already has landed, whatever a person decided meanwhile.
  if (how.id === 'land' && !tip.ok) return tip;
  if (how.id === 'land' && tip.ok && tip.value === baseOf(candidate)) {
    const unwanted = await dropUnwanted(ports.store, run, candidate, count);
    if (!unwanted.ok) return unwanted;
    if (unwanted.value !== undefined) return ok(unwanted.value);
  }
  if (how.id !== 'land') return deliverCandidate(ports, context, candidate, how);
  return land(git, { run, target, candidate, count, spent: how.spent, now: clock.now() });
}
