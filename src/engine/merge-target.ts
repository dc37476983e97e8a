import { conflictWith, historyOf } from '../merge/conflict-details.ts';
import { joinWork } from '../merge/join-work.ts';
import type { MergedTarget, Unmarked } from '../model/attempt.ts';
import { keepRefOf } from '../model/branch.ts';
import type { Work } from '../model/command.ts';
import type { EventBody } from '../model/event.ts';
import { fail, ok, type Result } from '../model/failure.ts';
import { outcomeOf, settled } from '../model/trouble.ts';
import type { Git } from '../port/git.ts';
import { ownBase } from '../train/queue.ts';
import { manifestsAt } from '../worktree/setup-key.ts';
import { failed, of, setAside, setUpFor } from './attempt.ts';
import { attemptWorktree, refsOfWork } from './capture.ts';
import { attemptDir, type Events, type Ports, type RunContext } from './context.ts';
import { restoreWorktree } from './watch.ts';

/**
 * Merges the target into the branch of returned work, so that the worktree shows the tree that failed, or the
 * conflict with its markers. Repeated after a crash, it finds the merge it made or started.
 */
export async function mergeTarget(
  ports: Ports,
  context: RunContext,
  work: Work,
): Promise<Result<Events>> {
  const { git } = ports;
  const { attempt } = work;
  if (attempt.state.id !== 'returned') return ok([]);
  const kept = await git.resolve(keepRefOf(attempt.branch));
  const onto = await ontoOf(git, context, attempt.state.on?.commit);
  if (!onto.ok) return onto;
  if (kept === undefined || onto.value === undefined) {
    return ok([
      targetMerged(context, work, noMerge(onto.value ?? '', 'the work or the target is gone')),
    ]);
  }
  const about = await historyOf(git, onto.value, kept);
  const replayed = await replay(ports, context, work, kept, onto.value);
  if (!replayed.ok) return replayed;
  if (replayed.value.id === 'given-up') return ok(replayed.value.events);
  const made =
    replayed.value.id === 'made'
      ? ok(replayed.value.made)
      : await settled(merge(ports, context, work, kept, onto.value));
  if (!made.ok) return made;
  const { merged, seen } = made.value;
  const ready = await settled(setUpAgain(ports, context, work, merged, onto.value));
  // The agent needs the tree that cannot be set up, to fix it.
  const isForAgent = !ready.ok && ready.failure.kind === 'setup-failed';
  if (!ready.ok && !isForAgent) {
    // What was seen is stored first; the command is decided again.
    return seen.length > 0 ? ok(seen) : failed(context, work, ready.failure);
  }
  if (ready.ok && ready.value === 'interrupted') return ok(seen);
  return ok([...seen, targetMerged(context, work, { onto: onto.value, ...about, ...merged })]);
}

/**
 * Sets up the worktree again if the merge changed lock files. If lock files are in conflict, that is left to the
 * agent.
 */
async function setUpAgain(
  ports: Ports,
  context: RunContext,
  work: Work,
  merged: Outcome,
  onto: string,
): Promise<Result<'ready' | 'interrupted'>> {
  const { attempt, task } = work;
  const before = attempt.captured?.commit;
  const worktree = attempt.worktree?.dir;
  const isMerged = merged.id !== 'none' && context.setup.length > 0;
  if (!isMerged || before === undefined || worktree === undefined) return ok('ready');
  const commit = merged.id === 'clean' ? merged.commit : onto;
  const manifests = (at: string) => manifestsAt(ports.git, context.setup, at);
  const had = await manifests(before);
  if (!had.ok) return had;
  const has = await manifests(commit);
  if (!has.ok) return has;
  if (has.value === had.value) return ok('ready');
  if (merged.id === 'conflicts') {
    const base = await ports.git.mergeBase(before, onto);
    const began = base === undefined ? had : await manifests(base);
    if (!began.ok) return began;
    if (began.value !== had.value) return ok('ready');
  }
  const dir = `${attemptDir(context, task.id, attempt)}/merge-${attempt.conversation.turns}`;
  const ready = await setUpFor(ports, context, work, { worktree, dir, commit });
  if (!ready.ok || merged.id !== 'clean') return ready;
  await setAside(ports, context, worktree);
  return ready;
}

function targetMerged(context: RunContext, work: Work, merged: MergedTarget): EventBody {
  return { type: 'target-merged', ...of(context, work), merged };
}

const noMerge = (onto: string, cause: string): MergedTarget => ({
  id: 'none',
  onto,
  cause,
  log: '',
  stat: '',
});

/** Returns the target commit that the work failed on, if the target contains it; otherwise the target's tip. */
async function ontoOf(
  git: Git,
  context: RunContext,
  on: string | undefined,
): Promise<Result<string | undefined>> {
  const tip = await outcomeOf(git.resolve(`refs/heads/${context.target}`));
  if (!tip.ok || tip.value === undefined || on === undefined) return tip;
  const landed = await git.isAncestor(on, tip.value);
  return ok(landed ? on : tip.value);
}

type Outcome =
  | { readonly id: 'clean'; readonly commit: string }
  | {
      readonly id: 'conflicts';
      readonly files: readonly string[];
      readonly unmarked?: readonly Unmarked[];
    }
  | { readonly id: 'none'; readonly cause: string };

interface Made {
  readonly merged: Outcome;
  /** Tampering found in the worktree. */
  readonly seen: Events;
}

