import { keepRefOf } from '../model/branch.ts';
import type { Work } from '../model/command.ts';
import type { EventBody } from '../model/event.ts';
import { ok } from '../model/failure.ts';
import { outcomeOf } from '../model/trouble.ts';
import type { Tampering } from '../model/violation.ts';
import type { Git } from '../port/git.ts';
import type { Snapshot } from '../port/guard.ts';
import { liveAttempts } from './attempt.ts';
import type { Ports, RunContext } from './context.ts';

/** Outcome if an agent moved the target. */
export type Taken =
  /** The target is back at its last known value. */
  | { readonly id: 'put-back'; readonly work: Work; readonly found: Tampering }
  /** The target stays where the agent moved it, because someone may have built on that. */
  | { readonly id: 'stays'; readonly event: Extract<EventBody, { type: 'target-moved' }> };

/**
 * Finds out whether an agent moved the target to a commit of its own, and puts it back. The agent did it if the commit
 * was made in the worktree of an attempt whose turn still runs and is not captured, so that nobody else knows it. It is
 * put back if the target came there from its last known value in one step and is still there, and if no checkout has
 * followed it; a ref keeps the commit. Any other move is a person's.
 */
export async function takenTarget(
  ports: Pick<Ports, 'git' | 'store' | 'guard'>,
  context: Pick<RunContext, 'run' | 'target'>,
  { seen, only }: { readonly seen?: Snapshot; readonly only?: Work } = {},
): Promise<Taken | undefined> {
  const { git, store } = ports;
  const ref = `refs/heads/${context.target}`;
  const run = await store.run(context.run);
  const tip = await outcomeOf(git.resolve(ref));
  if (!run.ok || !tip.ok || tip.value === undefined) return undefined;
  const { target, train } = run.value ?? {};
  const [from, to] = [target?.tip, tip.value];
  const isOurs = train?.candidates.some(({ prefixes }) =>
    prefixes.some(({ commit }) => commit === to),
  );
  if (from === undefined || from === to || isOurs === true) return undefined;
  const work = await makerOf(ports, context, to, only);
  if (work === undefined) return undefined;
  const { attempt, task } = work;
  const by = { id: task.id, attempt: attempt.number };
  const stays: Taken = {
    id: 'stays',
    event: { type: 'target-moved', run: context.run, from, to, by },
  };
  const before = await outcomeOf(git.resolve(`${ref}@{1}`));
  if (!before.ok || before.value !== from) return stays;
  const now = seen ?? (await ports.guard.snapshot());
  if (!(await isLeftBehind(git, context.target, { from, to }, now))) return stays;
  const kept = `${keepRefOf(attempt.branch)}.target${attempt.conversation.turns}`;
  const moved = await outcomeOf(
    git.moveRefs([
      { ref, from: to, to: from },
      { ref: kept, to },
    ]),
  );
  if (!moved.ok || moved.value.id === 'stale') return stays;
  return { id: 'put-back', work, found: { kind: 'target-moved', from, to, kept } };
}

/** The attempt at work in whose worktree the commit was made, if nothing else knows the commit. */
async function makerOf(
  { git, store }: Pick<Ports, 'git' | 'store'>,
  { run }: Pick<RunContext, 'run'>,
  commit: string,
  only: Work | undefined,
): Promise<Work | undefined> {
  for (const work of await liveAttempts(store, run)) {
    const { attempt, task } = work;
    if (only !== undefined && only.task.id !== task.id) continue;
    const isAtWork = attempt.state.id === 'working' || attempt.state.id === 'calling';
    if (!isAtWork || attempt.captured?.commit === commit) continue;
    const dir = attempt.worktree?.dir;
    const made = dir === undefined ? ok(false) : await outcomeOf(git.wasMadeIn(dir, commit));
    if (made.ok && made.value) return work;
  }
  return undefined;
}

/** True if no checkout has the target, or if its files are still those of the old commit. */
async function isLeftBehind(
  git: Git,
  target: string,
  { from, to }: { readonly from: string; readonly to: string },
  { checkout }: Snapshot,
): Promise<boolean> {
  const dir = await outcomeOf(git.checkoutOf(target));
  if (!dir.ok) return false;
  if (dir.value === undefined) return true;
  const changed = await outcomeOf(git.changes(from, to));
  const differing = checkout.files?.marks;
  if (!changed.ok || differing === undefined || dir.value !== checkout.dir) return false;
  return changed.value.every(({ path }) => Object.hasOwn(differing, path));
}
