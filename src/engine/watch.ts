import { tamperings } from '../guard/tampering-list.ts';
import { BRANCHES, keepRefOf } from '../model/branch.ts';
import type { Work } from '../model/command.ts';
import type { EventBody } from '../model/event.ts';
import { given } from '../model/given.ts';
import { limits } from '../model/limits.ts';
import type { Tampering } from '../model/violation.ts';
import { withoutReported } from '../plan/user-change.ts';
import type { Git } from '../port/git.ts';
import { liveAttempts, of } from './attempt.ts';
import type { Ports, RunContext } from './context.ts';

/**
 * Compares everything outside the worktrees before and after an agent works. Changes in the user's checkout are
 * reported once per run. If several agents work at once it is unknown which one made a change, so it is reported for
 * each of them.
 */
export async function watched<T>(
  { guard, git, store }: Ports,
  context: RunContext,
  { attempt }: Work,
  run: () => Promise<T>,
): Promise<{ readonly value: T; readonly found: readonly Tampering[] }> {
  const before = await guard.snapshot(true);
  const value = await run();
  const after = await guard.snapshot();
  const own = [`refs/heads/${attempt.branch}`, keepRefOf(attempt.branch)];
  // Landings move the target, and other agents move their own branches; branches of waiting work must not move.
  const expected = [`refs/heads/${context.target}`, BRANCHES, 'refs/yard/', 'refs/remotes/'];
  const known = await store.run(context.run);
  const reported = new Set(known.ok ? known.value?.reported.userChanges : []);
  const found = [
    ...tamperings(before, after, own, expected).flatMap((one) => withoutReported(one, reported)),
    ...(await movedWhileWaiting(git, await liveAttempts(store, context.run))),
  ];
  return { value, found };
}

/** Branches of waiting work that no longer point to that work. */
async function movedWhileWaiting(git: Git, live: readonly Work[]): Promise<readonly Tampering[]> {
  const moved: Tampering[] = [];
  for (const { attempt } of live) {
    const at = attempt.state;
    if (at.id !== 'queued' && at.id !== 'awaiting' && at.id !== 'unreviewed') continue;
    const ref = `refs/heads/${attempt.branch}`;
    const now = await git.resolve(ref);
    if (!now.ok || now.value === at.commit) continue;
    moved.push({ kind: 'ref-moved', ref, from: at.commit, ...given({ to: now.value }) });
  }
  return moved;
}

/**
 * Resets the worktree of returned work to the captured commit: anything else in it comes from a gate, a reviewer or
 * an unknown source. An unknown source is reported.
 */
export async function restoreWorktree(
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

/** Unknown changes may be someone's work: they get a ref of their own before they are removed. */
async function saveStray(git: Git, dir: string, keep: string, kept: string): Promise<void> {
  const found = await git.commitAll(dir, 'Found in the worktree of a waiting attempt\n');
  if (found.ok && found.value !== kept) await saveAside(git, keep, found.value);
}

/** Creates a ref for a commit that nothing else holds. */
export async function saveAside(git: Git, keep: string, commit: string): Promise<void> {
  for (let n = 1; n <= limits.keepNames; n += 1) {
    const moved = await git.moveRefs([{ ref: `${keep}.stray${n}`, from: null, to: commit }]);
    if (!moved.ok || moved.value.id === 'moved') return;
  }
}

/**
 * Reports a worktree of captured work that was changed. What lands is the captured commit, so the change does no
 * harm. A gate that ran there may have left files.
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
  if (head === commit && !(dirty && attempt.captured?.judged === false)) return [];
  return tamperingSeen(context, { task, attempt }, attempt.conversation.turns, [
    { kind: 'worktree-changed', task: task.id, dir },
  ]);
}

/** Returns the event that reports tampering during a turn, if there was any. */
export function tamperingSeen(
  context: RunContext,
  work: Work,
  turn: number,
  found: readonly Tampering[],
): readonly EventBody[] {
  return found.length === 0 ? [] : [{ type: 'tampering-seen', ...of(context, work), turn, found }];
}
