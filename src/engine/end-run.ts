import { isLive } from '../model/attempt-state.ts';
import {
  BRANCHES,
  baseRefOf,
  candidateRef,
  HELD,
  KEPT,
  keepRefOf,
  parseName,
} from '../model/branch.ts';
import type { CommandOf, SeenTarget } from '../model/command.ts';
import { type Failure, fail, ok, type Result } from '../model/failure.ts';
import { machineCauseOf } from '../model/machine-cause.ts';
import { hasEnded } from '../model/run-record.ts';
import { settled } from '../model/trouble.ts';
import type { Events, Ports, RunContext } from './context.ts';
import { giveBack } from './save.ts';
import { targetMoved } from './train.ts';

/**
 * Removes what the run created for itself. Worktrees of live attempts stay for a resumed run. A run that has done
 * everything tries again if the machine prevents that; any other ends and leaves it to the next run.
 */
export async function endRun(
  ports: Ports,
  context: RunContext,
  { stop, seen }: CommandOf<'end-run'>,
): Promise<Result<Events>> {
  const moved =
    stop.reason === 'drained' ? await settled(targetMovedSince(ports, context, seen)) : ok([]);
  if (!moved.ok || moved.value.length > 0) return moved;
  const isDone = stop.reason === 'drained';
  const removed = await settled(removeRefs(ports, context));
  if (!removed.ok && isDone) return removed;
  await giveBack(ports, (id) => ports.store.task(id));
  const gone = await removeWorktrees(ports);
  if (!gone.ok) return gone;
  const left = gone.value;
  const machine = left.find(({ failure }) => isOfMachine(failure));
  if (machine !== undefined && isDone) return fail(machine.failure);
  await ports.prepared.expire();
  const ended = { type: 'run-ended', run: context.run, stop } as const;
  return ok([left.length === 0 ? ended : { ...ended, left }]);
}

/** If the target was moved since the train last looked, the run continues until the new commit is judged. */
async function targetMovedSince(
  ports: Ports,
  context: RunContext,
  seen: SeenTarget,
): Promise<Result<Events>> {
  const { target } = context;
  const tip = await ports.git.resolve(`refs/heads/${target}`);
  if (seen.tip === undefined || tip === undefined || tip === seen.tip) return ok([]);
  return targetMoved(ports, context, seen, tip);
}

const isOfMachine = (failure: Failure): boolean =>
  failure.kind === 'git-failed' && machineCauseOf(failure.stderr) !== undefined;

/** Removes the refs that nothing needs any more. */
async function removeRefs(ports: Ports, context: RunContext): Promise<Result<void>> {
  const work = await spentRefs(ports);
  if (!work.ok) return work;
  const held = await unneededRefs(ports, context);
  if (!held.ok) return held;
  await ports.git.moveRefs([...work.value, ...held.value].map((ref) => ({ ref })));
  return ok(undefined);
}

type Left = { readonly dir: string; readonly failure: Failure };

/** Removes the worktrees and returns those left after a second try; a file that was held open may be free by then. */
export async function removeWorktrees(
  ports: Pick<Ports, 'pool' | 'store'>,
): Promise<Result<readonly Left[]>> {
  const landed = await landedWork(ports);
  if (!landed.ok) return landed;
  const first = await ports.pool.removeAll(landed.value);
  if (first.ok && first.value.left.length === 0) return ok([]);
  const second = await ports.pool.removeAll(landed.value);
  if (!second.ok) return ok([]);
  return ok(second.value.left.map(({ worktree, failure }) => ({ dir: worktree.dir, failure })));
}

/** Commits of agents whose work is on the target, possibly squashed or rebased. */
async function landedWork({ store }: Pick<Ports, 'store'>): Promise<Result<ReadonlySet<string>>> {
  const records = await store.tasks(['landed']);
  if (!records.ok) return records;
  const landed = records.value.flatMap(({ attempt }) =>
    attempt?.state.id === 'landed' ? (attempt.state.work ?? []) : [],
  );
  return ok(new Set(landed));
}

/** Branches and keep refs of landed tasks, left by a crash. */
async function spentRefs({ git, store }: Ports): Promise<Result<readonly string[]>> {
  const found: string[] = [];
  for (const prefix of [BRANCHES, KEPT]) {
    const refs = await git.refs(prefix);
    for (const { ref } of refs) {
      const name = parseName(ref);
      const record = name === undefined ? ok(undefined) : await store.task(name.task);
      if (!record.ok) return record;
      const { status, attempt } = record.value ?? {};
      if (status?.id !== 'landed' || attempt?.state.id !== 'landed') continue;
      if (ref === `refs/heads/${attempt.branch}` || ref === keepRefOf(attempt.branch))
        found.push(ref);
    }
  }
  return ok(found);
}

/** Refs of bases whose attempt is over, and of candidates that have left the queue of their run. */
async function unneededRefs(
  { git, store }: Ports,
  { run }: RunContext,
): Promise<Result<readonly string[]>> {
  const refs = await git.refs(HELD);
  const found: string[] = [];
  for (const { ref } of refs) {
    const name = parseName(ref);
    if (name === undefined) {
      const [of = ''] = ref.slice(HELD.length).split('/');
      const record = await store.run(of);
      if (!record.ok) return record;
      // The process of another run that has not ended may be building it now.
      if (record.value === undefined || (of !== run && !hasEnded(record.value))) continue;
      const { candidates } = record.value.train;
      if (candidates.every(({ id }) => candidateRef(of, id) !== ref)) found.push(ref);
      continue;
    }
    const task = await store.task(name.task);
    if (!task.ok) return task;
    const { attempt } = task.value ?? {};
    if (attempt === undefined) continue;
    if (baseRefOf(attempt.branch) !== ref || !isLive(attempt.state)) found.push(ref);
  }
  return ok(found);
}
