import { BRANCHES, KEPT, keepRefOf } from '../model/branch.ts';
import type { Command } from '../model/command.ts';
import type { EventBody } from '../model/event.ts';
import { type Failure, ok, type Result } from '../model/failure.ts';
import type { State } from '../plan/state.ts';
import type { Ports, RunContext } from './context.ts';
import { giveBack } from './save.ts';
import { targetMoved } from './train.ts';

type Events = readonly EventBody[];

/** Removes what the run created for itself. Worktrees of live attempts stay for a resumed run. */
export async function endRun(
  ports: Ports,
  context: RunContext,
  state: State,
  { stop }: Extract<Command, { type: 'end-run' }>,
): Promise<Result<Events>> {
  const moved = stop.reason === 'drained' ? await targetMovedSince(ports, context, state) : ok([]);
  if (!moved.ok || moved.value.length > 0) return moved;
  const leftover = await spentRefs(ports, state);
  if (!leftover.ok) return leftover;
  if (leftover.value.length > 0) await ports.git.moveRefs(leftover.value.map((ref) => ({ ref })));
  await giveBack(ports, state);
  const left = await removeWorktrees(ports, landedWork(state));
  await ports.prepared.expire();
  const ended = { type: 'run-ended', run: context.run, stop } as const;
  return ok([left.length === 0 ? ended : { ...ended, left }]);
}

/** If the target was moved since the train last looked, the run continues until the new commit is judged. */
async function targetMovedSince(
  { git }: Ports,
  context: RunContext,
  state: State,
): Promise<Result<Events>> {
  const run = state.run(context.run);
  const tip = await git.resolve(`refs/heads/${context.target}`);
  if (!tip.ok) return tip;
  if (run?.tip === undefined || tip.value === undefined || tip.value === run.tip) return ok([]);
  return ok([await targetMoved(git, state, run, run.tip, tip.value)]);
}

type Left = { readonly dir: string; readonly failure: Failure };

/** Removes the worktrees and returns those left after a second try; a file that was held open may be free by then. */
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

/** Commits of agents whose work is on the target, possibly squashed or rebased. */
function landedWork(state: State): ReadonlySet<string> {
  const landed = new Set<string>();
  for (const { attempt } of state.tasks.values()) {
    if (attempt?.state.id !== 'landed') continue;
    if (attempt.state.work !== undefined) landed.add(attempt.state.work);
  }
  return landed;
}

/** Branches and keep refs of landed tasks, left by a crash. */
async function spentRefs({ git }: Ports, state: State): Promise<Result<readonly string[]>> {
  const spent = new Set<string>();
  for (const { status, attempt } of state.tasks.values()) {
    if (status.id !== 'landed' || attempt?.state.id !== 'landed') continue;
    spent.add(`refs/heads/${attempt.branch}`).add(keepRefOf(attempt.branch));
  }
  const found: string[] = [];
  for (const prefix of [BRANCHES, KEPT]) {
    const refs = await git.refs(prefix);
    if (!refs.ok) return refs;
    for (const { ref } of refs.value) if (spent.has(ref)) found.push(ref);
  }
  return ok(found);
}