async function merge(
  ports: Ports,
  context: RunContext,
  work: Work,
  kept: string,
  onto: string,
): Promise<Result<Made>> {
  const { git } = ports;
  const { attempt, task } = work;
  const own = await attemptWorktree(ports, work);
  if (!own.ok) return own;
  const { dir, head, dirty } = own.value;
  const contained = await git.isAncestor(onto, kept);
  if (contained) {
    // An earlier call may have stopped before the worktree showed the commit.
    if (head !== kept) await git.point(dir, kept, attempt.branch);
    return ok({ merged: { id: 'clean', commit: kept }, seen: [] });
  }
  const clean = async (commit: string, seen: Events): Promise<Result<Made>> => {
    await git.moveRefs(refsOfWork(attempt.branch, commit));
    return ok({ merged: { id: 'clean', commit }, seen });
  };
  if (head !== kept && (await isMergeOf(git, head, kept, onto)) && !dirty) return clean(head, []);
  const isAsLeft = head === kept && !dirty;
  let begun = isAsLeft || dirty ? await outcomeOf(git.beginMerge(dir, onto)) : undefined;
  let seen: Events = [];
  if (begun === undefined || (!begun.ok && begun.failure.kind === 'worktree-failed')) {
    const ours = await isPartOfMerge(git, dir, kept, onto);
    if (!ours.ok) return ours;
    seen = ours.value ? [] : await restoreWorktree(ports, context, work);
    const pointed = ours.value
      ? await outcomeOf(git.point(dir, kept, attempt.branch))
      : ok(undefined);
    begun = pointed.ok ? await outcomeOf(git.beginMerge(dir, onto)) : pointed;
  }
  if (!begun.ok) return begun;
  switch (begun.value.id) {
    case 'unrelated':
      return ok({ merged: { id: 'none', cause: 'the two have no history in common' }, seen });
    case 'conflict': {
      const { files } = begun.value;
      const unmarked = await git.unmarked(dir);
      const whole = unmarked.length === 0 ? {} : { unmarked };
      return ok({ merged: { id: 'conflicts', files, ...whole }, seen });
    }
    case 'clean': {
      const message = `Merge ${context.target} into ${attempt.branch}\n\nYard-Task: ${task.id}\n`;
      const commit = await outcomeOf(git.commitAll(dir, message));
      return commit.ok ? clean(commit.value, seen) : fail(commit.failure);
    }
  }
}

/**
 * True if every file of the worktree is as in the work or as in its merge with the target: a git that was killed in the
 * middle of a merge left it so. The files are committed then.
 */
async function isPartOfMerge(
  git: Git,
  dir: string,
  kept: string,
  onto: string,
): Promise<Result<boolean>> {
  const merged = await git.merge(kept, onto);
  if (merged.id !== 'clean') return ok(false);
  const whole = await outcomeOf(git.commitTree(merged.tree, [kept, onto], 'Merge\n'));
  const found = whole.ok ? await outcomeOf(git.commitAll(dir, 'Part of a merge\n')) : whole;
  if (!whole.ok || !found.ok) return ok(false);
  const [done, left] = [
    await outcomeOf(git.changes(kept, found.value)),
    await outcomeOf(git.changes(found.value, whole.value)),
  ];
  if (!done.ok) return done;
  if (!left.ok) return left;
  const changed = new Set(done.value.map(({ path }) => path));
  return ok(left.value.every(({ path }) => !changed.has(path)));
}

type Replayed =
  | { readonly id: 'not-needed' }
  | { readonly id: 'made'; readonly made: Made }
  | { readonly id: 'given-up'; readonly events: Events };

/**
 * Puts the work on the target without the commits that a person dropped from it, which a merge would bring back. If it
 * conflicts, a fresh attempt begins on the new target.
 */
async function replay(
  { git }: Ports,
  context: RunContext,
  work: Work,
  kept: string,
  onto: string,
): Promise<Result<Replayed>> {
  const { attempt } = work;
  const base = ownBase(attempt);
  const dir = attempt.worktree?.dir;
  if (base === undefined || dir === undefined) return ok({ id: 'not-needed' });
  const inTarget = await git.isAncestor(base, onto);
  const inWork = inTarget ? false : await git.isAncestor(base, kept);
  if (!inWork) return ok({ id: 'not-needed' });
  const joined = await joinWork(git, onto, { commit: kept, base });
  if (joined.id !== 'clean') {
    const files = joined.id === 'conflict' ? joined.files : [];
    const { branch } = attempt;
    const failure = await conflictWith(git, { target: onto, commit: kept, branch, files, base });
    const events = failed(context, work, failure);
    return events.ok ? ok({ id: 'given-up', events: events.value }) : events;
  }
  const { commit } = joined;
  const refs = [keepRefOf(attempt.branch), `refs/heads/${attempt.branch}`];
  const moved = await outcomeOf(git.moveRefs(refs.map((ref) => ({ ref, to: commit }))));
  const pointed = moved.ok ? await outcomeOf(git.point(dir, commit, attempt.branch)) : moved;
  if (!pointed.ok) return pointed;
  return ok({ id: 'made', made: { merged: { id: 'clean', commit }, seen: [] } });
}

async function isMergeOf(git: Git, commit: string, ours: string, theirs: string): Promise<boolean> {
  const info = await outcomeOf(git.commit(commit));
  if (!info.ok) return false;
  const [first, second] = info.value.parents;
  return first === ours && second === theirs;
}
