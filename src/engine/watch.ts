import type { Git } from '../git/git.ts';
import { tamperings } from '../guard/tampering-list.ts';
import type { EventBody } from '../model/event.ts';
import { given } from '../model/given.ts';
import type { Tampering } from '../model/violation.ts';
import { limits } from '../plan/limits.ts';
import type { State } from '../plan/state.ts';
import { withoutReported } from '../plan/user-change.ts';
import { BRANCHES, keepRefOf } from '../worktree/branch.ts';
import type { Work } from './attempt.ts';
import type { Ports, RunContext } from './context.ts';

/**
 * Looks at what lies outside of the worktrees before an agent works and after it, and says what changed. What a user does
 * in their own checkout is told once for the run. Of the rest nobody can tell who changed it where several agents work at
 * once: each of them is told of.
 */
export async function watched<T>(
  { guard, git }: Ports,
  context: RunContext,
  state: State,
  { attempt }: Work,
  run: () => Promise<T>,
): Promise<{ readonly value: T; readonly found: readonly Tampering[] }> {
  const before = await guard.look(true);
  const value = await run();
  const after = await guard.look();
  const own = [`refs/heads/${attempt.branch}`, keepRefOf(attempt.branch)];
  // Landings move the target, and the others move their own branches; whoever rests has no reason to.
  const expected = [`refs/heads/${context.target}`, BRANCHES, 'refs/yard/', 'refs/remotes/'];
  const told = new Set(state.run(context.run)?.reportedUserChanges);
  const found = [
    ...tamperings(before, after, own, expected).flatMap((one) => withoutReported(one, told)),
    ...(await movedAtRest(git, state, context.run)),
  ];
  return { value, found };
}

/** Branches of finished work that waits for something and that are not where that work is. */
async function movedAtRest(git: Git, state: State, run: string): Promise<readonly Tampering[]> {
  const moved: Tampering[] = [];
  for (const id of state.live) {
    const attempt = state.task(id)?.attempt;
    const at = attempt?.state;
    if (attempt?.run !== run) continue;
    if (at?.id !== 'queued' && at?.id !== 'awaiting' && at?.id !== 'unreviewed') continue;
    const ref = `refs/heads/${attempt.branch}`;
    const now = await git.resolve(ref);
    if (!now.ok || now.value === at.commit) continue;
    moved.push({ kind: 'ref-moved', ref, from: at.commit, ...given({ to: now.value }) });
  }
  return moved;
}

/**
 * Puts the worktree of work that came back to what its agent had made of it: whatever else is there now was put there by
 * a gate, a reviewer or a stranger. A stranger is told of.
 */
export async function restored(
  ports: Ports,
  context: RunContext,
  work: Work,
): Promise<readonly EventBody[]> {
  const { attempt } = work;
  const dir = attempt.worktree?.dir;
  const kept = await ports.git.resolve(keepRefOf(attempt.branch));
  if (dir === undefined || !kept.ok || kept.value === undefined) return [];
  const seen = await touched(ports, context, work, kept.value);
  const keep = keepRefOf(attempt.branch);
  if (seen.length > 0) await saveStray(ports.git, dir, keep, kept.value);
  await ports.git.point(dir, kept.value, attempt.branch);
  return seen;
}

/** Nobody knows whose it is, and it may be somebody's work: it gets a ref of its own before it is taken away. */
async function saveStray(git: Git, dir: string, keep: string, kept: string): Promise<void> {
  const found = await git.commitAll(dir, 'Found in the worktree of an attempt that rested\n');
  if (found.ok && found.value !== kept) await saveAside(git, keep, found.value);
}

/** Holds a commit that goes nowhere by a ref of its own. */
export async function saveAside(git: Git, keep: string, commit: string): Promise<void> {
  for (let n = 1; n <= limits.keepNames; n += 1) {
    const moved = await git.moveRefs([{ ref: `${keep}.stray${n}`, from: null, to: commit }]);
    if (!moved.ok || moved.value.id === 'moved') return;
  }
}

/**
 * Whether the worktree of finished work is as its agent left it. What lands is the commit that was made of it then, so
 * somebody else's hand in it does no harm; it is told all the same. A gate that ran there may have left files of its own.
 */
async function touched(
  { git }: Ports,
  context: RunContext,
  { task, attempt }: Work,
  commit: string,
): Promise<readonly EventBody[]> {
  const dir = attempt.worktree?.dir;
  if (dir === undefined) return [];
  const status = await git.status(dir);
  if (!status.ok) return [];
  const { head, dirty } = status.value;
  if (head === commit && !(dirty && attempt.gateSkipped === true)) return [];
  const found = [{ kind: 'worktree-changed', task: task.id, dir } as const];
  const of = { run: context.run, id: task.id, attempt: attempt.number, turn: attempt.turns };
  return [{ type: 'tampering-seen', ...of, found }];
}
